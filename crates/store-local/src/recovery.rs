//! Recovery: reads back what the tables and the journal hold, before anything is written.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use mainspring_core::values::{EntityKind, RunId, Seq, Wall};
use mainspring_store::{
    CheckpointHead, EntityRow, LiveRow, LiveRun, OpenError, ReadMany, ReadTables, Recovery, TailVisit,
};

use crate::journal::walk;
use crate::lock::DirLock;
use crate::tables::LocalReader;

/// Recovery reads from as many connections at most: beyond them the one thread that fills memory is the slowest.
const READERS_MAX: usize = 4;

/// Rows of tasks that go from one thread to the other together.
const ROWS_AT_ONCE: usize = 1_000;
/// Pages of them that wait, at most.
const PAGES_AHEAD: usize = 4;

pub struct LocalRecovery {
    tables: LocalReader,
    journal: PathBuf,
    _lock: Arc<DirLock>,
}

impl LocalRecovery {
    pub(crate) fn new(tables: LocalReader, journal: PathBuf, lock: Arc<DirLock>) -> Self {
        Self { tables, journal, _lock: lock }
    }
}

impl Recovery for LocalRecovery {
    fn head(&mut self) -> Result<CheckpointHead, OpenError> {
        self.tables.head()
    }

    fn live(&mut self, horizon: Wall, each: &mut dyn FnMut(LiveRow)) -> Result<(), OpenError> {
        // Another thread reads the next rows while this one is told of the last ones.
        let mut reader = LocalReader::open(self.tables.dir())?;
        let (pages, read) = sync_channel::<Vec<LiveRow>>(PAGES_AHEAD);
        std::thread::scope(|scope| {
            let scan = scope.spawn(move || {
                let mut page = Vec::with_capacity(ROWS_AT_ONCE);
                reader.live(horizon, &mut |row| {
                    page.push(row);
                    if page.len() == ROWS_AT_ONCE {
                        let full = std::mem::replace(&mut page, Vec::with_capacity(ROWS_AT_ONCE));
                        // Nobody takes it only if this thread's caller panics.
                        let _ = pages.send(full);
                    }
                })?;
                let _ = pages.send(page);
                Ok(())
            });
            read.iter().flatten().for_each(each);
            scan.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn live_runs(&mut self, after: Option<RunId>, limit: usize) -> Result<Vec<LiveRun>, OpenError> {
        self.tables.live_runs(after, limit)
    }

    fn entities(
        &mut self,
        kind: EntityKind,
        after: Option<u128>,
        limit: usize,
    ) -> Result<Vec<EntityRow>, OpenError> {
        self.tables.live_entities(kind, after, limit)
    }

    fn tables(&mut self) -> &mut dyn ReadTables {
        &mut self.tables
    }

    fn readers(&mut self) -> Result<Vec<Box<dyn ReadMany + Send>>, OpenError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if cores == 1 {
            return Ok(Vec::new());
        }
        (0..cores.min(READERS_MAX))
            .map(|_| Ok(Box::new(LocalReader::open(self.tables.dir())?) as Box<dyn ReadMany + Send>))
            .collect()
    }

    fn tail(&mut self, after: Seq, each: TailVisit<'_>) -> Result<(), OpenError> {
        let mut expected = after.next();
        let Self { tables, journal, .. } = self;
        walk(journal, after, &mut |frame| {
            if frame.seq != expected {
                return Err(OpenError::Gap { checkpoint: after, first: frame.seq });
            }
            expected = expected.next();
            each(frame.to_record(), tables)
        })?;
        Ok(())
    }
}
