//! Running seeds: faults, then healing, then everything accepted must end.
//! Entry: [`run`], [`run_range`], [`run_break_modes`].
//! - SN-1 a run that saw too little is void, not passed (I29)

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::breaks::BreakMode;
use crate::checkers::{Broken, Check, require};
use crate::report::{Outcome, RangeReport, Violation};
use crate::worker::Nature;
use crate::world::World;

#[derive(Clone, Debug)]
pub struct Options {
    pub seeds: Range<u64>,
    pub break_mode: Option<BreakMode>,
    /// Print every step.
    pub trace: bool,
    /// Run every seed twice and compare.
    pub twice: bool,
}

/// Simulated milliseconds after healing within which everything must have ended: the farthest start, plus time
/// for all attempts of the slowest task.
const HEALING_MAX_MS: u64 = 3 * 3_600_000;
/// Hitting this means a loop that wakes itself: a healed hour of the largest world takes some 40,000 steps.
const HEALING_STEPS_MAX: u64 = 600_000;
const REST_MS: u64 = 10_000;
/// Steps between two looks at whether the world is idle.
const LOOK_EVERY: u64 = 32;

/// One world from its seed to its end.
pub fn run(seed: u64, break_mode: Option<BreakMode>, trace: bool) -> Result<Outcome, Violation> {
    let mut world = World::new(seed, break_mode, trace);
    let mut steps = 0;
    let ended = catch_unwind(AssertUnwindSafe(|| live(&mut world, &mut steps)));
    let broken = match ended {
        Ok(Ok(())) => None,
        Ok(Err(broken)) => Some(broken),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(ToString::to_string);
            let what = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Some(Broken { invariant: "panic", what })
        }
    };
    world.close();
    match broken {
        Some(Broken { invariant, what }) => Err(Violation { invariant, what, step: steps, seed, break_mode }),
        None => {
            Ok(Outcome { seed, steps, simulated_ms: world.now, hash: world.trace.hash(), tally: world.tally })
        }
    }
}

fn live(world: &mut World, steps: &mut u64) -> Check {
    while *steps < world.settings.steps && world.step()? {
        *steps += 1;
    }
    world.heal();
    until(world, steps, |world| world.is_idle() && world.is_settled())?;
    // Time for what has ended to leave memory.
    let rested = world.now + REST_MS;
    until(world, steps, |world| world.now >= rested)?;
    let probes: Vec<u64> = (0..3)
        .map(|_| {
            let command = world.draw_submit_of(Nature::Plain);
            world.begin_operation(vec![command])
        })
        .collect();
    until(world, steps, |world| world.is_idle() && world.is_settled())?;
    for probe in probes {
        require(world.was_told_ok(probe), "I25", || {
            "a submission after healing was not accepted".to_owned()
        })?;
    }
    world.check_end()
}

fn until(world: &mut World, steps: &mut u64, done: impl Fn(&World) -> bool) -> Check {
    let (end, last) = (world.now + HEALING_MAX_MS, *steps + HEALING_STEPS_MAX);
    loop {
        for _ in 0..LOOK_EVERY {
            if !world.step()? {
                break;
            }
            *steps += 1;
        }
        if done(world) {
            return Ok(());
        }
        require(world.now < end && *steps < last, "I25", || world.unfinished_business())?;
    }
}

impl World {
    /// Everything accepted has ended, and everyone knows it.
    fn is_idle(&self) -> bool {
        self.checkers.journal.unfinished().is_empty()
            && self.checkers.journal.flows.unfinished().is_empty()
            && self.checkers.journal.processes() == 0
            && self.checkers.journal.windows_idle(self.clocks.wall_max())
            && self.callers.is_idle()
            && self.workers.iter().all(crate::worker::Worker::is_idle)
    }

    fn unfinished_business(&self) -> String {
        let unfinished = self.checkers.journal.unfinished();
        let first = unfinished.first().and_then(|id| self.checkers.journal.task(*id));
        let runs = self.checkers.journal.flows.unfinished();
        let run = runs.first().map(|id| self.checkers.journal.flows.brief(*id));
        let idle = self.workers.iter().filter(|worker| worker.is_idle()).count();
        let processes = self.checkers.journal.processes();
        let (settled, callers) = (self.is_settled(), self.callers.is_idle());
        format!(
            "{} tasks have not ended, {processes} processes, {idle} of {} workers idle, settled {settled}, \
             callers idle {callers}; the first is {first:?}; {} runs have not ended, {run:?}",
            unfinished.len(),
            self.workers.len(),
            runs.len()
        )
    }

    fn check_end(&mut self) -> Check {
        let store = self.store.clone();
        self.checkers.tables_whole(&store.disk())?;
        self.checkers.ledger.check_explained(&self.checkers.journal)?;
        self.checkers.journal.windows_end()?;
        self.check_callers()
    }

    fn close(&mut self) {
        for index in self.alive() {
            self.count_stale(index);
        }
        self.tally.lease_expiries = self.checkers.journal.expiries();
        self.tally.arrows.clone_from(self.checkers.journal.arrows());
        self.tally.executions = self.checkers.ledger.begun();
        self.tally.flows = self.checkers.journal.flows.counts;
        self.tally.windows = self.checkers.journal.windows.counts;
        self.tally.events = self.checkers.journal.triggers.counts;
    }
}

/// `progress` hears each seed when it is done.
pub fn run_range(options: &Options, progress: &mut dyn FnMut(u64)) -> RangeReport {
    let mut report = RangeReport::default();
    for seed in options.seeds.clone() {
        let first = run(seed, options.break_mode, options.trace);
        let first = first
            .and_then(|outcome| if options.twice { again(outcome, options.break_mode) } else { Ok(outcome) });
        report.add(first);
        progress(seed);
    }
    report
}

fn again(first: Outcome, break_mode: Option<BreakMode>) -> Result<Outcome, Violation> {
    let second = run(first.seed, break_mode, false)?;
    if second.hash == first.hash {
        return Ok(first);
    }
    let what = format!(
        "two runs differ: {:016x} after {} steps, {:016x} after {}",
        first.hash, first.steps, second.hash, second.steps
    );
    Err(Violation { invariant: "determinism", what, step: first.steps, seed: first.seed, break_mode })
}

/// The first violation that each break mode leads to; a panic is no proof that a checker works.
pub fn run_break_modes(seeds: Range<u64>) -> Vec<(BreakMode, Option<Violation>)> {
    let caught = |mode| {
        seeds.clone().find_map(|seed| run(seed, Some(mode), false).err().filter(|v| v.invariant != "panic"))
    };
    BreakMode::ALL.into_iter().map(|mode| (mode, caught(mode))).collect()
}
