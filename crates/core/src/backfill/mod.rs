//! Backfills: windows of a schedule that lie behind are run again, or for the first time, beside what is live.
//! Entry: [`Backfills`], those of a shard that have not ended; `engine::backfills` drives them.
//! - BF-1 which windows it runs stands in the event that made it; each is started once, in that order, by one event
//! - BF-2 at most one of a schedule has not ended
//! - BF-3 what it starts is in the lowest band, and counts neither for the overlap of its schedule nor for its windows
//! - BF-4 one that can go on is called, or will be within a second
//!
//! Not here: which windows are missing (the edge reads the ledger of windows), its share of the fleet (`dispatch`).

pub(crate) mod apply;
pub mod decide;
mod event;
mod refusal;
mod spec;
mod table;
mod windows;

pub use self::event::{BackfillEvent, Created};
pub use self::refusal::BackfillRefusal;
pub use self::spec::{ACTIVE_DEFAULT, ACTIVE_MAX, BackfillSpec, Only};
pub use self::table::{Backfill, BackfillSoft, BackfillStatus, Backfills, Halt};
pub use self::windows::{Order, Stride, WINDOWS_MAX, WindowWalk, Windows};
