//! Operations: work too big for one command, done in bounded steps between other commands.
//! - OS-1 a step makes about [`STEP_EVENTS_MAX`] events; OS-2 a step repeated after a crash does no harm: what a step did and
//!   where it ended are in the same record
//! - OS-3 only an announcement, and bulk work that names each thing, has a [`Cursor::Listed`]; it has it from its first event on
//!
//! The position among tasks in memory is an index, which means nothing after a restart; a new epoch
//! therefore begins that phase again, and what it already handled does not match any more (BW-1). The position among
//! rows of the tables is theirs and is kept, as is the position in a list that the operation carries itself.

mod bulk;
pub mod decide;
mod select;
mod table;

use std::sync::Arc;

pub use self::bulk::{Bulk, BulkVerb, LISTED_MAX, Selection};
pub use self::select::{RunSelector, Selector, is_repaired};
pub use self::table::{Operation, Operations, StepCounts};
use crate::run::Run;
use crate::task::Task;
use crate::trigger::LedgerWindow;
use crate::values::{CloudEvent, Name, RunId, TaskId, TriggerId, Wall};

/// A command yields at most 1,000 events; a step leaves room for the operation's own.
pub const STEP_EVENTS_MAX: usize = 980;
/// Slots looked at in one step, so that a sparse match does not hold the shard up.
pub const STEP_SLOTS_MAX: u32 = 20_000;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OperationKind {
    /// What a caller asked for.
    Bulk(Arc<Bulk>),
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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cursor {
    /// The next slot to look at.
    Memory(u32),
    /// The last parked task handled.
    Parked(TaskId),
    /// How many entries of its own list are done.
    Listed(u32),
    /// The last ended task looked at, from the newest day on.
    Ended(EndedPlace),
    /// The last ended run looked at, from the newest on.
    EndedRuns(Option<RunId>),
}

/// Where an ended task stands in history: by day of its end, newest first, then by id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EndedPlace {
    pub day: u32,
    pub id: TaskId,
}

impl EndedPlace {
    /// Before all others.
    pub const START: Self = Self { day: u32::MAX, id: TaskId::from_bits(u128::MAX) };
}

/// Rows of the tables for an operation, in the order of its cursor. Memory outranks them.
#[derive(Clone, PartialEq, Debug)]
pub enum OperationPage {
    Parked {
        tasks: Vec<Task>,
        /// The store has others after them.
        more: bool,
    },
    Ended {
        tasks: Vec<(EndedPlace, Task)>,
        /// The runs that these are of, by id; without those that history has forgotten.
        runs: Vec<Box<Run>>,
        /// Where the next page begins; `None`: there is none.
        next: Option<EndedPlace>,
    },
    Runs {
        runs: Vec<Box<Run>>,
        next: Option<RunId>,
    },
}
