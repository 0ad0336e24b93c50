//! The bytes of triggers, of what happens to them, and of the event that began a run.

mod event;
mod notice;
mod row;
mod spec;

pub(super) use self::{
    event::{read as read_event, read_id, read_span, write as write_event, write_id, write_span},
    notice::{read_cause, read_notice, write_cause, write_notice},
    spec::{read_pattern, write_pattern},
};
