//! Ends of runs, and of tasks outside of runs, as events of the same shape as those from outside.

use std::sync::Arc;

use super::FAN_OUT_MAX;
use crate::decision::View;
use crate::operation::Announcement;
use crate::run::decide::NESTING_MAX;
use crate::run::{EndFacts, Run};
use crate::task::Status;
use crate::trigger::LedgerWindow;
use crate::values::{CloudEvent, DEPTH_MAX, Name, RunId, RunStatus, TaskId, TriggerId};

/// Triggers beyond the fan-out that decide so; the others do not hear of the event.
pub(crate) const FAN_OUT_TOLD_MAX: usize = 200;

/// `None`: nobody wants to know.
pub(crate) fn end_of_run(view: &View<'_>, id: RunId) -> Option<Announcement> {
    let run = view.state.job_runs.run(id)?;
    let status = run.status.label();
    let tenant = &run.job.tenant;
    let source = format!("/jobs/{}", run.job.name);
    let bare = bare(view, format!("mainspring.run.{status}"), source, id.to_string());
    let succeeded = run.status == RunStatus::Succeeded;
    let after = if succeeded { view.state.triggers.after_job(tenant, &run.job.name) } else { &[] };
    let triggers = wanted_by(view, tenant, &bare, after)?;
    let data = view.evaluate.tell(&EndFacts {
        job: &run.job.name,
        run: Some(id),
        task: None,
        status,
        window: run.origin.window.as_deref(),
        output: run.output.as_ref(),
    });
    let window = run.origin.window.as_deref();
    Some(Announcement {
        tenant: tenant.clone(),
        notice: Arc::new(CloudEvent { data: Some(data), ..bare }),
        ended: id.bits(),
        depth: depth(view, run),
        job: run.job.name.clone(),
        window: window.map(|one| LedgerWindow { at: one.at, schedule: one.schedule, from: one.from }),
        triggers,
        before: 0,
    })
}

pub(crate) fn end_of_task(view: &View<'_>, id: TaskId) -> Option<Announcement> {
    let task = view.state.tasks.by_id(id).filter(|task| task.in_run.is_none())?;
    let status = match task.status() {
        status if !status.is_ended() => return None,
        Status::Quarantined => Status::Failed.label(),
        status => status.label(),
    };
    let tenant = &task.profile.tenant;
    let bare = bare(view, format!("mainspring.task.{status}"), "/tasks".to_owned(), id.to_string());
    let triggers = wanted_by(view, tenant, &bare, &[])?;
    let extra = task.extra.as_deref();
    let data = view.evaluate.tell(&EndFacts {
        job: &task.profile.job,
        run: None,
        task: Some(id),
        status,
        window: extra.and_then(|extra| extra.window.as_deref()),
        output: extra.and_then(|extra| extra.output.as_ref()),
    });
    Some(Announcement {
        tenant: tenant.clone(),
        notice: Arc::new(CloudEvent { data: Some(data), ..bare }),
        ended: id.bits(),
        depth: 0,
        job: task.profile.job.clone(),
        window: None,
        triggers,
        before: 0,
    })
}

/// The triggers that want this event, those of events first. `None`: nobody wants it, not even a task that waits.
fn wanted_by(
    view: &View<'_>,
    tenant: &Name,
    notice: &CloudEvent,
    after: &[TriggerId],
) -> Option<Vec<TriggerId>> {
    let mut triggers = view.state.triggers.matching(tenant, notice);
    triggers.truncate(FAN_OUT_MAX + FAN_OUT_TOLD_MAX);
    triggers.extend(after);
    (!triggers.is_empty() || view.wait_index.awaits(tenant, notice)).then_some(triggers)
}

/// Without data. Something that ends again, because somebody cleared it, ends in another record.
fn bare(view: &View<'_>, kind: String, source: String, subject: String) -> CloudEvent {
    CloudEvent {
        id: format!("{subject}-{}", view.state.seq.get()).into(),
        source: source.into(),
        kind: kind.into(),
        subject: Some(subject.into()),
        time: Some(view.state.now.wall),
        data: None,
    }
}

/// How many runs began each other by their ends, up to this one; runs inside of runs count as their parents.
fn depth(view: &View<'_>, run: &Run) -> u8 {
    let mut run = Some(run);
    for _ in 0..=NESTING_MAX {
        let Some(here) = run else { return 0 };
        if let Some(cause) = &here.origin.cause {
            return cause.depth.min(DEPTH_MAX);
        }
        run = here.origin.parent.and_then(|origin| view.state.job_runs.run(origin.run));
    }
    0
}
