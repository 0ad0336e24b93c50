//! Runs: executions of a job's plan, node by node.
//! Entry: [`JobRuns`], the jobs and runs of a shard; `engine::advance` drives them.
//! - WF-1 a run keeps the plan it began with
//! - WF-2 what becomes of a node is decided once, by one event, in time proportional to what it touches
//! - WF-3 a task of a run exists from its release on; before that the run's own row speaks for it
//!
//! Not here: job files and their mistakes, expressions and templates (the `definition` crate).

pub(crate) mod apply;
pub(crate) mod approval;
pub(crate) mod awaits;
mod create;
pub mod decide;
mod ends;
mod event;
mod found;
pub(crate) mod grow;
mod lists;
mod map;
mod origin;
pub(crate) mod owed;
mod pace;
mod refusal;
mod reopen;
mod runs;
mod scope;
mod state;
mod table;
mod watch;

pub use self::approval::{ApprovalDecision, DECISIONS_MAX, Decisions};
pub(crate) use self::ends::UNDO_SKIPPED;
pub use self::event::{
    ApprovalDecided, ItemsCleared, JobApplied, Noted, Reused, RunCleared, RunCreated, RunEnded, RunEvent,
    Subject, TasksAdded,
};
pub use self::grow::{ADDED_MAX, ADDITIONS_MAX, Added, Additions};
pub use self::lists::RunLists;
pub use self::map::MapItems;
pub use self::origin::Origin;
pub(crate) use self::pace::Pace;
pub use self::refusal::RunRefusal;
pub use self::runs::{DirtyRuns, JobRuns, NewVersion};
pub use self::scope::{EndFacts, Evaluate, EvaluateEvent, NoTexts, Scope};
pub use self::state::{NOTES_MAX, NodeState, NodeStatus, Pause, Run, RunSoft, RunStop, StartedBy};
pub use self::table::RunTable;
pub use self::watch::{QUIET_AFTER, Watch};
