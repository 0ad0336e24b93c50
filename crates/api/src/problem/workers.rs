//! What can be wrong with a worker that connects, or with what a task asks of workers.

use std::fmt;

use http::StatusCode;
use mainspring_core::values::{BadResourceName, WorkerId};

use super::Problem;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WorkerProblem {
    /// Another process with the same identity is connected and alive.
    IdentityInUse {
        worker: WorkerId,
        /// What that process calls itself.
        name: String,
    },
    BadResourceName {
        name: String,
        bad: BadResourceName,
    },
}

impl WorkerProblem {
    pub fn code(&self) -> &'static str {
        match self {
            Self::IdentityInUse { .. } => "WORKER_IDENTITY_IN_USE",
            Self::BadResourceName { .. } => "RESOURCE_NAME_INVALID",
        }
    }

    pub fn status(&self) -> StatusCode {
        match self {
            Self::IdentityInUse { .. } => StatusCode::CONFLICT,
            Self::BadResourceName { .. } => StatusCode::BAD_REQUEST,
        }
    }

    pub fn advice(&self) -> String {
        match self {
            Self::IdentityInUse { .. } => {
                "if its state directory was copied, remove the file `worker` there and start it again; else wait".into()
            }
            Self::BadResourceName { .. } => "use the name that the workers offer with `--resource NAME=N`".into(),
        }
    }
}

impl fmt::Display for WorkerProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdentityInUse { worker, name } => {
                write!(f, "{worker} is connected from another process (`{name}`)")
            }
            Self::BadResourceName { name, bad } => write!(f, "`{name}`: {bad}"),
        }
    }
}

impl From<WorkerProblem> for Problem {
    fn from(problem: WorkerProblem) -> Self {
        Self::Workers(problem)
    }
}
