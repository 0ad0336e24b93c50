//! What goes over the wire, and nothing else: bodies as callers write them, answers as they read them.
//! Entry: [`TaskBody`] in, [`TaskView`] out.
//! - WI-1 a body is parsed once; a payload is never parsed into a tree, its text is kept as it came
//! - WI-2 states go out as the timer API spells them (`COMPLETED`, `CANCELED`) and come in either way

mod names;
mod payload;
mod profile;
mod retry;
mod state;
mod submission;
mod task_body;
mod task_view;
mod text;
mod time;

pub(crate) use self::{
    names::name,
    payload::check as check_payload,
    state::{parse_status, status_word},
    submission::{Keys, Submission, check_key, first_status, request_hash, request_key},
    task_body::{PriorityBody, TaskBody},
    task_view::TaskView,
    time::{TimeBody, instant, written},
};
