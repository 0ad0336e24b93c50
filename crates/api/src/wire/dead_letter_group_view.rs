//! Dead letters by what went wrong.

use serde::Serialize;

use super::time::Moment;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "DeadLetterGroups"))]
pub(crate) struct GroupPage {
    /// The largest first
    pub groups: Vec<GroupView>,
    /// There are more dead letters than were looked at
    pub more: bool,
}

/// Dead letters of one job whose last errors differ only in numbers, ids and quoted parts
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "DeadLetterGroup"))]
pub(crate) struct GroupView {
    /// Names the group in `:requeue` and `:discard`
    pub fingerprint: String,
    pub tenant: String,
    /// Empty for tasks of no job
    pub job: String,
    /// Of the job, by its newest definition
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Of the last error; `none` if an operator said that it failed
    pub class: &'static str,
    pub code: i32,
    /// Of the newest
    pub message: String,
    pub count: u64,
    /// Of these, tasks of runs: queued again they run with all that follows from them in their run
    pub in_runs: u64,
    /// When the first of them ended
    pub first_at: Moment,
    pub last_at: Moment,
    /// The newest
    pub sample_task_id: String,
}
