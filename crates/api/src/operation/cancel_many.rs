//! Cancel everything that matches and is there now: bulk work in a form of its own.

use super::{Caller, bulk};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::{BulkBody, OperationView, SelectorBody};

pub(crate) async fn cancel_many(
    edge: &Edge,
    wanted: &SelectorBody,
    caller: &Caller<'_>,
) -> Result<OperationView, Problem> {
    wanted.check()?;
    let wanted = BulkBody {
        verb: "cancel_tasks".into(),
        tenant: wanted.tenant.clone(),
        job: wanted.job.clone(),
        pool: wanted.pool.clone(),
        task_type: wanted.task_type.clone(),
        labels: wanted.labels.clone(),
        state: wanted.state.clone(),
        all: wanted.all,
        force: wanted.force,
        dry_run: wanted.dry_run,
        actor: wanted.actor.clone(),
        reason: wanted.reason.clone(),
        ..BulkBody::default()
    };
    bulk(edge, &wanted, caller).await
}
