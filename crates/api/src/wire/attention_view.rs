//! What needs a person, as callers read it.

use serde::Serialize;

use super::time::Moment;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Attention"))]
pub(crate) struct AttentionView {
    /// The newest record of the journal when it was looked; nothing of it or of one before is left out
    pub record: u64,
    pub at: Moment,
    /// The most harmful first; empty if nothing needs a person
    pub findings: Vec<FindingView>,
    pub figures: GlanceView,
}

/// Something that needs a person.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Finding"))]
pub(crate) struct FindingView {
    #[cfg_attr(test, schemars(extend("enum" = [
        "not_ready", "tables_behind", "no_workers", "runs_failed", "runs_recovered", "windows_missed", "quarantined",
        "dead_letters", "workers_lost", "runs_stalled", "runs_late", "runs_quiet", "schedules_paused", "approvals_open"
    ])))]
    pub kind: &'static str,
    /// 3: work is lost or stands still, 2: it will, 1: good to know
    #[cfg_attr(test, schemars(range(min = 1, max = 3)))]
    pub harm: u8,
    pub message: String,
    /// What to do
    pub advice: String,
    pub count: u64,
    /// Not all were counted
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// Since when, if that is known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Of the job
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<ExampleView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<AdvisedView>,
}

/// One of those that a finding counts.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "FindingExample"))]
pub(crate) struct ExampleView {
    /// Of a run, a task or a worker
    pub id: String,
    /// What went wrong there, or its name
    pub text: String,
}

/// The call that helps.
#[derive(Serialize, Clone, PartialEq, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "AdvisedAction"))]
pub(crate) struct AdvisedView {
    /// In one or two words
    pub title: &'static str,
    /// What it does
    pub effect: String,
    #[cfg_attr(test, schemars(extend("const" = "POST")))]
    pub method: &'static str,
    pub path: String,
    #[cfg_attr(test, schemars(schema_with = "super::schema::object"))]
    pub body: serde_json::Value,
    /// The same as arguments of `mainspring`
    pub command: Vec<String>,
}

/// How much there is, in a few numbers.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Glance"))]
pub(crate) struct GlanceView {
    /// Runs that have not ended
    pub runs_active: u64,
    /// There are more runs than were counted
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub runs_active_more: bool,
    /// Runs made in the last 24 hours that failed
    pub runs_failed: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub runs_failed_more: bool,
    pub tasks_running: u64,
    pub tasks_queued: u64,
    pub workers: u64,
    /// Of workers that are connected
    pub slots: u64,
}
