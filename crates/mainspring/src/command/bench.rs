//! `mainspring bench`: figures of this machine.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};

use crate::bench::{Figures, engine};

/// Measures with real files and a real fsync before every acknowledgement. Run it on a quiet machine.
/// Exit: 0 measured; figures are never compared with a limit here.
#[derive(Args)]
pub(crate) struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The engine without network: throughput, memory, recovery, placement
    Engine(Engine),
}

#[derive(Args)]
#[command(after_help = "Example:\n  mainspring bench engine --scale 10 --only throughput")]
struct Engine {
    /// Where the data goes; a new directory inside it is made and removed
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// How many tasks, as a share of the full run
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1000))]
    scale: u64,
    /// Only these parts
    #[arg(long, value_delimiter = ',', value_name = "PART")]
    only: Vec<engine::Part>,
    /// How the figures are printed
    #[arg(short, long, value_enum, default_value_t = Output::Table)]
    output: Output,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    Table,
    Json,
}

impl Bench {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let What::Engine(args) = self.what;
        let mut figures = Figures::default();
        engine::run(&engine::Plan { dir: args.dir, scale: args.scale, only: args.only }, &mut figures)?;
        match args.output {
            Output::Table => println!("{figures}"),
            Output::Json => println!("{}", figures.to_json()),
        }
        Ok(ExitCode::SUCCESS)
    }
}
