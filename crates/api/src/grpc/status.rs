//! A problem as gRPC tells it: a status, with what REST has in its body as the standard details.

use std::collections::HashMap;
use std::time::Duration;

use http::StatusCode;
use mainspring_core::decision::Rejection;
use mainspring_core::run::RunRefusal;
use mainspring_core::values::Millis;
use mainspring_proto::v1;
use tonic::{Code, Response, Status};
use tonic_types::{ErrorDetails, StatusExt};

use super::time::duration;
use crate::edge::Edge;
use crate::problem::{Problem, WorkerProblem};
use crate::record;
use crate::server::RequestId;

const DOMAIN: &str = "mainspring";

/// The id of a call, for what is said of it.
pub(super) fn request_id<T>(request: &tonic::Request<T>) -> RequestId {
    request.extensions().get::<RequestId>().cloned().unwrap_or_default()
}

pub(super) fn answer<T>(
    edge: &Edge,
    id: &RequestId,
    result: Result<T, Problem>,
) -> Result<Response<T>, Status> {
    let mut response = result.map(Response::new).map_err(|problem| refuse(edge, id, &problem))?;
    record::stamp(edge, response.metadata_mut().as_mut());
    Ok(response)
}

/// Counts and logs it as `server::finish` does for REST.
pub(super) fn refuse(edge: &Edge, id: &RequestId, problem: &Problem) -> Status {
    edge.metrics.note_refused(problem.code());
    if problem.status().is_server_error() {
        tracing::warn!(code = problem.code(), request = id.as_str(), what = %problem, "a request failed");
    }
    status(problem, id.as_str())
}

/// For what is no method of ours.
pub(super) fn unimplemented(id: &RequestId, problem: &Problem) -> Status {
    with_code(Code::Unimplemented, problem, id.as_str())
}

/// Why the server ended the session of a worker.
pub(crate) fn of_session(problem: &Problem) -> Status {
    status(problem, "")
}

fn status(problem: &Problem, request_id: &str) -> Status {
    with_code(code(problem), problem, request_id)
}

fn with_code(code: Code, problem: &Problem, request_id: &str) -> Status {
    let body = problem.body(request_id);
    let mut about = HashMap::from([("advice".to_owned(), body.advice), ("docs".to_owned(), body.docs)]);
    about.extend(body.task_id.map(|id| ("task_id".to_owned(), id)));
    let mut details = ErrorDetails::new();
    details.set_error_info(body.error_code, DOMAIN, about);
    details.set_request_info(request_id, "");
    if let Some(ms) = body.retry_after_ms {
        details.set_retry_info(Some(Duration::from_millis(ms)));
    }
    Status::with_error_details(code, body.message, details)
}

/// For one of many that were asked for together.
pub(super) fn refusal(problem: &Problem) -> v1::Refusal {
    let body = problem.body("");
    v1::Refusal {
        error_code: body.error_code.to_owned(),
        message: body.message,
        advice: body.advice,
        retry_after: body.retry_after_ms.map(|ms| duration(Millis::new(ms))),
        task_id: body.task_id.unwrap_or_default(),
        docs: body.docs,
    }
}

/// By the HTTP status, so that a problem is classed in one place.
fn code(problem: &Problem) -> Code {
    if let Problem::Rejected(Rejection::Run(refusal)) = problem
        && let RunRefusal::LogicalTimeReused { .. } = &**refusal
    {
        return Code::AlreadyExists;
    }
    if let Problem::Rejected(Rejection::KeyReused { .. })
    | Problem::Workers(WorkerProblem::IdentityInUse { .. }) = problem
    {
        return Code::AlreadyExists;
    }
    match problem.status() {
        StatusCode::UNAUTHORIZED => Code::Unauthenticated,
        StatusCode::FORBIDDEN => Code::PermissionDenied,
        StatusCode::NOT_FOUND => Code::NotFound,
        StatusCode::METHOD_NOT_ALLOWED => Code::Unimplemented,
        StatusCode::CONFLICT => Code::FailedPrecondition,
        StatusCode::GONE => Code::OutOfRange,
        StatusCode::PRECONDITION_FAILED => Code::Aborted,
        StatusCode::TOO_MANY_REQUESTS => Code::ResourceExhausted,
        // What gRPC libraries themselves say of a message that is too large.
        StatusCode::PAYLOAD_TOO_LARGE if matches!(problem, Problem::BodyTooLarge { .. }) => {
            Code::ResourceExhausted
        }
        StatusCode::SERVICE_UNAVAILABLE => Code::Unavailable,
        StatusCode::INTERNAL_SERVER_ERROR => Code::Internal,
        _ => Code::InvalidArgument,
    }
}

#[cfg(test)]
mod tests {
    use mainspring_core::key::KeyHolder;
    use mainspring_core::task::Status as TaskStatus;
    use mainspring_core::values::TaskId;

    use super::*;

    #[test]
    fn each_kind_of_problem_has_its_code() {
        let id = TaskId::from_bits(7);
        let rows = [
            (Problem::Rejected(Rejection::TaskNotFound { id }), Code::NotFound, false),
            (
                Problem::Rejected(Rejection::KeyReused { existing: KeyHolder::Task(id) }),
                Code::AlreadyExists,
                false,
            ),
            (
                Problem::Rejected(Rejection::TaskNotEnded { id, status: TaskStatus::Queued }),
                Code::FailedPrecondition,
                false,
            ),
            (Problem::Rejected(Rejection::TooManyTasks { held: 1, max: 1 }), Code::ResourceExhausted, true),
            (
                Problem::Rejected(Rejection::StoreBehind { retry_after: Millis::from_secs(3) }),
                Code::Unavailable,
                true,
            ),
            (Problem::Rejected(Rejection::NotOwner), Code::Unavailable, true),
            (
                Problem::Rejected(Rejection::StateNotForcible { status: TaskStatus::Running }),
                Code::InvalidArgument,
                false,
            ),
            (Problem::ServerBusy, Code::Unavailable, true),
            (Problem::BodyTooLarge { max: 1 }, Code::ResourceExhausted, false),
            (Problem::BatchTooLong { max: 1 }, Code::InvalidArgument, false),
            (Problem::Rejected(Rejection::Internal { what: "x" }), Code::Internal, false),
            (Problem::field("job", "x"), Code::InvalidArgument, false),
        ];
        for (problem, code, later) in rows {
            let status = status(&problem, "req_1");
            let details = status.get_error_details();
            assert_eq!(status.code(), code, "{problem:?}");
            assert_eq!(details.retry_info().is_some(), later, "{problem:?}");
            let info = details.error_info().expect("an error has its info");
            assert_eq!((info.reason.as_str(), info.domain.as_str()), (problem.code(), "mainspring"));
            assert_eq!(info.metadata["docs"], format!("/docs/errors/{}", problem.code()));
            assert_eq!(info.metadata.contains_key("task_id"), problem.task().is_some(), "{problem:?}");
            assert_eq!(details.request_info().map(|info| info.request_id.as_str()), Some("req_1"));
        }
    }
}
