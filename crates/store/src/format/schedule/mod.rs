//! The bytes of schedules and of what happens to them.

mod event;
mod event_read;
mod row;
mod spec;
mod timing;
mod window;

pub use self::row::{read_schedule, write_schedule};
pub(super) use self::{
    event::write as write_event,
    event_read::read as read_event,
    row::{read_key, write_key},
    window::{read_id, read_window, write_id, write_window},
};
