//! Events are taken, each once, and say what they began.

use std::sync::Arc;

use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::key::{KeyClaim, KeyFact};
use mainspring_core::trigger::decide::{Begun, Declined, Publish, Published};
use mainspring_core::values::{CloudEvent, Name, RunId};

use crate::edge::Edge;
use crate::operation::audit::Change;
use crate::operation::{Caller, flows};
use crate::problem::{EventProblem, Problem};
use crate::wire::{BegunView, DeclinedView, OverrideBody, PublishedView, check_event, event_scope};

/// Events of callers, who may not speak in the server's name. With [`publish`] for the rest.
pub(crate) async fn publish_batch(
    edge: &Edge,
    tenant: &Name,
    notices: Vec<CloudEvent>,
    caller: &Caller<'_>,
) -> Result<Vec<PublishedView>, Problem> {
    let is_batch = notices.len() > 1;
    for (index, notice) in notices.iter().enumerate() {
        check_event(notice)
            .map_err(|problem| if is_batch { EventProblem::at(problem, index) } else { problem })?;
    }
    publish(edge, tenant, notices, caller).await
}

/// In the order of the events. If one is refused so is the request; what was taken before it is known by its id when
/// it comes again.
pub(crate) async fn publish(
    edge: &Edge,
    tenant: &Name,
    notices: Vec<CloudEvent>,
    caller: &Caller<'_>,
) -> Result<Vec<PublishedView>, Problem> {
    let by = Change::said("events were published", &OverrideBody::default(), caller)?;
    // Each event is known by its own id; a key says only that the request is the same.
    caller.claim(edge, "events").await?;
    let notices: Vec<Arc<CloudEvent>> = notices.into_iter().map(Arc::new).collect();
    let commands: Vec<Command> = notices.iter().map(|notice| command(edge, tenant, notice)).collect();
    if commands.is_empty() {
        return Ok(Vec::new());
    }
    let answers = edge.gateway.ask_all(edge.gateway.tenant(tenant), commands).await?;
    let mut views = Vec::with_capacity(notices.len());
    for (notice, answer) in notices.iter().zip(answers) {
        let Answer::Published(published) = answer? else {
            return Err(Rejection::Internal { what: "an event was answered with something else" }.into());
        };
        views.push(view(edge, notice, *published).await);
    }
    let new = views.iter().filter(|view| !view.duplicate).count();
    if let Some(by) = by.filter(|_| new > 0) {
        by.done_often(format_args!("{new} of tenant {tenant}"));
    }
    Ok(views)
}

fn command(edge: &Edge, tenant: &Name, notice: &Arc<CloudEvent>) -> Command {
    let expires = edge.key_expires();
    // Source and id alone make an event; whatever else differs is not looked at.
    let (scope, group) = (event_scope(tenant, &notice.source, &notice.id), edge.gateway.home(tenant).group());
    let claim = KeyClaim { scope, request: 0, expires, group };
    Command::Publish(Box::new(Publish {
        tenant: tenant.clone(),
        notice: notice.clone(),
        key: (claim, KeyFact::Absent),
        base: RunId::from_bits(edge.gateway.mint(tenant).bits()),
    }))
}

async fn view(edge: &Edge, notice: &CloudEvent, published: Published) -> PublishedView {
    let mut view = PublishedView {
        id: notice.id.to_string(),
        source: notice.source.to_string(),
        duplicate: matches!(published, Published::Duplicate { .. }),
        runs: Vec::new(),
        skipped: Vec::new(),
        errors: Vec::new(),
    };
    match published {
        Published::Taken { runs, skipped, errors } => {
            let begun = |begun: Begun| begun_view(begun.run, Some(&begun.key.job), Some(&begun.key.name));
            view.runs = runs.into_iter().map(begun).collect();
            (view.skipped, view.errors) = (told(skipped), told(errors));
        }
        Published::Duplicate { runs } => {
            for run in runs {
                // One that history has dropped is named all the same.
                let found = flows::run(edge, run).await.ok();
                let cause = found.as_ref().and_then(|found| found.origin.cause.as_ref());
                let job = found.as_ref().map(|found| &found.job.name);
                view.runs.push(begun_view(run, job, cause.map(|cause| &cause.trigger)));
            }
        }
    }
    view
}

fn begun_view(run: RunId, job: Option<&Name>, trigger: Option<&Name>) -> BegunView {
    BegunView {
        run_id: run.to_string(),
        job: job.map(ToString::to_string),
        trigger: trigger.map(ToString::to_string),
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
