//! Events are taken, each once, and say what they began.

use std::sync::Arc;

use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::key::{KeyClaim, KeyFact};
use mainspring_core::trigger::decide::{Declined, Publish, Published};
use mainspring_core::values::{Bucket, CloudEvent, Millis, Name, RunId};

use crate::edge::Edge;
use crate::gateway::now;
use crate::operation::{Caller, flows};
use crate::problem::Problem;
use crate::wire::{BegunView, DeclinedView, PublishedView, event_scope};

/// In the order of the events. If one is refused so is the request; what was taken before it is known by its id when
/// it comes again.
pub(crate) async fn publish(
    edge: &Edge,
    tenant: &Name,
    notices: Vec<CloudEvent>,
    caller: &Caller<'_>,
) -> Result<Vec<PublishedView>, Problem> {
    // Each event is known by its own id; a key says only that the request is the same.
    caller.claim(edge, "events").await?;
    let notices: Vec<Arc<CloudEvent>> = notices.into_iter().map(Arc::new).collect();
    let commands: Vec<Command> = notices.iter().map(|notice| command(edge, tenant, notice)).collect();
    if commands.is_empty() {
        return Ok(Vec::new());
    }
    let answers = edge.gateway.ask_all(Bucket::from_hash(0), commands).await?;
    let mut views = Vec::with_capacity(notices.len());
    for (notice, answer) in notices.iter().zip(answers) {
        let Answer::Published(published) = answer? else {
            return Err(Rejection::Internal { what: "an event was answered with something else" }.into());
        };
        views.push(view(edge, notice, *published).await);
    }
    Ok(views)
}

fn command(edge: &Edge, tenant: &Name, notice: &Arc<CloudEvent>) -> Command {
    let expires = now() + Millis::new(edge.config.key_life.as_millis() as u64);
    // Source and id alone make an event; whatever else differs is not looked at.
    let claim = KeyClaim { scope: event_scope(tenant, &notice.source, &notice.id), request: 0, expires };
    Command::Publish(Box::new(Publish {
        tenant: tenant.clone(),
        notice: notice.clone(),
        key: (claim, KeyFact::Absent),
        base: RunId::from_bits(edge.gateway.mint(None).bits()),
    }))
}

async fn view(edge: &Edge, notice: &CloudEvent, published: Published) -> PublishedView {
    let (id, source) = (notice.id.to_string(), notice.source.to_string());
    match published {
        Published::Taken { runs, skipped, errors } => {
            let begun = runs.into_iter().map(|begun| BegunView {
                run_id: begun.run.to_string(),
                job: Some(begun.key.job.to_string()),
                trigger: Some(begun.key.name.to_string()),
            });
            let (runs, duplicate) = (begun.collect(), false);
            PublishedView { id, source, duplicate, runs, skipped: told(skipped), errors: told(errors) }
        }
        Published::Duplicate { runs } => {
            let mut begun = Vec::with_capacity(runs.len());
            for run in runs {
                // One that history has dropped is named all the same.
                let found = flows::run(edge, run).await.ok();
                let cause = found.as_ref().and_then(|found| found.cause.as_ref());
                begun.push(BegunView {
                    run_id: run.to_string(),
                    job: found.as_ref().map(|found| found.job.name.to_string()),
                    trigger: cause.map(|cause| cause.trigger.to_string()),
                });
            }
            let none = Vec::new();
            PublishedView { id, source, duplicate: true, runs: begun, skipped: none, errors: Vec::new() }
        }
    }
}

fn told(declined: Vec<Declined>) -> Vec<DeclinedView> {
    let view = |declined: Declined| DeclinedView {
        job: declined.key.job.to_string(),
        trigger: declined.key.name.to_string(),
        what: declined.what.to_string(),
    };
    declined.into_iter().map(view).collect()
}
