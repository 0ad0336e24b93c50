//! A task as callers read it.

use mainspring_core::id::WorkerId;
use mainspring_core::name::Name;
use mainspring_core::profile::Delivery;
use mainspring_core::task::{AttemptRecord, State, Task};
use mainspring_core::time::Wall;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::state::status_word;
use super::time::written;

#[derive(Serialize)]
pub(crate) struct TaskView<'a> {
    task_id: String,
    status: &'static str,
    tenant: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    job: &'a str,
    task_type: &'a str,
    pool: &'a str,
    priority: PriorityView,
    delivery: &'static str,
    created_at: String,
    updated_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    scheduled_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
    attempt_count: u32,
    retry_count: u32,
    max_retries: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<String>,
    cancel_requested: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<ErrorView<'a>>,
    attempts: Vec<AttemptView<'a>>,
    #[serde(skip_serializing_if = "is_zero")]
    attempts_dropped: u32,
    #[serde(serialize_with = "pairs", skip_serializing_if = "<[_]>::is_empty")]
    labels: &'a [(Name, Name)],
    #[serde(skip_serializing_if = "Option::is_none")]
    forced_by: Option<ForcedView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<Json<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Json<'a>>,
}

#[derive(Serialize)]
struct PriorityView {
    band: &'static str,
    level: u8,
}

#[derive(Serialize)]
struct ErrorView<'a> {
    class: &'static str,
    code: i32,
    message: &'a str,
}

#[derive(Serialize)]
struct AttemptView<'a> {
    number: u32,
    /// As text: some readers keep only 53 bits of a number.
    fence: String,
    worker: String,
    assigned_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorView<'a>>,
}

#[derive(Serialize)]
struct ForcedView<'a> {
    actor: &'a str,
    reason: &'a str,
}

impl<'a> TaskView<'a> {
    /// `whole`: with payload, output and attempts; lists leave them out.
    pub(crate) fn of(task: &'a Task, whole: bool) -> Self {
        let (profile, extra) = (&task.profile, task.extra.as_deref());
        let (status, failures) = (task.status(), task.failures());
        let due = match task.state {
            State::Pending { due } => Some(due),
            _ => None,
        };
        Self {
            task_id: task.id.to_string(),
            status: status_word(status),
            tenant: &profile.tenant,
            job: &profile.job,
            task_type: &profile.executor,
            pool: &profile.requirements.pool,
            priority: PriorityView { band: task.priority.band.label(), level: task.priority.level() },
            delivery: match profile.delivery {
                Delivery::AtLeastOnce => "at_least_once",
                Delivery::AtMostOnce => "at_most_once",
            },
            created_at: written(task.submitted),
            updated_at: written(task.changed),
            scheduled_at: due.map(written),
            started_at: (task.started > Wall::ZERO).then(|| written(task.started)),
            ended_at: status.is_ended().then(|| written(task.changed)),
            attempt_count: task.attempts,
            retry_count: task.attempts.saturating_sub(1),
            max_retries: profile.retry.attempts_max.saturating_sub(1),
            worker: (task.worker != WorkerId::NONE).then(|| task.worker.to_string()),
            cancel_requested: task.cancel_requested,
            last_error: failures.last().map(error),
            attempts: if whole { attempts(task) } else { Vec::new() },
            attempts_dropped: extra.map_or(0, |extra| extra.attempts_dropped),
            labels: task.labels(),
            forced_by: extra
                .and_then(|extra| extra.forced.as_ref())
                .map(|over| ForcedView { actor: &over.actor, reason: &over.reason }),
            payload: whole.then(|| output_json(&task.payload)),
            output: extra.and_then(|extra| extra.output.as_deref()).filter(|_| whole).map(output_json),
        }
    }
}

/// The failed ones, and the one that runs or succeeded.
fn attempts(task: &Task) -> Vec<AttemptView<'_>> {
    let failed = task.failures().iter().map(|attempt| AttemptView {
        number: attempt.number,
        fence: attempt.fence.bits().to_string(),
        worker: attempt.worker.to_string(),
        assigned_at: written(attempt.assigned),
        ended_at: Some(written(attempt.ended)),
        error: Some(error(attempt)),
    });
    let last_failed = task.failures().last().map_or(0, |attempt| attempt.number);
    let newest = (task.attempts > last_failed).then(|| AttemptView {
        number: task.attempts,
        fence: task.fence.bits().to_string(),
        worker: task.worker.to_string(),
        assigned_at: written(task.started),
        ended_at: task.status().is_ended().then(|| written(task.changed)),
        error: None,
    });
    failed.chain(newest).collect()
}

fn error(attempt: &AttemptRecord) -> ErrorView<'_> {
    let failure = &attempt.failure;
    ErrorView { class: failure.class.label(), code: failure.code, message: &failure.message }
}

/// Bytes as JSON if they are JSON, else as text.
pub(crate) enum Json<'a> {
    Raw(&'a RawValue),
    Text(std::borrow::Cow<'a, str>),
}

pub(crate) fn output_json(bytes: &[u8]) -> Json<'_> {
    match serde_json::from_slice(bytes) {
        Ok(raw) => Json::Raw(raw),
        Err(_) => Json::Text(String::from_utf8_lossy(bytes)),
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Raw(raw) => raw.serialize(serializer),
            Self::Text(text) => text.serialize(serializer),
        }
    }
}

fn pairs<S: Serializer>(labels: &[(Name, Name)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(labels.iter().map(|(key, value)| (key.as_str(), value.as_str())))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}
