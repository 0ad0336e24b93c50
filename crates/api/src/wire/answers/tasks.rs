//! About tasks, workers and pools.

use mainspring_core::task::Status;
use serde::Serialize;

use super::super::pool_view::PoolView;
use super::super::state::timer_word;
use super::super::task_view::TaskView;
use super::super::time::Moment;
use super::super::worker_view::WorkerBody;
use crate::problem::ProblemBody;

/// A task that is now the server's. `rest` writes it by hand, and a test compares the two.
#[cfg(test)]
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Accepted")]
pub(crate) struct AcceptedView {
    pub task_id: String,
    #[schemars(schema_with = "crate::wire::schema::first_state")]
    pub state: &'static str,
    /// The state as the timer contract spells it
    #[schemars(schema_with = "crate::wire::schema::first_status")]
    pub status: &'static str,
    pub created_at: Moment,
    /// Why no worker that is known could ever run it; absent if one could
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Written by hand in `rest`, too.
#[cfg(test)]
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "BatchResult")]
pub(crate) struct BatchView {
    /// In the order of the request
    pub results: Vec<BatchItem>,
    pub accepted: u64,
    pub refused: u64,
}

#[cfg(test)]
#[derive(Serialize, schemars::JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub(crate) enum BatchItem {
    Accepted(AcceptedView),
    Refused(ProblemBody),
}

/// A task that recurs
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Recurring"))]
pub(crate) struct RecurringView<'a> {
    /// For GET, PATCH and DELETE under `/v1/tasks/{id}`
    pub task_id: String,
    pub created_at: Moment,
    /// `@tasks/NAME`
    pub schedule: String,
    pub tenant: &'a str,
    /// When the first task comes; null if none ever does
    pub next: Option<Moment>,
    /// It waits for the time of its next task
    #[cfg_attr(test, schemars(extend("const" = "pending")))]
    pub state: &'static str,
    /// The state as the timer contract spells it
    #[cfg_attr(test, schemars(extend("const" = "PENDING")))]
    pub status: &'static str,
}

/// What became of a task
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Changed"))]
pub(crate) struct TaskChanged {
    pub task_id: String,
    /// After the call; absent while the worker is still stopping it
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "crate::wire::schema::task_state"))]
    pub state: Option<&'static str>,
    /// The state as the timer contract spells it
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "crate::wire::schema::timer_status"))]
    pub status: Option<&'static str>,
    /// The worker was asked to stop it; read the task to see how it ended
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stopping: bool,
    pub message: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canceled_at: Option<Moment>,
}

impl TaskChanged {
    /// `None`: the worker was asked to stop it.
    pub(crate) fn of(id: &impl ToString, state: Option<Status>, message: &'static str) -> Self {
        Self {
            task_id: id.to_string(),
            state: state.map(Status::label),
            status: state.map(timer_word),
            stopping: state.is_none(),
            message,
            canceled_at: None,
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "TaskPage"))]
pub(crate) struct TaskListPage<'a> {
    pub tasks: Vec<TaskView<'a>>,
    /// Absent on the last page
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// The page is not full, because so many tasks were looked at that do not fit as one answer may cost. It has those that
    /// ended since then; `next_cursor` goes on
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looked_until: Option<Moment>,
}

/// What became of each of many dead letters
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ManyResult {
    pub results: Vec<SettledView>,
    pub done: usize,
    pub refused: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged)]
pub(crate) enum SettledView {
    Done(TaskChanged),
    Refused(ProblemBody),
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct WorkerPage<'a> {
    pub workers: Vec<WorkerBody<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Cordoned"))]
pub(crate) struct CordonedView<'a> {
    pub worker_id: String,
    #[cfg_attr(test, schemars(schema_with = "crate::wire::schema::worker_state"))]
    pub state: &'static str,
    pub cordoned: bool,
    /// Who closed it to new work, why, and since when; `null` if nobody did
    pub cordon: Option<crate::wire::CordonView<'a>>,
    /// Attempts that it still holds
    pub running: u32,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct PoolPage {
    pub pools: Vec<PoolView>,
}
