//! `TaskService.CancelMany` and `GetProcess`.

use mainspring_core::engine::question::Progress;
use mainspring_proto::v1;

use super::super::call::Call;
use super::parse_status;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::{SelectorBody, status_word};

pub(super) async fn cancel_many(
    edge: &Edge,
    call: &Call<v1::CancelManyRequest>,
) -> Result<v1::Process, Problem> {
    let v1::CancelManyRequest { tenant, job, pool, labels, all, force, task_type, states, actor, reason } =
        call.message.clone();
    let labels = labels.into_iter().collect();
    let word = |number: &i32| {
        let status = parse_status(*number).ok_or_else(|| Problem::field("state", "unknown state"))?;
        Ok(status_word(status).to_owned())
    };
    let state = states.iter().map(word).collect::<Result<_, Problem>>()?;
    let wanted = SelectorBody { tenant, job, pool, task_type, labels, state, all, force, actor, reason };
    Ok(message(operation::cancel_many(edge, &wanted, &call.caller()?).await?))
}

pub(super) async fn process(edge: &Edge, request: &v1::GetProcessRequest) -> Result<v1::Process, Problem> {
    Ok(message(operation::process(edge, &request.process_id.to_string()).await?))
}

fn message(progress: Progress) -> v1::Process {
    let Progress { id, running, handled } = progress;
    v1::Process { process_id: id.get(), running, handled }
}
