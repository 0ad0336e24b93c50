//! The bytes of backfills and of what happens to them.

mod event;
mod row;
mod spec;

pub(super) use self::event::{read as read_event, write as write_event};
pub use self::row::{read_backfill, write_backfill, write_backfill_spec};
