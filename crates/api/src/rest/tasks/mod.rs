//! Operations on tasks, one file each.

pub(super) mod amend;
pub(super) mod batch;
pub(super) mod cancel;
pub(super) mod cancel_many;
pub(super) mod diagnosis;
pub(super) mod force_state;
pub(super) mod get;
pub(super) mod history;
pub(super) mod list;
pub(super) mod logs;
pub(super) mod retry;
pub(super) mod run_now;
pub(super) mod submit;

use axum::response::Response;
use http::StatusCode;
use mainspring_core::values::TaskId;

use super::json;
use crate::operation::Changed;
use crate::wire::TaskChanged;

/// The answer to a command that changed one task.
fn changed(id: TaskId, changed: Changed, done: &'static str) -> Response {
    let state = match changed {
        Changed::Now(status) => Some(status),
        Changed::Stopping => None,
    };
    json(StatusCode::OK, &TaskChanged::of(&id, state, done))
}
