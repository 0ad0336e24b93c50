//! Runs from their rows. A row names its plan and its outputs, which are in rows of their own; these are looked up for many
//! runs at once.
//! Entry: [`find_run`] for a single run, [`load_runs`] for a page of them, [`RunBatch`] for many, as recovery reads them
//! (`recover_runs.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainspring_core::collections::Soft;
use mainspring_core::job::{Definition, JobKey, NodeWork, Plan};
use mainspring_core::run::Run;
use mainspring_core::values::{Name, RunId, TaskId};
use mainspring_store::format::{
    FormatError, ProfileCache, StoredRun, VersionRef, read_plan, read_run, read_run_output, read_task_output,
    run_version,
};
use mainspring_store::tables::ReadError;
use mainspring_store::{OpenError, ReadMany, ReadTables, RunRow, VersionRow};

/// Outputs looked up together; a run with more of them is looked up alone.
const OUTPUTS_AT_ONCE: usize = 20_000;

/// Why a row cannot be turned into what it stands for.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Format(#[from] FormatError),
    #[error("the row of {id}, which has an output of it, cannot be read: {why}")]
    Output { id: String, why: FormatError },
    #[error("version {version} of job `{name}` is not in the tables")]
    NoVersion { name: String, version: u32 },
}

impl LoadError {
    pub(super) fn of(self, what: String) -> OpenError {
        OpenError::Unreadable { what, why: self.to_string() }
    }
}

impl From<LoadError> for OpenError {
    fn from(error: LoadError) -> Self {
        error.of("job or run".into())
    }
}

/// Plans read so far; runs of one version share theirs, and runs of one job its key.
#[derive(Default)]
pub(super) struct Plans(BTreeMap<Name, BTreeMap<Name, Versions>>);

struct Versions {
    key: Arc<JobKey>,
    known: BTreeMap<u32, Definition>,
}

impl Plans {
    pub(super) fn find(&self, of: VersionRef<'_>) -> Option<(&Arc<JobKey>, &Definition)> {
        let versions = self.0.get(of.tenant)?.get(of.name)?;
        Some((&versions.key, versions.known.get(&of.version)?))
    }

    pub(super) fn get(&self, of: VersionRef<'_>) -> Result<(Arc<JobKey>, Arc<Plan>), LoadError> {
        let none = || LoadError::NoVersion { name: of.name.to_owned(), version: of.version };
        let (key, definition) = self.find(of).ok_or_else(none)?;
        Ok((key.clone(), definition.plan.clone()))
    }

    pub(super) fn find_version(&self, of: VersionRef<'_>) -> Option<(Arc<JobKey>, Definition)> {
        let (key, definition) = self.find(of)?;
        Some((key.clone(), definition.clone()))
    }

    /// Looks up those that are not known yet, together.
    pub(super) fn fetch<'a>(
        &mut self,
        wanted: impl Iterator<Item = VersionRef<'a>>,
        tables: &mut dyn ReadTables,
        profiles: &mut ProfileCache,
    ) -> Result<(), LoadError> {
        let unknown: BTreeSet<VersionRef<'_>> = wanted.filter(|of| self.find(*of).is_none()).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let unknown = unknown.into_iter().map(|of| Ok((of.key()?, of.version)));
        let unknown = unknown.collect::<Result<Vec<_>, FormatError>>()?;
        let mut failed = None;
        tables.stored_versions(&unknown, &mut |row| {
            failed = failed.take().or(self.add(row, profiles).err());
        })?;
        failed.map_or(Ok(()), |error| Err(error.into()))
    }

    fn add(&mut self, row: VersionRow, profiles: &mut ProfileCache) -> Result<(), FormatError> {
        let plan = Arc::new(read_plan(&row.plan, profiles)?);
        let definition = Definition { plan, source: row.source.into(), hash: row.hash };
        let JobKey { tenant, name } = row.key.clone();
        let versions = self.0.entry(tenant).or_default().entry(name);
        let versions =
            versions.or_insert_with(|| Versions { key: Arc::new(row.key), known: BTreeMap::new() });
        versions.known.insert(row.version, definition);
        Ok(())
    }
}

/// A run as the tables have it.
pub fn find_run(tables: &mut dyn ReadTables, id: RunId) -> Result<Option<Box<Run>>, LoadError> {
    let Some(row) = tables.run(id)? else { return Ok(None) };
    Ok(load_runs(tables, &[row])?.pop())
}

/// The runs of these rows, in their order. A plan is read once, however many of them have it: it may be larger than all else.
pub fn load_runs(tables: &mut dyn ReadTables, rows: &[RunRow]) -> Result<Vec<Box<Run>>, LoadError> {
    let (mut plans, mut profiles) = (Plans::default(), ProfileCache::default());
    let versions = rows.iter().map(|row| run_version(&row.bytes)).collect::<Result<Vec<_>, _>>()?;
    plans.fetch(versions.into_iter(), tables, &mut profiles)?;
    let (mut batch, mut found) = (RunBatch::default(), Vec::with_capacity(rows.len()));
    for row in rows {
        batch.add(&row.bytes, |of| plans.get(of), &mut profiles)?;
        if batch.is_full() {
            batch.finish(tables, |run| found.push(run))?;
        }
    }
    batch.finish(tables, |run| found.push(run))?;
    Ok(found)
}

/// Runs whose outputs are still to be looked up.
#[derive(Default)]
pub(super) struct RunBatch {
    #[expect(clippy::vec_box, reason = "a run goes into memory as it is here, without being copied again")]
    runs: Vec<Box<Run>>,
    of_tasks: Vec<(TaskId, OutputPlace)>,
    of_runs: Vec<(RunId, OutputPlace)>,
}

/// Where an output belongs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct OutputPlace {
    /// Among the runs of the batch.
    run: u32,
    node: u32,
    index: u32,
}

impl RunBatch {
    pub(super) fn add(
        &mut self,
        bytes: &[u8],
        plan: impl FnOnce(VersionRef<'_>) -> Result<(Arc<JobKey>, Arc<Plan>), LoadError>,
        profiles: &mut ProfileCache,
    ) -> Result<(), LoadError> {
        let StoredRun { mut run, outputs } = read_run(bytes, profiles, plan)?;
        run.stored = Soft(true);
        let number = self.runs.len() as u32;
        for (node, index) in outputs {
            let place = OutputPlace { run: number, node, index };
            match run.plan.node(node).work {
                NodeWork::Task(_) => self.of_tasks.push((run.task_at(node, index), place)),
                NodeWork::Run { .. } => self.of_runs.push((run.id.child(run.place(node, index)), place)),
            }
        }
        self.runs.push(Box::new(run));
        Ok(())
    }

    pub(super) fn is_full(&self) -> bool {
        self.of_tasks.len() + self.of_runs.len() >= OUTPUTS_AT_ONCE
    }

    /// Hands out the runs with their outputs, in the order they came, and is empty again.
    pub(super) fn finish(
        &mut self,
        tables: &mut (impl ReadMany + ?Sized),
        each: impl FnMut(Box<Run>),
    ) -> Result<(), LoadError> {
        self.of_tasks.sort_unstable();
        self.of_runs.sort_unstable();
        let Self { runs, of_tasks, of_runs } = self;
        let mut failed = None;
        let mut keep = |id: &dyn ToString, place: OutputPlace, output: Result<_, FormatError>| match output {
            Ok(Some(output)) => keep_output(&mut runs[place.run as usize], place, output),
            Ok(None) => {}
            Err(why) => failed = Some(LoadError::Output { id: id.to_string(), why }),
        };
        let ids: Vec<TaskId> = of_tasks.iter().map(|(id, _)| *id).collect();
        let mut places = Places { places: of_tasks, next: 0 };
        tables.ended_tasks(&ids, &mut |id, bytes| {
            if let Some(place) = places.find(id) {
                keep(&id, place, read_task_output(bytes));
            }
        })?;
        let ids: Vec<RunId> = of_runs.iter().map(|(id, _)| *id).collect();
        let mut places = Places { places: of_runs, next: 0 };
        tables.stored_runs(&ids, &mut |id, bytes| {
            if let Some(place) = places.find(id) {
                keep(&id, place, read_run_output(bytes));
            }
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        self.of_tasks.clear();
        self.of_runs.clear();
        self.runs.drain(..).for_each(each);
        Ok(())
    }
}

/// By id, sorted.
struct Places<'a, I> {
    places: &'a [(I, OutputPlace)],
    /// Behind the one found last: rows mostly come in order.
    next: usize,
}

impl<I: Ord + Copy> Places<'_, I> {
    fn find(&mut self, id: I) -> Option<OutputPlace> {
        let is_next = self.places.get(self.next).is_some_and(|(next, _)| *next == id);
        let at =
            if is_next { self.next } else { self.places.binary_search_by_key(&id, |place| place.0).ok()? };
        self.next = at + 1;
        Some(self.places[at].1)
    }
}

fn keep_output(run: &mut Run, place: OutputPlace, output: Arc<[u8]>) {
    run.output_bytes += output.len() as u64;
    run.outputs.insert((place.node, place.index), output);
}
