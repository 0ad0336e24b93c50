//! The tables: where unfinished work can be loaded from, and where people look up what has ended.

use mainspring_core::job::JobKey;
use mainspring_core::key::{KeyBinding, KeyScope};
use mainspring_core::schedule::WindowRow;
use mainspring_core::task::Status;
use mainspring_core::values::{
    EntityKind, Epoch, Group, Name, Now, RunId, ScheduleId, Seq, TaskId, Wall, WorkerId,
};

use crate::entity::{EntityQuery, EntityRow};
use crate::flows::{RunPage, RunQuery, RunRow, VersionRow};
use crate::schedules::WindowCursor;

/// One consistent cut: the tables after it equal the journal folded through `through`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Cut {
    pub epoch: Epoch,
    pub through: Seq,
    pub now: Now,
    /// What day it is for retention: at most one day later for each day that passed, whatever the clock says.
    pub retention_day: u32,
    pub meta: Vec<u8>,
    /// Unfinished tasks that changed: insert or replace.
    pub live: Vec<LiveRow>,
    /// Ended tasks whose live row must go.
    pub gone: Vec<TaskId>,
    pub ended: Vec<HistoryRow>,
    /// Ended tasks that an operator queued again: their history row must go.
    pub revived: Vec<TaskId>,
    pub keys: Vec<KeyRow>,
    pub versions: Vec<VersionRow>,
    pub runs: Vec<RunRow>,
    /// Insert or replace, by schedule, first window and kind.
    pub windows: Vec<WindowRow>,
    pub entities: Vec<EntityRow>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiveRow {
    pub id: TaskId,
    /// That of the tenant when the row was written; it outranks the group in the id.
    pub group: Group,
    /// The record that touched the task last.
    pub touched: Seq,
    /// The due time of a task that may leave memory; `None` keeps it in memory.
    pub parked_due: Option<Wall>,
    /// The task as [`crate::format`] encodes it.
    pub bytes: Vec<u8>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HistoryRow {
    pub id: TaskId,
    /// As in [`LiveRow`].
    pub group: Group,
    pub tenant: Name,
    pub job: Name,
    pub status: Status,
    /// Where the last attempt ran.
    pub worker: Option<WorkerId>,
    pub labels: Vec<(Name, Name)>,
    pub submitted: Wall,
    pub ended: Wall,
    pub bytes: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyRow {
    pub scope: KeyScope,
    pub binding: KeyBinding,
    pub expires: Wall,
}

/// Written by one thread.
pub trait Tables {
    fn cut(&mut self, cut: &Cut) -> Result<(), CutError>;

    /// Drops whole days of history before `day`, runs and entities that ended and windows that were decided before it, and keys
    /// that expired before `now` and whose task has no live row. Called with the days and times of retention; see
    /// [`Cut::retention_day`].
    fn drop_before(&mut self, day: u32, now: Wall) -> Result<(), CutError>;

    /// Called when no cut came for a while: caches may be given up.
    fn idle(&mut self) {}
}

#[derive(Debug, thiserror::Error)]
pub enum CutError {
    #[error("epoch {ours} was refused: epoch {newest} owns the shard")]
    Refused { ours: Epoch, newest: Epoch },
    #[error("cut at {offered} lies before the last one at {last}")]
    OutOfOrder { last: Seq, offered: Seq },
    #[error("no room on the device")]
    Full,
    /// Nothing of the cut is in the tables; it may be offered again.
    #[error("could not write the tables: {what}")]
    Failed { what: String },
    /// Trying again is hopeless: the process must stop.
    #[error("the tables can no longer be written: {what}")]
    Broken { what: String },
}

/// Look-ups of many rows in one go, for who needs all of them at once; the bytes of a row are only lent.
pub trait ReadMany {
    /// The encoded tasks among `ids` that have ended, in any order. `ids` rise, and none is there twice.
    fn ended_tasks(&mut self, ids: &[TaskId], each: &mut dyn FnMut(TaskId, &[u8])) -> Result<(), ReadError>;
    /// The encoded runs among `ids`, live or ended, in any order.
    fn stored_runs(&mut self, ids: &[RunId], each: &mut dyn FnMut(RunId, &[u8])) -> Result<(), ReadError>;
    /// Those of these versions that there are, in any order.
    fn stored_versions(
        &mut self,
        wanted: &[(JobKey, u32)],
        each: &mut dyn FnMut(VersionRow),
    ) -> Result<(), ReadError>;
}

/// Reads by any number of threads, each with its own reader; sees committed cuts only.
pub trait ReadTables: ReadMany {
    /// In the order of `scopes`.
    fn keys(&mut self, scopes: &[KeyScope]) -> Result<Vec<Option<KeyBinding>>, ReadError>;
    /// In the order of `ids`: the live row, else the history row, else `None`.
    fn tasks(&mut self, ids: &[TaskId]) -> Result<Vec<Option<StoredTask>>, ReadError>;
    /// Parked tasks in the order that `from` names, at most `limit`.
    fn parked(&mut self, from: ParkedFrom, limit: usize) -> Result<Vec<LiveRow>, ReadError>;
    /// Ids between these two (inclusive) of tasks, live or ended, in rising order, at most `limit`.
    fn ids(&mut self, from: TaskId, through: TaskId, limit: usize) -> Result<Vec<TaskId>, ReadError>;
    /// Newest first.
    fn history(&mut self, query: &HistoryQuery) -> Result<HistoryPage, ReadError>;
    fn run(&mut self, id: RunId) -> Result<Option<RunRow>, ReadError>;
    /// Newest first.
    fn runs(&mut self, query: &RunQuery) -> Result<RunPage, ReadError>;
    fn version(&mut self, key: &JobKey, version: u32) -> Result<Option<VersionRow>, ReadError>;
    /// Below `before`, newest first.
    fn versions(&mut self, key: &JobKey, before: u32, limit: usize) -> Result<Vec<VersionRow>, ReadError>;
    /// What became of the windows of a schedule, newest first; those before `before`, which is the place of the last
    /// one of the page before. At most [`PAGE_MAX`].
    fn windows(
        &mut self,
        schedule: ScheduleId,
        before: Option<WindowCursor>,
        limit: usize,
    ) -> Result<Vec<WindowRow>, ReadError>;
    /// Ended or not.
    fn entity(&mut self, kind: EntityKind, id: u128) -> Result<Option<EntityRow>, ReadError>;
    /// Newest first.
    fn entities(&mut self, query: &EntityQuery) -> Result<Vec<EntityRow>, ReadError>;
    /// Another reader of the same tables.
    fn another(&self) -> Result<Self, ReadError>
    where
        Self: Sized;
}

#[derive(Debug, thiserror::Error)]
#[error("could not read the tables: {what}")]
pub struct ReadError {
    pub what: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StoredTask {
    Live(LiveRow),
    Ended(HistoryRow),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParkedFrom {
    /// By (due, id), after this pair, due at or before `until`.
    Due { after: (Wall, TaskId), until: Wall },
    /// By id, after this one.
    Id { after: TaskId },
}

/// Every field narrows; `None` does not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HistoryQuery {
    pub tenant: Option<Name>,
    pub job: Option<Name>,
    pub statuses: Vec<Status>,
    pub worker: Option<WorkerId>,
    pub label: Option<(Name, Name)>,
    pub created_from: Option<Wall>,
    pub created_before: Option<Wall>,
    pub ended_from: Option<Wall>,
    pub ended_before: Option<Wall>,
    /// The cursor of the page before this one.
    pub after: Option<HistoryCursor>,
    /// At most [`PAGE_MAX`].
    pub limit: usize,
}

impl HistoryQuery {
    /// But for where the page begins.
    pub fn wants(&self, row: &HistoryRow) -> bool {
        self.tenant.as_ref().is_none_or(|tenant| row.tenant == *tenant)
            && self.job.as_ref().is_none_or(|job| row.job == *job)
            && (self.statuses.is_empty() || self.statuses.contains(&row.status))
            && self.worker.is_none_or(|worker| row.worker == Some(worker))
            && self.label.as_ref().is_none_or(|label| row.labels.contains(label))
            && self.created_from.is_none_or(|from| row.submitted >= from)
            && self.created_before.is_none_or(|before| row.submitted < before)
            && self.ended_from.is_none_or(|from| row.ended >= from)
            && self.ended_before.is_none_or(|before| row.ended < before)
    }
}

pub const PAGE_MAX: usize = 1000;

/// The place of a row in the order (day of its end, id), newest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HistoryCursor {
    pub day: u32,
    pub id: TaskId,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HistoryPage {
    pub rows: Vec<HistoryRow>,
    /// `None`: there is no further page.
    pub next: Option<HistoryCursor>,
    /// The page is not full, because so many rows were looked at that do not fit as one page may cost. It has what ended at
    /// or after this instant; `next` goes on.
    pub looked_until: Option<Wall>,
}
