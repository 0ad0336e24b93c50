//! Recovery: reads back what the tables and the journal hold, before anything is written.

use std::path::PathBuf;
use std::sync::Arc;

use mainspring_core::values::{EntityKind, RunId, Seq, Wall};
use mainspring_store::{
    CheckpointHead, EntityRow, LiveRow, LiveRun, OpenError, ReadTables, Recovery, TailVisit,
};

use crate::journal::walk;
use crate::lock::DirLock;
use crate::tables::LocalReader;

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
        self.tables.live(horizon, each)
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
