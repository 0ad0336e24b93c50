//! What is wrong, and what the caller can do next, in words.

use std::fmt;

use mainspring_definition::Mistake;

use super::Problem;

impl Problem {
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
            Self::CursorExpired => "begin the list again, without `cursor`".into(),
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
            Self::OperationNotFound { .. } => {
                "use the `operation_id` that the bulk operation answered with".into()
            }
            Self::Calendar(problem) => problem.advice(),
            Self::Events(problem) => problem.advice(),
            Self::Workers(problem) => problem.advice(),
            Self::Access(problem) => problem.advice(),
            Self::JobFileInvalid { .. } => {
                "fix what `mistakes` lists; nothing of the file was stored".into()
            }
            Self::ParametersInvalid { .. } => "fix the parameters that `mistakes` lists; no run was started".into(),
            Self::ScheduleInvalid { .. } => "fix what `mistakes` lists; nothing was stored".into(),
            Self::NoSuchRun { .. } => "an id is `run_` and 32 hexadecimal digits".into(),
            Self::NoSuchBackfill { .. } => "an id is `backfill_` and 32 hexadecimal digits".into(),
            Self::NoSuchTask { id } if id.starts_with("schedule_") => "a task that recurs is read, changed and cancelled under `/v1/tasks`; for everything else use \
                 the tasks that it began, or its schedule under `/v1/schedules`"
                .into(),
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
            Self::CursorExpired => f.write_str("the server was restarted since it gave this `cursor`"),
            Self::PageTooLong { limit, max } => write!(f, "a page of {limit} is longer than {max}"),
            Self::UnknownExecutor { name } => write!(f, "there is no executor `{name}`"),
            Self::TooManyFollowers { max } => write!(f, "{max} callers follow logs or events already"),
            Self::WorkerNotFound { id } => write!(f, "there is no worker `{id}`"),
            Self::PoolNotFound { name } => write!(f, "there is no pool `{name}`"),
            Self::OperationNotFound { id } => write!(f, "there is no operation `{id}`"),
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
