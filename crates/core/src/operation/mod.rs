//! Operations: work too big for one command, done in bounded steps between other commands.
//! - OS-3 only an announcement has a [`Cursor::Listed`]; it has it from its first event on
//! - OS-1 a step makes at most [`STEP_EVENTS_MAX`] events; OS-2 a step repeated after a crash does no harm
//!
//! The position among tasks in memory is an index, which means nothing after a restart; a new epoch
//! therefore begins that phase again, and finds what it already handled ended. The position among parked
//! tasks is an id and is kept, as is the position in a list that the operation carries itself.

pub mod decide;
mod table;

use std::sync::Arc;

pub use self::table::{Operation, Operations};
use crate::task::Status;
use crate::trigger::LedgerWindow;
use crate::values::{Actor, CloudEvent, Name, TaskId, TriggerId, Wall};

/// A command yields at most 1,000 events; a step leaves room for the operation's own.
pub const STEP_EVENTS_MAX: usize = 990;
/// Slots looked at in one step, so that a sparse match does not hold the shard up.
pub const STEP_SLOTS_MAX: u32 = 20_000;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OperationKind {
    /// Cancel everything that matches and was there when the call came.
    BulkCancel { selector: Box<Selector>, before: Wall, stop_running: bool },
    /// Cancel every run that matches and was there when the call came. `over`: who wants it, if somebody said so.
    CancelRuns { selector: Box<RunSelector>, before: Wall, over: Option<Actor> },
    /// End the waits for an event that did not fit into its record.
    EndWaits(Arc<EndWaits>),
    /// Let triggers decide about an end whose record had no room for all of them.
    Announce(Arc<Announcement>),
}

/// An end, for the triggers that wanted it when it came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Announcement {
    pub tenant: Name,
    pub notice: Arc<CloudEvent>,
    /// The id of the run or task.
    pub ended: u128,
    /// How many runs have begun each other by their ends, up to this one.
    pub depth: u8,
    pub job: Name,
    /// Of a run for a window.
    pub window: Option<LedgerWindow>,
    /// Those that have not decided yet, in order. Who listens later is not meant.
    pub triggers: Vec<TriggerId>,
    /// How many decided before these.
    pub before: u32,
}

/// An event that some waiting tasks have not been told of yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EndWaits {
    pub tenant: Name,
    pub notice: Arc<CloudEvent>,
    /// When the event came: waits that began later are not ended by it.
    pub at: Wall,
}

/// What is named must match; empty names match everything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunSelector {
    pub tenant: Name,
    pub job: Name,
    pub label: Option<(Name, Name)>,
}

/// What is named must match; empty names and lists match everything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selector {
    pub tenant: Name,
    pub job: Name,
    pub pool: Name,
    pub executor: Name,
    /// All of them.
    pub labels: Vec<(Name, Name)>,
    /// One of them, at the moment the task is looked at.
    pub statuses: Vec<Status>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cursor {
    /// The next slot to look at.
    Memory(u32),
    /// The last parked task handled.
    Parked(TaskId),
    /// How many entries of its own list are done.
    Listed(u32),
}
