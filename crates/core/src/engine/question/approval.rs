//! What waits for the approval of a person.

use std::sync::Arc;

use crate::job::JobKey;
use crate::task::Status;
use crate::values::{Name, RunId, TaskId, Wall};
use crate::wait::{Approval, Late};

/// Approvals told of in one answer.
pub const APPROVALS_MAX: usize = 200;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenApproval {
    pub run: RunId,
    pub job: Arc<JobKey>,
    pub id: TaskId,
    /// Its name in the run.
    pub task: Name,
    pub item: Option<u32>,
    pub approval: Arc<Approval>,
    pub since: Wall,
    pub deadline: Wall,
    pub late: Late,
}

/// What a run has out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Released {
    /// By node or item, ascending.
    pub states: Vec<(u32, Status)>,
    /// At most [`APPROVALS_MAX`]; none if items were asked for.
    pub approvals: Vec<OpenApproval>,
}
