//! What REST shows of a task, as messages.

use mainspring_core::run::Run;
use mainspring_core::task::{Delivery, Task};
use mainspring_core::values::Millis;
use mainspring_proto::v1;
use serde::Serialize;

use super::super::time::{duration, moment};
use super::status_number;
use crate::wire::{
    AttemptView, ChangeView, DiagnosisView, ErrorView, LimitBody, ResourcesBody, TaskHistory, TaskView,
    TimeoutsBody,
};

/// `whole`: with payload, output and attempts; lists leave them out.
pub(super) fn task(task: &Task, whole: bool, run: Option<&Run>) -> v1::Task {
    message(TaskView::of(task, whole).named(run))
}

pub(super) fn message(view: TaskView<'_>) -> v1::Task {
    v1::Task {
        task_id: view.task_id,
        state: status_number(view.state),
        tenant: view.tenant.to_owned(),
        job: view.job.to_owned(),
        task_type: view.task_type.to_owned(),
        pool: view.pool.to_owned(),
        priority: Some(v1::Priority {
            band: Some(view.priority.band.to_owned()),
            level: Some(u32::from(view.priority.level)),
        }),
        delivery: delivery(view.delivery).into(),
        created_at: Some(moment(view.created_at)),
        updated_at: Some(moment(view.updated_at)),
        scheduled_at: view.scheduled_at.map(moment),
        started_at: view.started_at.map(moment),
        ended_at: view.ended_at.map(moment),
        attempt_count: view.attempt_count,
        retry_count: view.retry_count,
        max_retries: view.max_retries,
        worker: view.worker,
        cancel_requested: view.cancel_requested,
        last_error: view.last_error.as_ref().map(error),
        attempts: view.attempts.into_iter().map(attempt).collect(),
        attempts_dropped: view.attempts_dropped,
        labels: view.labels.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect(),
        forced_by: view
            .forced_by
            .map(|forced| v1::ForcedBy { actor: forced.actor.to_owned(), reason: forced.reason.to_owned() }),
        limits: view.limits.iter().map(limit).collect(),
        payload_json: view.payload.as_ref().map(json),
        output_json: view.output.as_ref().map(json),
        run_id: view.run_id,
        run_task: view.run_task,
        item: view.item,
        undo: view.undo,
        resources: view.resources.as_ref().map(resources),
        timeouts: view.timeouts.map(timeouts),
        owner: view.owner,
    }
}

fn resources(asked: &ResourcesBody<'_>) -> v1::Resources {
    v1::Resources {
        cpu_milli: asked.cpu_milli,
        memory_bytes: asked.memory_bytes,
        disk_bytes: asked.disk_bytes,
        gpus: asked.gpus,
        custom: asked.custom.iter().map(|(name, amount)| (name.to_string(), *amount)).collect(),
    }
}

fn timeouts(timeouts: TimeoutsBody) -> v1::Timeouts {
    let span = |ms: Option<u64>| ms.map(|ms| duration(Millis::new(ms)));
    v1::Timeouts {
        accept: span(timeouts.accept_ms),
        soft: span(timeouts.soft_ms),
        hard: span(timeouts.hard_ms),
        progress: span(timeouts.progress_ms),
        grace: span(timeouts.grace_ms),
    }
}

fn limit(limit: &LimitBody<'_>) -> v1::Limit {
    v1::Limit {
        name: (*limit.name).to_owned(),
        key: limit.key.as_deref().map(str::to_owned),
        max: limit.max.map(|max| u32::try_from(max).unwrap_or(u32::MAX)),
    }
}

pub(in crate::grpc) fn diagnosis(view: DiagnosisView) -> v1::Diagnosis {
    v1::Diagnosis {
        task_id: view.task_id,
        state: status_number(view.state),
        reason: view.reason.to_owned(),
        message: view.message,
        advice: view.advice,
        due_at: view.due_at.map(moment),
        due_in: view.due_in_ms.map(|ms| duration(Millis::new(ms))),
        worker: view.worker,
        holders: view.holders,
        run_id: view.run_id,
        run_task: view.run_task,
        item: view.item,
        undo: view.undo,
    }
}

fn delivery(delivery: Delivery) -> v1::Delivery {
    match delivery {
        Delivery::AtLeastOnce => v1::Delivery::AtLeastOnce,
        Delivery::AtMostOnce => v1::Delivery::AtMostOnce,
    }
}

fn attempt(attempt: AttemptView<'_>) -> v1::Attempt {
    v1::Attempt {
        number: attempt.number,
        attempt_id: attempt.attempt_id,
        fence: attempt.fence,
        worker: attempt.worker,
        assigned_at: Some(moment(attempt.assigned_at)),
        ended_at: attempt.ended_at.map(moment),
        outcome: attempt.outcome.to_owned(),
        exit_code: attempt.exit_code,
        duration: attempt.duration_ms.map(|ms| duration(Millis::new(ms))),
        error: attempt.error.as_ref().map(error),
        asked: attempt.asked.as_ref().map(resources),
        started_at: attempt.started_at.map(moment),
        waited_for_limit: attempt.waited_for_limit.map(str::to_owned),
        memory_peak_bytes: attempt.used.as_ref().and_then(|used| used.memory_peak_bytes),
        cpu: attempt.used.and_then(|used| used.cpu_ms).map(|ms| duration(Millis::new(ms))),
        progress: attempt.progress.map(str::to_owned),
    }
}

pub(super) fn history(history: TaskHistory<'_>) -> v1::TaskHistory {
    let change = |change: ChangeView<'_>| v1::TaskHistoryChange {
        at: Some(moment(change.at)),
        state: status_number(change.state),
        cause: change.cause.to_owned(),
        attempt: change.attempt,
        worker: change.worker,
        error: change.error.as_ref().map(error),
        actor: change.actor.map(str::to_owned),
        reason: change.reason.map(str::to_owned),
    };
    v1::TaskHistory {
        task_id: history.task_id,
        changes: history.changes.into_iter().map(change).collect(),
        attempts_dropped: history.attempts_dropped,
    }
}

fn error(error: &ErrorView<'_>) -> v1::AttemptError {
    v1::AttemptError { class: error.class.to_owned(), code: error.code, message: error.message.to_owned() }
}

/// Raw JSON or a text: writing it cannot fail.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
