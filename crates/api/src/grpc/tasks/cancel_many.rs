//! `TaskService.CancelMany` and `GetProcess`.

use mainspring_core::question::Progress;
use mainspring_proto::v1;

use super::super::call::Call;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::SelectorBody;

pub(super) async fn cancel_many(
    edge: &Edge,
    call: &Call<v1::CancelManyRequest>,
) -> Result<v1::Process, Problem> {
    let v1::CancelManyRequest { tenant, job, pool, labels, all, force } = call.message.clone();
    let labels = labels.into_iter().collect();
    let wanted = SelectorBody { tenant, job, pool, labels, all, force };
    Ok(message(operation::cancel_many(edge, &wanted, &call.caller()?).await?))
}

pub(super) async fn process(edge: &Edge, request: &v1::GetProcessRequest) -> Result<v1::Process, Problem> {
    Ok(message(operation::process(edge, &request.process_id.to_string()).await?))
}

fn message(progress: Progress) -> v1::Process {
    let Progress { id, running, handled } = progress;
    v1::Process { process_id: id.get(), running, handled }
}
