//! A task as callers read it: JSON as it stands, and what the gRPC message is made from.

use mainspring_core::engine::question::Part;
use mainspring_core::run::Run;
use mainspring_core::task::{AttemptRecord, Delivery, Status, Task};
use mainspring_core::values::{Name, NodeInstance, Permit, Priority, Wall, WorkerId};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::attempt_view::{AttemptView, attempts};
use super::recurs_view::RecursView;
use super::state::{as_timer_word, as_word};
use super::task_body::{LimitBody, ResourcesBody, TimeoutsBody};
use super::time::Moment;
use super::window_view::WindowView;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Task"))]
pub(crate) struct TaskView<'a> {
    pub task_id: String,
    /// Where in its run.
    #[serde(skip)]
    pub place: Option<NodeInstance>,
    #[serde(serialize_with = "as_word")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::task_state"))]
    pub state: Status,
    /// The state as the timer contract spells it
    #[serde(serialize_with = "as_timer_word")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::timer_status"))]
    pub status: Status,
    pub tenant: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub job: &'a str,
    /// Of its job; only in lists of dead letters
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The run it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The name it has there; not in lists over several runs
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_task: Option<String>,
    /// Which item of a mapped task it is, from 0
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<u32>,
    /// It undoes that task
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub undo: bool,
    /// Of the schedule that began it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<WindowView<'a>>,
    pub task_type: &'a str,
    pub pool: &'a str,
    pub priority: PriorityView,
    #[serde(serialize_with = "delivery")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::delivery"))]
    pub delivery: Delivery,
    pub created_at: Moment,
    pub updated_at: Moment,
    /// The instant it was submitted for; also after it has begun
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduled_at: Option<Moment>,
    /// When the newest attempt was granted
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    pub attempt_count: u32,
    pub retry_count: u32,
    pub max_retries: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    pub cancel_requested: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<ErrorView<'a>>,
    /// The failed ones, and the one that runs or succeeded; empty in lists
    pub attempts: Vec<AttemptView<'a>>,
    #[serde(skip_serializing_if = "is_zero")]
    pub attempts_dropped: u32,
    #[serde(serialize_with = "pairs", skip_serializing_if = "<[_]>::is_empty")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::label_object"))]
    pub labels: &'a [(Name, Name)],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<LimitBody<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forced_by: Option<ForcedView<'a>>,
    /// What each attempt asks for; absent if that is nothing; not in lists
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourcesBody<'a>>,
    /// Not in lists
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeouts: Option<TimeoutsBody>,
    /// When it comes again, of a task that recurs
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurs: Option<RecursView<'a>>,
    /// Not in lists
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::any"))]
    pub payload: Option<Json<'a>>,
    /// JSON as the worker gave it, or text; not in lists
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::any"))]
    pub output: Option<Json<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Priority"))]
pub(crate) struct PriorityView {
    #[cfg_attr(test, schemars(schema_with = "super::schema::band"))]
    pub band: &'static str,
    pub level: u8,
}

impl PriorityView {
    pub(super) fn of(priority: Priority) -> Self {
        Self { band: priority.band.label(), level: priority.level() }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "TaskError"))]
pub(crate) struct ErrorView<'a> {
    #[cfg_attr(test, schemars(schema_with = "super::schema::failure_class"))]
    pub class: &'static str,
    /// Exit code or HTTP status; 0 = none
    pub code: i32,
    pub message: &'a str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ForcedBy"))]
pub(crate) struct ForcedView<'a> {
    pub actor: &'a str,
    pub reason: &'a str,
}

impl<'a> TaskView<'a> {
    /// `whole`: with payload, output and attempts; lists leave them out.
    pub(crate) fn of(task: &'a Task, whole: bool) -> Self {
        let (profile, extra) = (&task.profile, task.extra.as_deref());
        let (status, failures) = (task.status(), task.failures());
        Self {
            task_id: task.id.to_string(),
            place: task.in_run.as_ref().map(|place| place.place),
            state: status,
            status,
            tenant: &profile.tenant,
            job: &profile.job,
            owner: None,
            run_id: task.in_run.as_ref().map(|place| place.run.to_string()),
            run_task: None,
            item: task.in_run.as_ref().and_then(|place| Part::of(place, None).item()),
            undo: task.in_run.as_ref().is_some_and(|place| place.place.index == NodeInstance::UNDO),
            window: extra.and_then(|extra| extra.window.as_deref()).map(WindowView::of),
            task_type: &profile.executor,
            pool: &profile.requirements.pool,
            priority: PriorityView::of(task.priority),
            delivery: profile.delivery,
            created_at: Moment(task.submitted),
            updated_at: Moment(task.changed),
            scheduled_at: (task.scheduled > Wall::ZERO).then_some(Moment(task.scheduled)),
            started_at: (task.started > Wall::ZERO).then_some(Moment(task.started)),
            ended_at: status.is_ended().then_some(Moment(task.changed)),
            attempt_count: task.attempts,
            retry_count: task.attempts.saturating_sub(1),
            max_retries: profile.retry.attempts_max.saturating_sub(1),
            worker: (task.worker != WorkerId::NONE).then(|| task.worker.to_string()),
            cancel_requested: task.cancel_requested,
            last_error: failures.last().map(ErrorView::of),
            attempts: if whole { attempts(task) } else { Vec::new() },
            attempts_dropped: extra.map_or(0, |extra| extra.attempts_dropped),
            labels: task.labels(),
            limits: limits(extra.and_then(|extra| extra.permits.as_deref())),
            forced_by: extra
                .and_then(|extra| extra.forced.as_ref())
                .map(|over| ForcedView { actor: &over.actor, reason: &over.reason }),
            resources: if whole { ResourcesBody::asked_by(profile) } else { None },
            timeouts: whole.then(|| TimeoutsBody::of(&profile.limits)),
            recurs: None,
            payload: whole.then(|| output_json(&task.payload)),
            output: extra.and_then(|extra| extra.output.as_deref()).filter(|_| whole).map(output_json),
        }
    }
}

impl TaskView<'_> {
    /// With the name that it has in its run.
    pub(crate) fn named(self, run: Option<&Run>) -> Self {
        let id = self.run_id.as_deref();
        let run = run.filter(|run| id.is_some_and(|id| *id == run.id.to_string()));
        Self { run_task: run.and_then(|run| self.node_in(run)), ..self }
    }

    fn node_in(&self, run: &Run) -> Option<String> {
        let node = self.place?.node;
        run.plan.nodes().get(node as usize).map(|spec| spec.name.to_string())
    }
}

impl<'a> ErrorView<'a> {
    pub(super) fn of(attempt: &'a AttemptRecord) -> Self {
        let failure = &attempt.failure;
        Self { class: failure.class.label(), code: failure.code, message: &failure.message }
    }
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn delivery<S: Serializer>(delivery: &Delivery, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match delivery {
        Delivery::AtLeastOnce => "at_least_once",
        Delivery::AtMostOnce => "at_most_once",
    })
}

pub(super) fn limits(permits: Option<&[Permit]>) -> Vec<LimitBody<'_>> {
    permits.unwrap_or(&[]).iter().map(limit).collect()
}

fn limit(permit: &Permit) -> LimitBody<'_> {
    LimitBody {
        name: permit.limit.as_str().into(),
        key: Some(permit.key.as_str()).filter(|key| !key.is_empty()).map(Into::into),
        max: permit.max.map(u64::from),
    }
}

fn pairs<S: Serializer>(labels: &[(Name, Name)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(labels.iter().map(|(key, value)| (key.as_str(), value.as_str())))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}
