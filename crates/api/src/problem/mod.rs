//! What can go wrong at the edge, in one shape: a code with a page, what is wrong, and what the caller can do next.
//! - PM-1 every code is in [`Problem::CODES`] or in `Rejection::CODES`, and has a page in `docs/errors`
//! - PM-2 a text that came from a caller is quoted, never interpreted
//!
//! Rendered to JSON in one place (`server::finish`), because only there the request's id is known.

mod access;
mod body;
mod calendar;
mod events;
mod status;
mod text;
mod workers;

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use mainspring_core::decision::Rejection;
use mainspring_core::key::KeyHolder;
use mainspring_core::values::{Millis, TaskId};
use mainspring_definition::Mistake;

use self::status::status_of;
pub use self::{
    access::AccessProblem,
    body::{MistakeView, ProblemBody},
    calendar::CalendarProblem,
    events::EventProblem,
    workers::WorkerProblem,
};

#[derive(Clone, PartialEq, Debug)]
pub enum Problem {
    /// The core refused.
    Rejected(Rejection),
    InvalidJson {
        what: String,
    },
    InvalidField {
        field: &'static str,
        what: String,
    },
    InvalidQuery {
        parameter: String,
        what: String,
    },
    NameTooLong {
        field: &'static str,
        bytes: usize,
        max: usize,
    },
    TooManyEntries {
        field: &'static str,
        count: usize,
        max: usize,
    },
    KeyTooLong {
        bytes: usize,
        max: usize,
    },
    BodyTooLarge {
        max: usize,
    },
    BodyUnreadable,
    BatchTooLong {
        max: usize,
    },
    /// The place that a cursor names is gone: the shard was opened anew, or is another one.
    CursorExpired,
    PageTooLong {
        limit: usize,
        max: usize,
    },
    UnknownExecutor {
        name: String,
    },
    TooManyFollowers {
        max: usize,
    },
    WorkerNotFound {
        id: String,
    },
    PoolNotFound {
        name: String,
    },
    OperationNotFound {
        id: String,
    },
    Calendar(CalendarProblem),
    Events(EventProblem),
    Workers(WorkerProblem),
    Access(AccessProblem),
    /// All its mistakes at once.
    JobFileInvalid {
        mistakes: Vec<Mistake>,
    },
    ParametersInvalid {
        mistakes: Vec<Mistake>,
    },
    ScheduleInvalid {
        mistakes: Vec<Mistake>,
    },
    /// The text in the path is no id, so there is no such run.
    NoSuchRun {
        id: String,
    },
    /// The text in the path is no id, so there is no such backfill.
    NoSuchBackfill {
        id: String,
    },
    /// The text in the path is no id, so there is no such task.
    NoSuchTask {
        id: String,
    },
    RouteNotFound {
        path: String,
    },
    MethodNotAllowed {
        method: String,
    },
    /// The mailbox stayed full.
    ServerBusy,
    /// The shard took the command and stopped before it answered.
    OutcomeUnknown {
        id: Option<TaskId>,
    },
}

impl Problem {
    /// Every code that is the edge's own; those of the core are in `Rejection::CODES`.
    pub const CODES: [&'static str; 41] = [
        "UNAUTHENTICATED",
        "HOST_NOT_ALLOWED",
        "ORIGIN_NOT_ALLOWED",
        "UNSUPPORTED_MEDIA_TYPE",
        "EVENT_INVALID",
        "EVENT_RESERVED",
        "EVENT_MEDIA_TYPE",
        "EVENT_BATCH_TOO_LONG",
        "TRIGGER_NOT_FOUND",
        "WEBHOOK_NOT_FOUND",
        "FEED_GONE",
        "WEBHOOK_SIGNATURE_INVALID",
        "WEBHOOK_TIMESTAMP_INVALID",
        "INVALID_JSON",
        "INVALID_FIELD",
        "INVALID_QUERY",
        "NAME_TOO_LONG",
        "TOO_MANY_ENTRIES",
        "IDEMPOTENCY_KEY_TOO_LONG",
        "BODY_TOO_LARGE",
        "BODY_UNREADABLE",
        "BATCH_TOO_LONG",
        "CURSOR_EXPIRED",
        "PAGE_TOO_LONG",
        "UNKNOWN_EXECUTOR",
        "TOO_MANY_FOLLOWERS",
        "RESOURCE_NAME_INVALID",
        "WORKER_IDENTITY_IN_USE",
        "WORKER_NOT_FOUND",
        "POOL_NOT_FOUND",
        "OPERATION_NOT_FOUND",
        "BAD_CRON",
        "UNKNOWN_TIME_ZONE",
        "TIMING_DOES_NOT_FIT",
        "JOB_FILE_INVALID",
        "PARAMETERS_INVALID",
        "SCHEDULE_INVALID",
        "ROUTE_NOT_FOUND",
        "METHOD_NOT_ALLOWED",
        "SERVER_BUSY",
        "OUTCOME_UNKNOWN",
    ];

    pub fn field(field: &'static str, what: impl Into<String>) -> Self {
        Self::InvalidField { field, what: what.into() }
    }

    pub fn query(parameter: &str, what: impl Into<String>) -> Self {
        Self::InvalidQuery { parameter: parameter.chars().take(50).collect(), what: what.into() }
    }

    pub fn code(&self) -> &'static str {
        match self {
            Self::Rejected(rejection) => rejection.code(),
            Self::InvalidJson { .. } => "INVALID_JSON",
            Self::InvalidField { .. } => "INVALID_FIELD",
            Self::InvalidQuery { .. } => "INVALID_QUERY",
            Self::NameTooLong { .. } => "NAME_TOO_LONG",
            Self::TooManyEntries { .. } => "TOO_MANY_ENTRIES",
            Self::KeyTooLong { .. } => "IDEMPOTENCY_KEY_TOO_LONG",
            Self::BodyTooLarge { .. } => "BODY_TOO_LARGE",
            Self::BodyUnreadable => "BODY_UNREADABLE",
            Self::BatchTooLong { .. } => "BATCH_TOO_LONG",
            Self::CursorExpired => "CURSOR_EXPIRED",
            Self::PageTooLong { .. } => "PAGE_TOO_LONG",
            Self::UnknownExecutor { .. } => "UNKNOWN_EXECUTOR",
            Self::TooManyFollowers { .. } => "TOO_MANY_FOLLOWERS",
            Self::WorkerNotFound { .. } => "WORKER_NOT_FOUND",
            Self::PoolNotFound { .. } => "POOL_NOT_FOUND",
            Self::OperationNotFound { .. } => "OPERATION_NOT_FOUND",
            Self::Calendar(problem) => problem.code(),
            Self::Events(problem) => problem.code(),
            Self::Workers(problem) => problem.code(),
            Self::Access(problem) => problem.code(),
            Self::JobFileInvalid { .. } => "JOB_FILE_INVALID",
            Self::ParametersInvalid { .. } => "PARAMETERS_INVALID",
            Self::ScheduleInvalid { .. } => "SCHEDULE_INVALID",
            Self::NoSuchRun { .. } => "RUN_NOT_FOUND",
            Self::NoSuchBackfill { .. } => "BACKFILL_NOT_FOUND",
            Self::NoSuchTask { .. } => "TASK_NOT_FOUND",
            Self::RouteNotFound { .. } => "ROUTE_NOT_FOUND",
            Self::MethodNotAllowed { .. } => "METHOD_NOT_ALLOWED",
            Self::ServerBusy => "SERVER_BUSY",
            Self::OutcomeUnknown { .. } => "OUTCOME_UNKNOWN",
        }
    }

    pub fn retry_after(&self) -> Option<Millis> {
        match self {
            Self::Rejected(rejection) => rejection.retry_after().or_else(|| {
                let status = status_of(rejection);
                let later =
                    status == StatusCode::SERVICE_UNAVAILABLE || status == StatusCode::TOO_MANY_REQUESTS;
                later.then_some(Millis::from_secs(1))
            }),
            Self::ServerBusy | Self::OutcomeUnknown { .. } | Self::TooManyFollowers { .. } => {
                Some(Millis::from_secs(1))
            }
            _ => None,
        }
    }

    /// The task that it is about, if the caller named one or we did.
    pub fn task(&self) -> Option<TaskId> {
        match self {
            Self::Rejected(
                Rejection::TaskNotFound { id }
                | Rejection::TaskAlreadyRunning { id }
                | Rejection::TaskAlreadyEnded { id, .. }
                | Rejection::TaskAlreadyStarted { id, .. }
                | Rejection::TaskNotEnded { id, .. }
                | Rejection::NotADeadLetter { id, .. }
                | Rejection::KeyReused { existing: KeyHolder::Task(id) },
            ) => Some(*id),
            Self::OutcomeUnknown { id } => *id,
            _ => None,
        }
    }

    /// The error as it goes out.
    pub fn body(&self, request_id: &str) -> ProblemBody {
        ProblemBody {
            error_code: self.code(),
            message: self.to_string(),
            advice: self.advice(),
            retry_after_ms: self.retry_after().map(Millis::get),
            task_id: match self {
                Self::NoSuchTask { id } => Some(id.clone()),
                _ => self.task().map(|id| id.to_string()),
            },
            mistakes: match self {
                Self::JobFileInvalid { mistakes }
                | Self::ParametersInvalid { mistakes }
                | Self::ScheduleInvalid { mistakes } => mistakes.iter().map(MistakeView::of).collect(),
                _ => Vec::new(),
            },
            request_id: request_id.to_owned(),
            docs: format!("/docs/errors/{}", self.code()),
        }
    }
}

/// Leaves the problem in the response for `server::finish`.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}
