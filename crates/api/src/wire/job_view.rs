//! A job as callers see it.

use std::borrow::Cow;

use mainspring_core::job::{Job, RECENT_MAX, RecentRun};
use mainspring_core::values::Millis;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::job_stats::FiguresView;
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
    /// Who is told of what goes wrong with it; absent if nobody is named
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Cow<'a, str>>,
    /// How long a run should take, as the job says
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_ms: Option<u64>,
    pub tasks: u32,
    pub created_at: Moment,
    pub updated_at: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Moment>,
    pub active_runs: u32,
    pub waiting_runs: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<LastRunView>,
    /// Its newest ended runs, the newest first; in lists with `recent`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recent: Option<RecentView>,
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

/// Figures of the newest ended runs of a job, which it remembers
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "RecentRuns"))]
pub(crate) struct RecentView {
    #[cfg_attr(test, schemars(length(max = 20)))]
    pub runs: Vec<RecentRunView>,
    /// Of those that succeeded or failed; from 0 to 1, absent if there are none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_rate: Option<f64>,
    /// From being made to their end, of those that succeeded
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<u64>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "RecentRun"))]
pub(crate) struct RecentRunView {
    pub run_id: String,
    #[cfg_attr(test, schemars(schema_with = "super::schema::run_state"))]
    pub state: &'static str,
    pub version: u32,
    pub took_ms: u64,
}

/// Of a definition, what lists show.
#[derive(Default, Deserialize)]
struct Face<'a> {
    #[serde(borrow, default)]
    owner: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tags: Vec<Cow<'a, str>>,
}

impl RecentView {
    fn of(runs: &[RecentRun], most: usize) -> Self {
        let newest = || runs.iter().rev().take(most);
        let figures = FiguresView::of(newest().map(|run| (run.status, run.took.get())));
        let view = |run: &RecentRun| RecentRunView {
            run_id: run.id.to_string(),
            state: run.status.label(),
            version: run.version,
            took_ms: run.took.get(),
        };
        let runs = newest().map(view).collect();
        Self { runs, success_rate: figures.success_rate, p50_ms: figures.p50_ms, p95_ms: figures.p95_ms }
    }
}

impl<'a> JobView<'a> {
    /// As in a list, with so many of its newest runs.
    pub(crate) fn listed(job: &'a Job, recent: Option<usize>) -> Self {
        let recent = recent.map(|most| RecentView::of(&job.recent, most));
        Self { recent, ..Self::of(job, false) }
    }

    pub(crate) fn of(job: &'a Job, whole: bool) -> Self {
        let face: Face<'a> = serde_json::from_slice(&job.definition.source).unwrap_or_default();
        Self {
            owner: face.owner.filter(|owner| !owner.is_empty()),
            tags: face.tags,
            expected_ms: job.definition.plan.bounds.expected.map(Millis::get),
            recent: whole.then(|| RecentView::of(&job.recent, RECENT_MAX)),
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
