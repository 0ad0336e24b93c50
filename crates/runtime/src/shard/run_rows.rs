//! Runs and versions on their way to the tables and back.

use std::sync::Arc;

use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Command, Engine};
use mainspring_core::run::decide::{RunAnswer, RunCommand};
use mainspring_core::run::{DirtyRuns, Run, RunRefusal};
use mainspring_core::state::State;
use mainspring_core::values::{Elapsed, Groups, Millis, RunId};
use mainspring_store::format::{EncodedProfiles, ProfileCache, write_plan};
use mainspring_store::{Cut, OpenError, Recovery, RunRow, VersionRow};

use super::Shard;
use super::recover_runs::load_runs;
use super::runs::Plans;
use crate::clock::Reading;

/// Every run that has not ended; jobs are there already.
pub(super) fn load_all(
    state: &mut State,
    recovery: &mut dyn Recovery,
    plans: &mut Plans,
    profiles: &mut ProfileCache,
) -> Result<u64, OpenError> {
    let job_runs = state.job_runs_mut();
    let rows = load_runs(job_runs, recovery, plans, profiles)?;
    // Rows leave out the counters that the tail's events move.
    // Recovery derives again when it knows how late it is.
    job_runs.derive(Elapsed::ZERO);
    Ok(rows)
}

/// Rows of what changed.
pub(super) fn add_rows(
    engine: &Engine,
    dirty: &DirtyRuns,
    groups: Groups,
    cut: &mut Cut,
    profiles: &mut EncodedProfiles,
) {
    let job_runs = engine.state().job_runs();
    for version in &dirty.versions {
        let mut plan = Vec::new();
        write_plan(&mut plan, &version.definition.plan, profiles);
        cut.versions.push(VersionRow {
            key: (*version.key).clone(),
            group: groups.of(&version.key.tenant),
            version: version.version,
            at: version.at,
            hash: version.definition.hash,
            plan,
            source: version.definition.source.to_vec(),
        });
    }
    let runs = dirty.runs.iter().filter_map(|index| job_runs.runs().get(*index));
    cut.runs.extend(runs.map(|run| RunRow::of(run, groups, profiles)));
}

impl<R> Shard<R> {
    /// The run that must be looked up before this command can be decided.
    pub(super) fn needs_run(&self, command: &Command) -> Option<RunId> {
        let id = match command {
            Command::Run(flow) => flow.run()?,
            Command::Keyed(keyed) if !self.knows(keyed) => return self.needs_run(&keyed.command),
            Command::Quarantine(_) => {
                let row = Self::to_release(command).filter(|row| self.is_quarantined(row))?;
                row.parse().ok()?
            }
            _ => return None,
        };
        self.engine.state().job_runs().run(id).is_none().then_some(id)
    }

    /// What the tables had of a run; memory still wins.
    pub fn loaded_run(&mut self, command: Command, reply: R, found: Option<Box<Run>>, reading: Reading) {
        if self.stopped {
            return;
        }
        self.refresh(reading);
        let result = match found {
            // Only ended runs leave memory: a newer owner wrote this row, as the next append will tell.
            Some(run) if self.engine.state().job_runs().run(run.id).is_none() && !run.status.is_ended() => {
                Err(Rejection::StoreUnavailable { retry_after: Millis::from_secs(1) })
            }
            Some(run) if self.engine.state().job_runs().run(run.id).is_none() => {
                self.on_ended_run(command, run)
            }
            Some(_) | None => self.handle(command),
        };
        self.hold_answer(reply, vec![result]);
    }

    fn on_ended_run(&mut self, mut command: Command, run: Box<Run>) -> Result<Answer, Rejection> {
        let flow = match &mut command {
            Command::Run(flow) => flow,
            Command::Keyed(keyed) => match &mut keyed.command {
                Command::Run(flow) => flow,
                _ => return self.handle(command),
            },
            _ => return self.handle(command),
        };
        let (id, status) = (run.id, run.status);
        match &mut **flow {
            RunCommand::ReadRun { .. } => return Ok(Answer::Run(RunAnswer::Found(Some(Arc::from(run))))),
            RunCommand::Rerun(rerun) => rerun.fact = Some(run),
            RunCommand::Clear(clear) => clear.fact = Some(run),
            RunCommand::Approve(approve) => approve.fact = Some(run),
            _ => return Err(RunRefusal::RunAlreadyEnded { id, status }.into()),
        }
        self.handle(command)
    }
}
