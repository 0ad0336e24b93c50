//! What a store does with the state beside folding events: it takes what changed since the last cut, and reaches the tables
//! of entities to load, write and drop their rows.

use super::State;
use crate::backfill::Backfills;
use crate::job::JobTable;
use crate::operation::Operations;
use crate::run::DirtyRuns;
use crate::schedule::{Schedules, WindowRow};
use crate::trigger::Triggers;
use crate::values::{Seq, TaskId, TaskIndex};
use crate::worker::Cordons;

/// What changed since the last cut, beside entities.
#[derive(Debug, Default)]
pub struct Changed {
    pub tasks: Vec<TaskIndex>,
    /// Their rows among the ended ones must go.
    pub revived: Vec<TaskId>,
    pub runs: DirtyRuns,
    pub windows: Vec<WindowRow>,
}

/// One table for each kind of entity.
#[derive(Debug)]
pub struct EntityTables<'a> {
    pub jobs: &'a mut JobTable,
    pub schedules: &'a mut Schedules,
    pub triggers: &'a mut Triggers,
    pub backfills: &'a mut Backfills,
    pub cordons: &'a mut Cordons,
    pub operations: &'a mut Operations,
}

impl State {
    /// The new cut is through record `through`; the one after it may have begun already, but holds nothing yet.
    pub fn take_changed(&mut self, through: Seq) -> Changed {
        self.cut = through;
        Changed {
            tasks: std::mem::take(&mut self.dirty),
            revived: std::mem::take(&mut self.revived),
            runs: self.job_runs.take_dirty(),
            windows: self.schedules.take_ledger(),
        }
    }

    pub fn dirty_len(&self) -> usize {
        let timed = self.schedules.dirty_len() + self.backfills.dirty_len() + self.triggers.dirty_len();
        let rest = self.cordons.dirty_len() + self.operations.dirty_len();
        self.dirty.len() + self.job_runs.dirty_len() + timed + rest
    }

    pub fn entity_tables(&mut self) -> EntityTables<'_> {
        EntityTables {
            jobs: &mut self.job_runs.jobs,
            schedules: &mut self.schedules,
            triggers: &mut self.triggers,
            backfills: &mut self.backfills,
            cordons: &mut self.cordons,
            operations: &mut self.operations,
        }
    }

    /// Sets where the tables stand, when state was loaded from them.
    pub fn set_cut(&mut self, cut: Seq) {
        self.cut = cut;
    }

    pub fn forget_keys(&mut self, through: Seq) {
        self.keys.forget(through);
    }
}
