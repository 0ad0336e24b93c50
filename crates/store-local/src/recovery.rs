//! Recovery: reads back what the tables and the journal hold, before anything is written.

use std::path::PathBuf;
use std::sync::Arc;

use mainspring_core::values::{Seq, TaskId, Wall};
use mainspring_store::{
    BackfillRow, CheckpointHead, JobRow, LiveRow, OpenError, ReadTables, Record, Recovery, RunRow,
    ScheduleRow, TriggerRow,
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

    fn live_by_id(&mut self, ids: &[TaskId], each: &mut dyn FnMut(LiveRow)) -> Result<(), OpenError> {
        self.tables.live_by_id(ids, each)
    }

    fn jobs(&mut self, each: &mut dyn FnMut(JobRow)) -> Result<(), OpenError> {
        self.tables.jobs(each)
    }

    fn live_runs(&mut self, each: &mut dyn FnMut(RunRow)) -> Result<(), OpenError> {
        self.tables.live_runs(each)
    }

    fn schedules(&mut self, each: &mut dyn FnMut(ScheduleRow)) -> Result<(), OpenError> {
        self.tables.schedules(each)
    }

    fn live_backfills(&mut self, each: &mut dyn FnMut(BackfillRow)) -> Result<(), OpenError> {
        self.tables.live_backfills(each)
    }

    fn triggers(&mut self, each: &mut dyn FnMut(TriggerRow)) -> Result<(), OpenError> {
        self.tables.triggers(each)
    }

    fn tables(&mut self) -> &mut dyn ReadTables {
        &mut self.tables
    }

    fn tail(
        &mut self,
        after: Seq,
        each: &mut dyn FnMut(Record) -> Result<(), OpenError>,
    ) -> Result<(), OpenError> {
        let mut expected = after.next();
        walk(&self.journal, after, &mut |frame| {
            if frame.seq != expected {
                return Err(OpenError::Gap { checkpoint: after, first: frame.seq });
            }
            expected = expected.next();
            each(frame.to_record())
        })?;
        Ok(())
    }
}
