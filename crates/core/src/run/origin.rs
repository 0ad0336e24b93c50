//! What a run came from. Links between tables read it when the run begins and ends.

use super::state::StartedBy;
use crate::values::{Cause, InRun, RunId, ScheduleId, Wall, Window};

#[derive(Clone, PartialEq, Debug)]
pub struct Origin {
    pub started_by: StartedBy,
    /// The node that it belongs to.
    pub parent: Option<InRun>,
    pub rerun_of: Option<RunId>,
    /// The window for which it exists.
    pub window: Option<Box<Window>>,
    /// The instant for which somebody asked for it by hand. It is no window of any schedule.
    pub logical_time: Option<Wall>,
    /// The event that began it.
    pub cause: Option<Box<Cause>>,
}

impl Origin {
    pub const fn of(started_by: StartedBy) -> Self {
        Self { started_by, parent: None, rerun_of: None, window: None, logical_time: None, cause: None }
    }

    /// The instant for which the run exists: that of its window, or the one that somebody named.
    pub fn logical_time(&self) -> Option<Wall> {
        self.window.as_ref().map(|window| window.at).or(self.logical_time)
    }

    /// The schedule that counts the run as its own. A window can also come from another job, from a run that is repeated,
    /// or from a backfill.
    pub fn schedule(&self) -> Option<ScheduleId> {
        let is_own = !matches!(self.started_by, StartedBy::Event | StartedBy::Rerun | StartedBy::Backfill);
        self.window.as_ref().filter(|_| is_own).map(|window| window.schedule)
    }
}
