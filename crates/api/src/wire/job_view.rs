//! A job as callers see it.

use mainspring_core::job::Job;
use serde::Serialize;
use serde_json::value::RawValue;

use super::run_view::NoteView;
use super::schedule_view::ScheduleView;
use super::time::Moment;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Job"))]
pub(crate) struct JobView<'a> {
    pub tenant: &'a str,
    pub job: &'a str,
    pub version: u32,
    /// Later with each edit, for `If-Match`; 0 once it is deleted
    #[cfg_attr(test, schemars(range(max = 9_007_199_254_740_991_u64)))]
    pub revision: u64,
    #[cfg_attr(test, schemars(extend("enum" = ["active", "paused", "deleted"])))]
    pub state: &'static str,
    pub tasks: u32,
    pub created_at: Moment,
    pub updated_at: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Moment>,
    pub active_runs: u32,
    pub waiting_runs: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<LastRunView>,
    /// Left out of lists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub schedules: Vec<ScheduleView<'a>>,
    /// Who changed it and why; left out of lists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(length(max = 50)))]
    pub notes: Vec<NoteView<'a>>,
    /// What was applied; left out of lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::object"))]
    pub definition: Option<&'a RawValue>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "LastRun"))]
pub(crate) struct LastRunView {
    pub run_id: String,
    #[cfg_attr(test, schemars(schema_with = "super::schema::run_state"))]
    pub state: &'static str,
    pub ended_at: Moment,
}

impl<'a> JobView<'a> {
    pub(crate) fn of(job: &'a Job, whole: bool) -> Self {
        Self {
            tenant: &job.key.tenant,
            job: &job.key.name,
            version: job.version,
            revision: job.revision().get(),
            state: match (job.deleted, job.paused) {
                (Some(_), _) => "deleted",
                (None, true) => "paused",
                (None, false) => "active",
            },
            tasks: job.definition.plan.len(),
            created_at: Moment(job.created),
            updated_at: Moment(job.changed),
            deleted_at: job.deleted.map(Moment),
            active_runs: job.lanes.active,
            waiting_runs: job.lanes.waiting.len(),
            last_run: job.last.map(|last| LastRunView {
                run_id: last.id.to_string(),
                state: last.status.label(),
                ended_at: Moment(last.at),
            }),
            schedules: Vec::new(),
            notes: job.notes.iter().filter(|_| whole).map(Into::into).collect(),
            definition: whole.then(|| raw(&job.definition.source)).flatten(),
        }
    }
}

/// Bytes that are known to be JSON; anything else is left out.
pub(crate) fn raw(bytes: &[u8]) -> Option<&RawValue> {
    serde_json::from_slice(bytes).ok()
}
