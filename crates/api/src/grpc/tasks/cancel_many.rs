//! `TaskService.CancelMany`.

use mainspring_proto::v1;

use super::super::call::Call;
use super::super::operations::message;
use super::parse_status;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::SelectorBody;

pub(super) async fn cancel_many(
    edge: &Edge,
    call: &Call<v1::CancelManyRequest>,
) -> Result<v1::Operation, Problem> {
    let wish = call.message.clone();
    let word = |number: &i32| {
        let status = parse_status(*number).ok_or_else(|| Problem::field("state", "unknown state"))?;
        Ok(status.label().to_owned())
    };
    let wanted = SelectorBody {
        state: wish.states.iter().map(word).collect::<Result<_, Problem>>()?,
        tenant: wish.tenant,
        job: wish.job,
        pool: wish.pool,
        task_type: wish.task_type,
        labels: wish.labels.into_iter().collect(),
        all: wish.all,
        force: wish.force,
        dry_run: wish.dry_run,
        actor: wish.actor,
        reason: wish.reason,
    };
    Ok(message(operation::cancel_many(edge, &wanted, &call.caller()?).await?))
}
