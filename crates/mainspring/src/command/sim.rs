//! `mainspring sim`: worlds with faults.

use std::ops::Range;
use std::process::ExitCode;

use clap::Args;
use mainspring_sim::{BreakMode, Options, run_break_modes, run_range};

use super::output::say;

/// Each seed is a world with its own faults: crashes, lost and repeated messages, slow or failing stores, zombie
/// workers, clocks that jump. Every invariant is checked after every step; after healing everything accepted
/// must have ended.
/// Exit: 0 all held (with --break-modes: every break was noticed), 1 not, 2 the run proves nothing.
#[derive(Args)]
#[command(after_help = "Example:\n  mainspring sim --seeds 0..100")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Sim {
    /// Which worlds, as FROM..TO
    #[arg(long, value_name = "A..B", default_value = "0..100", value_parser = parse_range)]
    seeds: Range<u64>,
    /// Take one safeguard away, as `early-effect`; the run must then find a violation
    #[arg(long = "break", value_name = "MODE")]
    break_mode: Option<String>,
    /// Take every safeguard away in turn, and show which check noticed
    #[arg(long, conflicts_with_all = ["break_mode", "trace"])]
    break_modes: bool,
    /// Print every step of every world; for replaying one seed
    #[arg(long)]
    trace: bool,
    /// Print a hash of each world's steps and journal, to compare two builds
    #[arg(long, conflicts_with = "break_modes")]
    trace_hash: bool,
    /// Run each seed twice and compare the traces
    #[arg(long)]
    twice: bool,
}

impl Sim {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        if self.break_modes {
            return Ok(self.run_break_modes());
        }
        let break_mode = self.break_mode.as_deref().map(parse_mode).transpose()?;
        let options = Options { seeds: self.seeds, break_mode, trace: self.trace, twice: self.twice };
        let report = run_range(&options, &mut |_| {});
        if self.trace_hash {
            for (seed, hash) in &report.hashes {
                say(&format!("seed {seed} hash {hash:016x}"));
            }
        }
        say(&report.to_string());
        if !report.violations.is_empty() {
            return Ok(ExitCode::from(1));
        }
        // A few seeds are a replay and prove nothing by themselves.
        let claims = options.break_mode.is_none() && options.seeds.end - options.seeds.start >= 100;
        Ok(if claims && report.void().is_some() { ExitCode::from(2) } else { ExitCode::SUCCESS })
    }

    fn run_break_modes(self) -> ExitCode {
        let mut missed = 0;
        for (mode, violation) in run_break_modes(self.seeds) {
            if let Some(violation) = violation {
                say(&format!("{:<26} noticed: {violation}", mode.name()));
            } else {
                missed += 1;
                say(&format!("{:<26} NOT NOTICED", mode.name()));
            }
        }
        ExitCode::from(u8::from(missed > 0))
    }
}

fn parse_mode(name: &str) -> anyhow::Result<BreakMode> {
    BreakMode::ALL.into_iter().find(|mode| mode.name() == name).ok_or_else(|| {
        let names: Vec<&str> = BreakMode::ALL.iter().map(|mode| mode.name()).collect();
        anyhow::anyhow!("there is no break mode `{name}`; choose one of {}", names.join(", "))
    })
}

fn parse_range(text: &str) -> Result<Range<u64>, String> {
    let wrong = || format!("`{text}` is not a range; write it as 0..500");
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let range = from.parse().map_err(|_| wrong())?..to.parse().map_err(|_| wrong())?;
    if range.is_empty() { Err(format!("`{text}` holds no seed; the end is not included")) } else { Ok(range) }
}
