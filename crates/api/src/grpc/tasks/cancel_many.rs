//! `TaskService.CancelMany` and `GetOperation`.

use mainspring_core::engine::question::Progress;
use mainspring_proto::v1;

use super::super::call::Call;
use super::parse_status;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::SelectorBody;

pub(super) async fn cancel_many(
    edge: &Edge,
    call: &Call<v1::CancelManyRequest>,
) -> Result<v1::Operation, Problem> {
    let v1::CancelManyRequest { tenant, job, pool, labels, all, force, task_type, states, actor, reason } =
        call.message.clone();
    let labels = labels.into_iter().collect();
    let word = |number: &i32| {
        let status = parse_status(*number).ok_or_else(|| Problem::field("state", "unknown state"))?;
        Ok(status.label().to_owned())
    };
    let state = states.iter().map(word).collect::<Result<_, Problem>>()?;
    let wanted = SelectorBody { tenant, job, pool, task_type, labels, state, all, force, actor, reason };
    Ok(message(operation::cancel_many(edge, &wanted, &call.caller()?).await?))
}

pub(super) async fn operation(
    edge: &Edge,
    request: &v1::GetOperationRequest,
) -> Result<v1::Operation, Problem> {
    Ok(message(operation::operation(edge, &request.operation_id.to_string()).await?))
}

pub(in crate::grpc) fn message(progress: Progress) -> v1::Operation {
    let Progress { id, running, handled } = progress;
    v1::Operation { operation_id: id.get(), running, handled }
}
