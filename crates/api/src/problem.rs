//! What can go wrong at the edge, in one shape: a code with a page, what is wrong, and what the caller can do next.
//! - PM-1 every code is in [`Problem::CODES`] or in `Rejection::CODES`, and has a page in `docs/errors`
//! - PM-2 a text that came from a caller is quoted, never interpreted
//!
//! Rendered to JSON in one place (`server::finish`), because only there the request's id is known.

use std::fmt;

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use mainspring_core::decision::Rejection;
use mainspring_core::key::KeyHolder;
use mainspring_core::values::{Millis, TaskId};
use mainspring_definition::Mistake;

pub use crate::problem_access::AccessProblem;
pub use crate::problem_body::{MistakeView, ProblemBody};
pub use crate::problem_calendar::CalendarProblem;
use crate::problem_events::EventProblem;
use crate::problem_status::status_of;
use crate::problem_workers::WorkerProblem;

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
    ProcessNotFound {
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
    pub const CODES: [&'static str; 38] = [
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
        "PAGE_TOO_LONG",
        "UNKNOWN_EXECUTOR",
        "TOO_MANY_FOLLOWERS",
        "RESOURCE_NAME_INVALID",
        "WORKER_IDENTITY_IN_USE",
        "WORKER_NOT_FOUND",
        "POOL_NOT_FOUND",
        "PROCESS_NOT_FOUND",
        "BAD_CRON",
        "UNKNOWN_TIME_ZONE",
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
            Self::PageTooLong { .. } => "PAGE_TOO_LONG",
            Self::UnknownExecutor { .. } => "UNKNOWN_EXECUTOR",
            Self::TooManyFollowers { .. } => "TOO_MANY_FOLLOWERS",
            Self::WorkerNotFound { .. } => "WORKER_NOT_FOUND",
            Self::PoolNotFound { .. } => "POOL_NOT_FOUND",
            Self::ProcessNotFound { .. } => "PROCESS_NOT_FOUND",
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

    pub fn status(&self) -> StatusCode {
        match self {
            Self::Rejected(rejection) => status_of(rejection),
            Self::Events(problem) => problem.status(),
            Self::Workers(problem) => problem.status(),
            Self::Access(problem) => problem.status(),
            Self::InvalidJson { .. }
            | Self::InvalidField { .. }
            | Self::InvalidQuery { .. }
            | Self::NameTooLong { .. }
            | Self::TooManyEntries { .. }
            | Self::KeyTooLong { .. }
            | Self::BodyUnreadable
            | Self::PageTooLong { .. }
            | Self::UnknownExecutor { .. } => StatusCode::BAD_REQUEST,
            Self::JobFileInvalid { .. }
            | Self::ParametersInvalid { .. }
            | Self::ScheduleInvalid { .. }
            | Self::Calendar(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::BodyTooLarge { .. } | Self::BatchTooLong { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::WorkerNotFound { .. }
            | Self::PoolNotFound { .. }
            | Self::ProcessNotFound { .. }
            | Self::NoSuchTask { .. }
            | Self::NoSuchBackfill { .. }
            | Self::NoSuchRun { .. }
            | Self::RouteNotFound { .. } => StatusCode::NOT_FOUND,
            Self::TooManyFollowers { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::MethodNotAllowed { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::ServerBusy | Self::OutcomeUnknown { .. } => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    pub fn advice(&self) -> String {
        match self {
            Self::Rejected(rejection) => rejection.advice(),
            Self::InvalidJson { .. } => "send one JSON document, in UTF-8".into(),
            Self::InvalidField { field, .. } => format!("put `{field}` right; `/docs` shows what it takes"),
            Self::InvalidQuery { parameter, .. } => {
                format!("put `{parameter}` right or leave it out; `/docs` shows what it takes")
            }
            Self::NameTooLong { .. } => "use a shorter name, and labels for the rest".into(),
            Self::TooManyEntries { field, .. } => format!("send fewer `{field}`"),
            Self::KeyTooLong { .. } => "use a shorter key, for example a hash of it".into(),
            Self::BodyTooLarge { .. } => "send less at once; big data belongs into an object store".into(),
            Self::BodyUnreadable => "send the request again".into(),
            Self::BatchTooLong { .. } => "split the batch".into(),
            Self::PageTooLong { max, .. } => format!("ask for at most {max} and follow `next_cursor`"),
            Self::UnknownExecutor { .. } => {
                "use one of `process`, `http`, `webhook`, `noop`, `sleep`, `clock`".into()
            }
            Self::TooManyFollowers { .. } => {
                "try again later; a log can be read in pieces with `offset`".into()
            }
            Self::WorkerNotFound { .. } => "list `/v1/workers`; one that is gone is forgotten".into(),
            Self::PoolNotFound { .. } => {
                "list `/v1/pools`; a pool is known while a worker or a task names it".into()
            }
            Self::ProcessNotFound { .. } => {
                "use the `process_id` that the bulk operation answered with".into()
            }
            Self::Calendar(problem) => problem.advice(),
            Self::Events(problem) => problem.advice(),
            Self::Workers(problem) => problem.advice(),
            Self::Access(problem) => problem.advice(),
            Self::JobFileInvalid { .. } => {
                "put each of `mistakes` right; nothing of the file was stored".into()
            }
            Self::ParametersInvalid { .. } => "put each of `mistakes` right; no run was made".into(),
            Self::ScheduleInvalid { .. } => "put each of `mistakes` right; nothing was stored".into(),
            Self::NoSuchRun { .. } => "an id is `run_` and 32 hexadecimal digits".into(),
            Self::NoSuchBackfill { .. } => "an id is `backfill_` and 32 hexadecimal digits".into(),
            Self::NoSuchTask { .. } => "an id is `task_` and 32 hexadecimal digits".into(),
            Self::RouteNotFound { .. } => "`/docs` lists every route".into(),
            Self::MethodNotAllowed { .. } => "`/docs` lists the methods of every route".into(),
            Self::ServerBusy => "try again later; nothing was recorded".into(),
            Self::OutcomeUnknown { id: Some(id) } => {
                format!("read {id}, or send the request again with the same idempotency key")
            }
            Self::OutcomeUnknown { id: None } => "read the task before you send the request again".into(),
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
            task_id: self.task().map(|id| id.to_string()),
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

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rejected(rejection) => rejection.fmt(f),
            Self::InvalidJson { what } => write!(f, "the body is not JSON: {what}"),
            Self::InvalidField { field, what } => write!(f, "`{field}`: {what}"),
            Self::InvalidQuery { parameter, what } => write!(f, "parameter `{parameter}`: {what}"),
            Self::NameTooLong { field, bytes, max } => {
                write!(f, "`{field}` has {bytes} bytes of at most {max}")
            }
            Self::TooManyEntries { field, count, max } => {
                write!(f, "`{field}` has {count} entries of at most {max}")
            }
            Self::KeyTooLong { bytes, max } => {
                write!(f, "the idempotency key has {bytes} bytes of at most {max}")
            }
            Self::BodyTooLarge { max } => write!(f, "the body has more than {max} bytes"),
            Self::BodyUnreadable => f.write_str("the body did not arrive whole"),
            Self::BatchTooLong { max } => write!(f, "the batch has more than {max} tasks"),
            Self::PageTooLong { limit, max } => write!(f, "a page of {limit} is longer than {max}"),
            Self::UnknownExecutor { name } => write!(f, "there is no executor `{name}`"),
            Self::TooManyFollowers { max } => write!(f, "{max} callers follow logs or events already"),
            Self::WorkerNotFound { id } => write!(f, "there is no worker `{id}`"),
            Self::PoolNotFound { name } => write!(f, "there is no pool `{name}`"),
            Self::ProcessNotFound { id } => write!(f, "there is no process `{id}`"),
            Self::Calendar(problem) => problem.fmt(f),
            Self::Events(problem) => problem.fmt(f),
            Self::Workers(problem) => problem.fmt(f),
            Self::Access(problem) => problem.fmt(f),
            Self::JobFileInvalid { mistakes } => write!(f, "the job file has {}", counted(mistakes)),
            Self::ParametersInvalid { mistakes } => write!(f, "the parameters have {}", counted(mistakes)),
            Self::ScheduleInvalid { mistakes } => write!(f, "the schedule has {}", counted(mistakes)),
            Self::NoSuchRun { id } => write!(f, "there is no run `{id}`"),
            Self::NoSuchBackfill { id } => write!(f, "there is no backfill `{id}`"),
            Self::NoSuchTask { id } => write!(f, "there is no task `{id}`"),
            Self::RouteNotFound { path } => write!(f, "there is no route `{path}`"),
            Self::MethodNotAllowed { method } => write!(f, "this route does not take `{method}`"),
            Self::ServerBusy => f.write_str("the server has too many requests waiting"),
            Self::OutcomeUnknown { .. } => {
                f.write_str("the server could not say in time what came of it: it may or may not be recorded")
            }
        }
    }
}

fn counted(mistakes: &[Mistake]) -> String {
    match mistakes.len() {
        1 => "1 mistake".to_owned(),
        count => format!("{count} mistakes"),
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
