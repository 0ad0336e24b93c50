//! `TaskService.SubmitBatch`.

use std::sync::Arc;

use mainspring_core::decision::Rejection;
use mainspring_core::task::decide::Submit;
use mainspring_proto::v1;
use mainspring_proto::v1::submit_result::Result as Outcome;
use tonic::Request;

use super::super::status::refusal;
use super::{body, submit};
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::Keys;

/// More are checked on a thread that may take its time.
const INLINE_TASKS_MAX: usize = 200;

type Checked = Vec<Result<Submit, Problem>>;

pub(super) async fn submit(
    edge: &Arc<Edge>,
    request: Request<v1::SubmitBatchRequest>,
) -> Result<v1::SubmitBatchResponse, Problem> {
    operation::check_length(edge, request.get_ref().tasks.len())?;
    let metadata = request.metadata().clone();
    let checked = if request.get_ref().tasks.len() <= INLINE_TASKS_MAX {
        check(edge, &request)?
    } else {
        let edge = Arc::clone(edge);
        let checking = tokio::task::spawn_blocking(move || check(&edge, &request));
        checking.await.map_err(|_| Rejection::Internal { what: "a batch could not be checked" })??
    };
    let mut response = v1::SubmitBatchResponse::default();
    operation::submit_all(edge, checked, Keys::of(metadata.as_ref())?, |result| {
        let outcome = match result {
            Ok(accepted) => {
                response.accepted += 1;
                Outcome::Task(submit::response(&accepted))
            }
            Err(problem) => {
                response.refused += 1;
                Outcome::Refusal(refusal(&problem))
            }
        };
        response.results.push(v1::SubmitResult { result: Some(outcome) });
    })
    .await?;
    Ok(response)
}

fn check(edge: &Edge, request: &Request<v1::SubmitBatchRequest>) -> Result<Checked, Problem> {
    let keys: Keys<'_> = Keys::of(request.metadata().as_ref())?;
    let one = |(place, spec)| operation::prepare_in_batch(edge, &body::task(spec)?, keys, place);
    Ok(request.get_ref().tasks.iter().enumerate().map(one).collect())
}
