//! Jobs and runs on their way to the tables and back.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Command, Engine};
use mainspring_core::job::{Definition, JobKey, NodeWork, Plan};
use mainspring_core::run::decide::{RunAnswer, RunCommand};
use mainspring_core::run::{DirtyRuns, Run, RunRefusal};
use mainspring_core::values::{Elapsed, Millis, RunId, TaskId};
use mainspring_store::format::{
    EncodedProfiles, FormatError, ProfileCache, StoredRun, read_job, read_plan, read_run, read_run_output,
    read_task, write_job, write_plan, write_run,
};
use mainspring_store::tables::ReadError;
use mainspring_store::{Cut, JobRow, OpenError, ReadTables, Recovery, RunRow, StoredTask, VersionRow};

use super::Shard;
use crate::clock::Reading;

/// Outputs looked up in one go.
const OUTPUTS_AT_ONCE: usize = 1_000;

/// Why a row cannot be turned into what it stands for.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Format(#[from] FormatError),
    #[error("version {version} of job `{name}` is not in the tables")]
    NoVersion { name: String, version: u32 },
}

impl From<LoadError> for OpenError {
    fn from(error: LoadError) -> Self {
        Self::Unreadable { what: "job or run".into(), why: error.to_string() }
    }
}

/// Plans read so far; runs of one version share theirs.
#[derive(Default)]
pub(super) struct Plans(BTreeMap<(JobKey, u32), Definition>);

impl Plans {
    pub(super) fn get(
        &mut self,
        key: &JobKey,
        version: u32,
        tables: &mut dyn ReadTables,
        profiles: &mut ProfileCache,
    ) -> Result<Definition, LoadError> {
        let at = (key.clone(), version);
        if let Some(known) = self.0.get(&at) {
            return Ok(known.clone());
        }
        let row = tables.version(key, version)?;
        let row = row.ok_or_else(|| LoadError::NoVersion { name: key.name.to_string(), version })?;
        let plan = Arc::new(read_plan(&row.plan, profiles)?);
        let definition = Definition { plan, source: row.source.into(), hash: row.hash };
        self.0.insert(at, definition.clone());
        Ok(definition)
    }
}

/// A run with its plan and its outputs, which are in the rows of the tasks and runs that gave them.
fn load_run(
    row: &RunRow,
    plans: &mut Plans,
    tables: &mut dyn ReadTables,
    profiles: &mut ProfileCache,
) -> Result<Run, LoadError> {
    let plan = |key: &JobKey, version, profiles: &mut ProfileCache| -> Result<Arc<Plan>, LoadError> {
        plans.get(key, version, tables, profiles).map(|definition| definition.plan)
    };
    let StoredRun { mut run, outputs } = read_run(&row.bytes, profiles, plan)?;
    let plan = run.plan.clone();
    let is_task = |place: &(u32, u32)| matches!(plan.node(place.0).work, NodeWork::Task(_));
    let (of_tasks, of_runs): (Vec<_>, Vec<_>) = outputs.into_iter().partition(is_task);
    for wanted in of_tasks.chunks(OUTPUTS_AT_ONCE) {
        let ids: Vec<TaskId> = wanted.iter().map(|(node, index)| run.task_at(*node, *index)).collect();
        for (place, found) in wanted.iter().zip(tables.tasks(&ids)?) {
            let Some(StoredTask::Ended(row)) = found else { continue };
            let task = read_task(&row.bytes, profiles)?;
            keep(&mut run, *place, task.extra.and_then(|extra| extra.output));
        }
    }
    for place in of_runs {
        let child = run.id.child(run.place(place.0, place.1));
        let output = tables.run(child)?.map(|row| read_run_output(&row.bytes)).transpose()?;
        keep(&mut run, place, output.flatten());
    }
    run.stored = true;
    Ok(run)
}

/// A run as the tables have it.
pub fn find_run(tables: &mut dyn ReadTables, id: RunId) -> Result<Option<Box<Run>>, LoadError> {
    let Some(row) = tables.run(id)? else { return Ok(None) };
    load_run(&row, &mut Plans::default(), tables, &mut ProfileCache::default()).map(|run| Some(Box::new(run)))
}

fn keep(run: &mut Run, place: (u32, u32), output: Option<Arc<[u8]>>) {
    if let Some(output) = output {
        run.output_bytes += output.len() as u64;
        run.outputs.insert(place, output);
    }
}

/// Every job, and every run that has not ended.
pub(super) fn load_all(
    engine: &mut Engine,
    recovery: &mut dyn Recovery,
    profiles: &mut ProfileCache,
) -> Result<u64, OpenError> {
    let (mut jobs, mut runs) = (Vec::new(), Vec::new());
    recovery.jobs(&mut |row| jobs.push(row))?;
    recovery.live_runs(&mut |row| runs.push(row))?;
    let mut plans = Plans::default();
    let tables = recovery.tables();
    let flows = engine.state_mut().flows_mut();
    for row in &jobs {
        let job = read_job(&row.bytes, |key, version| plans.get(key, version, tables, profiles))?;
        flows.load_job(job);
    }
    for row in &runs {
        flows.load_run(load_run(row, &mut plans, tables, profiles)?);
    }
    // Rows leave out the counters that the tail's events move.
    // Recovery derives again when it knows how late it is.
    flows.derive(Elapsed::ZERO);
    Ok((jobs.len() + runs.len()) as u64)
}

/// Rows of what changed.
pub(super) fn add_rows(
    engine: &mut Engine,
    dirty: &DirtyRuns,
    cut: &mut Cut,
    profiles: &mut EncodedProfiles,
) {
    let flows = engine.state().flows();
    for version in &dirty.versions {
        let mut plan = Vec::new();
        write_plan(&mut plan, &version.definition.plan, profiles);
        cut.versions.push(VersionRow {
            key: (*version.key).clone(),
            version: version.version,
            at: version.at,
            hash: version.definition.hash,
            plan,
            source: version.definition.source.to_vec(),
        });
    }
    for job in dirty.jobs.iter().filter_map(|key| flows.jobs().get(key)) {
        let mut bytes = Vec::new();
        write_job(&mut bytes, job);
        cut.jobs.push(JobRow { key: (*job.key).clone(), bytes });
    }
    for run in dirty.runs.iter().filter_map(|index| flows.runs().get(*index)) {
        let mut bytes = Vec::with_capacity(run.nodes.len() * 8 + 256);
        write_run(&mut bytes, run, profiles);
        cut.runs.push(RunRow {
            id: run.id,
            job: (*run.job).clone(),
            version: run.version,
            status: run.status,
            trigger: run.trigger,
            labels: run.labels.as_deref().unwrap_or_default().to_vec(),
            created: run.created,
            ended: run.status.is_ended().then_some(run.ended),
            bytes,
        });
    }
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
        self.engine.state().flows().run(id).is_none().then_some(id)
    }

    /// What the tables had of a run; memory still wins.
    pub fn loaded_run(&mut self, command: Command, reply: R, found: Option<Box<Run>>, reading: Reading) {
        if self.stopped {
            return;
        }
        self.refresh(reading);
        let result = match found {
            // Only ended runs leave memory: a newer owner wrote this row, as the next append will tell.
            Some(run) if self.engine.state().flows().run(run.id).is_none() && !run.status.is_ended() => {
                Err(Rejection::StoreUnavailable { retry_after: Millis::from_secs(1) })
            }
            Some(run) if self.engine.state().flows().run(run.id).is_none() => self.on_ended_run(command, run),
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
            _ => return Err(RunRefusal::RunAlreadyEnded { id, status }.into()),
        }
        self.handle(command)
    }
}
