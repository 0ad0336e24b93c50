//! A task that recurs, as any other task is shown: it waits for its next window.

use mainspring_core::schedule::{Schedule, Target};
use mainspring_core::task::Status;
use mainspring_core::values::{Started, Wall};
use serde::Serialize;

use super::schedule_view::{TimingView, is_finished};
use super::task_body::{ResourcesBody, TimeoutsBody};
use super::task_view::{PriorityView, TaskView, limits, output_json};
use super::time::Moment;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Recurs"))]
pub(crate) struct RecursView<'a> {
    /// `@tasks/NAME`; its history is at `/v1/schedules/@tasks/NAME/history`
    pub schedule: String,
    #[serde(flatten)]
    pub timing: TimingView<'a>,
    pub paused: bool,
    /// Tasks that it has begun
    pub fired: u64,
    /// The newest window that was decided
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_task_id: Option<String>,
}

impl<'a> TaskView<'a> {
    /// `None`: the schedule starts runs of a job.
    pub(crate) fn recurring(schedule: &'a Schedule) -> Option<Self> {
        let Target::Task(spec) = &schedule.spec.target else { return None };
        let profile = &spec.profile;
        let state = match schedule.rare.deleted {
            Some(_) => Status::Cancelled,
            None if is_finished(schedule) => Status::Succeeded,
            None => Status::Pending,
        };
        Some(Self {
            task_id: schedule.id.to_string(),
            place: None,
            state,
            status: state,
            tenant: &profile.tenant,
            job: &profile.job,
            owner: None,
            run_id: None,
            run_task: None,
            item: None,
            undo: false,
            window: None,
            task_type: &profile.executor,
            pool: &profile.requirements.pool,
            priority: PriorityView::of(spec.priority),
            delivery: profile.delivery,
            created_at: Moment(schedule.created),
            updated_at: Moment(schedule.changed),
            scheduled_at: schedule.due().filter(|_| state == Status::Pending).map(Moment),
            started_at: None,
            ended_at: schedule.rare.deleted.map(Moment),
            attempt_count: 0,
            retry_count: 0,
            max_retries: profile.retry.attempts_max.saturating_sub(1),
            worker: None,
            cancel_requested: false,
            last_error: None,
            attempts: Vec::new(),
            attempts_dropped: 0,
            labels: spec.labels.as_deref().unwrap_or_default(),
            limits: limits(spec.permits.as_deref()),
            forced_by: None,
            resources: ResourcesBody::asked_by(profile),
            timeouts: Some(TimeoutsBody::of(&profile.limits)),
            recurs: Some(RecursView::of(schedule)),
            payload: Some(output_json(&spec.payload)),
            output: None,
        })
    }
}

impl<'a> RecursView<'a> {
    fn of(schedule: &'a Schedule) -> Self {
        let last_task_id = match schedule.last_made {
            Some(Started::Task(id)) => Some(id.to_string()),
            Some(Started::Run(_)) | None => None,
        };
        Self {
            schedule: format!("{}/{}", schedule.key.job, schedule.key.name),
            timing: TimingView::of(&schedule.spec),
            paused: schedule.paused,
            fired: schedule.fired,
            last: (schedule.last > Wall::ZERO).then_some(Moment(schedule.last)),
            last_task_id,
        }
    }
}
