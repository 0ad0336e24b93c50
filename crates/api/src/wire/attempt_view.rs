//! One attempt as callers read it, inside its task.
//! - AV-1 what nobody knows is absent, never zero

use mainspring_core::task::{Status, Task};
use mainspring_core::values::{AttemptDetails, AttemptId, FailureClass, Millis, Wall};
use serde::Serialize;

use super::task_body::ResourcesBody;
use super::task_view::ErrorView;
use super::time::Moment;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Attempt"))]
pub(crate) struct AttemptView<'a> {
    pub number: u32,
    pub attempt_id: String,
    /// As text: some readers keep only 53 bits of a number.
    pub fence: String,
    pub worker: String,
    pub assigned_at: Moment,
    /// When it began on the worker, by the scheduler's clock; absent if the worker did not say how long it ran
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    /// From its assignment to its end
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    #[cfg_attr(test, schemars(extend("enum" = [
        "live", "succeeded", "failed", "timed_out", "worker_lost", "preempted", "cancelled",
    ])))]
    pub outcome: &'static str,
    /// Of a process, as far as it is known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorView<'a>>,
    /// What it asked for; absent if that is nothing
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<ResourcesBody<'a>>,
    /// As far as it is known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<UsedView>,
    /// The last progress that it reported
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<&'a str>,
    /// The named limit that was full before it; absent if its task waited for a worker or not at all
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waited_for_limit: Option<&'a str>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "AttemptUsage"))]
pub(crate) struct UsedView {
    /// The most memory that it had at once
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_peak_bytes: Option<u64>,
    /// Processor time of all its processes, user and system
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<u64>,
}

/// The failed ones, and the one that runs or succeeded.
pub(super) fn attempts(task: &Task) -> Vec<AttemptView<'_>> {
    let is_process = &*task.profile.executor == "process";
    let failed = task.failures().iter().map(|attempt| AttemptView {
        number: attempt.number,
        attempt_id: AttemptId { task: task.id, fence: attempt.fence }.to_string(),
        fence: attempt.fence.bits().to_string(),
        worker: attempt.worker.to_string(),
        assigned_at: Moment(attempt.assigned),
        started_at: started(attempt.assigned, attempt.ended, attempt.details.as_deref()).map(Moment),
        ended_at: Some(Moment(attempt.ended)),
        duration_ms: Some(attempt.ended.since(attempt.assigned).get()),
        outcome: outcome(attempt.failure.class),
        exit_code: Some(attempt.failure.code).filter(|code| is_process && *code != 0),
        error: Some(ErrorView::of(attempt)),
        asked: asked(task, attempt.memory_bytes),
        used: used(attempt.details.as_deref()),
        progress: attempt.details.as_ref().and_then(|details| details.progress.as_deref()),
        waited_for_limit: waited_for(attempt.details.as_deref()),
    });
    let last_failed = task.failures().last().map_or(0, |attempt| attempt.number);
    let newest = (task.attempts > last_failed).then(|| newest(task, is_process));
    failed.chain(newest).collect()
}

fn newest(task: &Task, is_process: bool) -> AttemptView<'_> {
    let status = task.status();
    let ended = status.is_ended().then_some(task.changed);
    let extra = task.extra.as_deref();
    let forced = extra.is_some_and(|extra| extra.forced.is_some());
    let details = extra.and_then(|extra| extra.details.as_deref());
    let live = task.lease().and_then(|lease| lease.soft.progress.as_deref());
    AttemptView {
        number: task.attempts,
        attempt_id: AttemptId { task: task.id, fence: task.fence }.to_string(),
        fence: task.fence.bits().to_string(),
        worker: task.worker.to_string(),
        assigned_at: Moment(task.started),
        started_at: ended.and_then(|ended| started(task.started, ended, details)).map(Moment),
        ended_at: ended.map(Moment),
        duration_ms: ended.map(|ended| ended.since(task.started).get()),
        outcome: match status {
            Status::Succeeded => "succeeded",
            Status::Failed | Status::UpstreamFailed | Status::Quarantined => "failed",
            Status::Cancelled | Status::Skipped => "cancelled",
            Status::Pending
            | Status::Queued
            | Status::Assigned
            | Status::Running
            | Status::RetryWait
            | Status::Deferred => "live",
        },
        exit_code: (is_process && status == Status::Succeeded && !forced).then_some(0),
        error: None,
        asked: asked(task, extra.and_then(|extra| extra.memory_bytes)),
        used: used(details),
        progress: live.or(details.and_then(|details| details.progress.as_deref())),
        waited_for_limit: waited_for(details),
    }
}

const fn outcome(class: FailureClass) -> &'static str {
    match class {
        FailureClass::Transient | FailureClass::Permanent | FailureClass::Resource => "failed",
        FailureClass::Timeout => "timed_out",
        FailureClass::WorkerLost => "worker_lost",
        FailureClass::Preempted => "preempted",
        FailureClass::Cancelled => "cancelled",
    }
}

/// `memory_bytes`: instead of what the profile says.
fn asked(task: &Task, memory_bytes: Option<u64>) -> Option<ResourcesBody<'_>> {
    let asked = ResourcesBody::of(&task.profile.requirements.resources);
    let memory_bytes = memory_bytes.unwrap_or(asked.memory_bytes);
    Some(ResourcesBody { memory_bytes, ..asked }).filter(|asked| *asked != ResourcesBody::default())
}

/// Never before it was assigned: the result took some time to come.
pub(super) fn started(assigned: Wall, ended: Wall, details: Option<&AttemptDetails>) -> Option<Wall> {
    let ran = Millis::new(details?.ran_ms?);
    Some((ended - ran).max(assigned))
}

fn waited_for(details: Option<&AttemptDetails>) -> Option<&str> {
    details?.waited_for.as_deref()
}

fn used(details: Option<&AttemptDetails>) -> Option<UsedView> {
    let AttemptDetails { memory_peak_bytes, cpu_ms, .. } = *details?;
    let is_known = memory_peak_bytes.is_some() || cpu_ms.is_some();
    is_known.then_some(UsedView { memory_peak_bytes, cpu_ms })
}
