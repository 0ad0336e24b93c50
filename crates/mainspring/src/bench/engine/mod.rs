//! The engine without network: core, runtime and the local store, in one process, on real files.

mod backlog;
mod load;
mod placement;
mod recovery;
mod runs;
mod schedules;
mod throughput;

use std::path::PathBuf;

use clap::ValueEnum;

use super::{Figures, machine};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    Throughput,
    Backlog,
    Recovery,
    RunsRecovery,
    Placement,
}

pub(crate) struct Plan {
    pub(crate) dir: PathBuf,
    /// Per cent of the full number of tasks.
    pub(crate) scale: u64,
    /// Empty = all.
    pub(crate) only: Vec<Part>,
}

impl Plan {
    fn wants(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }

    fn scaled(&self, tasks: u64) -> u64 {
        (tasks * self.scale / 100).max(1000)
    }
}

/// The part of schedules, which is long and stands apart.
pub(crate) fn run_schedules(plan: &Plan, figures: &mut Figures) -> anyhow::Result<()> {
    let scratch = machine::Scratch::new(&plan.dir)?;
    schedules::run(plan, scratch.path(), figures)
}

pub(crate) fn run(plan: &Plan, figures: &mut Figures) -> anyhow::Result<()> {
    let scratch = machine::Scratch::new(&plan.dir)?;
    let fsync = machine::fsync_median(scratch.path())?;
    figures.add("fsync_ms", "fdatasync of this disk, median", fsync.as_secs_f64() * 1e3, "ms", ("–", "–"));
    // First, while this process has not yet used any memory that could be used again unseen.
    if plan.wants(Part::Backlog) {
        backlog::run(plan, figures);
    }
    if plan.wants(Part::Throughput) {
        throughput::run(plan, scratch.path(), figures)?;
    }
    if plan.wants(Part::Recovery) {
        recovery::run(plan, scratch.path(), figures)?;
    }
    if plan.wants(Part::RunsRecovery) {
        runs::run(plan, scratch.path(), figures)?;
    }
    if plan.wants(Part::Placement) {
        placement::run(plan, figures);
    }
    Ok(())
}
