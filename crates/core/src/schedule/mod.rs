//! Schedules: what begins by itself, when, and what became of every window.
//! Entry: [`Schedules`], those of a shard; `engine::schedules` drives them.
//! - SC-1 a window is (schedule, logical instant); it is decided once, by one event, in the order of windows: `last` never
//!   goes back, over edits, deletion and clocks put back
//! - SC-2 instants are computed when something is decided and stand in the event; folding events computes none
//! - SC-3 windows that passed together are one record, however many they were
//! - SC-4 a schedule that is on has a timer, or waits for the end of what it began
//!
//! Not here: what expressions mean ([`crate::calendar`]).

pub(crate) mod apply;
pub mod decide;
pub(crate) mod due;
mod event;
mod extras;
mod refusal;
mod share;
mod spec;
mod table;
mod window_row;

pub use self::event::{Passed, ScheduleEvent, Stored, WindowFired};
pub use self::extras::{ExtrasCell, ScheduleExtras, Waiting};
pub use self::refusal::ScheduleRefusal;
pub use self::spec::{
    ACTIVE_MAX_DEFAULT, CATCH_UP_DEFAULT, CATCH_UP_MAX, EVERY_MIN, GRACE_DEFAULT, INSTANTS_MAX, JITTER_MAX,
    Overlap, ScheduleHome, ScheduleKey, Spec, TASKS_JOB, Target, Terms, Timing,
};
pub use self::table::{Schedule, ScheduleSoft, Schedules};
pub use self::window_row::{Reason, Unfired, WindowRow};
