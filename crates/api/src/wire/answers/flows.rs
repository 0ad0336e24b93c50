//! About jobs and runs.

use serde::Serialize;
use serde_json::value::RawValue;

use super::super::job_view::JobView;
use super::super::run_view::RunView;
use super::super::time::Moment;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct JobPage<'a> {
    pub jobs: Vec<JobView<'a>>,
    /// Absent on the last page
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// What became of the jobs of a file
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Applied"))]
pub(crate) struct AppliedView<'a> {
    pub jobs: Vec<AppliedJob<'a>>,
    pub dry_run: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct AppliedJob<'a> {
    pub tenant: &'a str,
    pub job: &'a str,
    pub version: u32,
    #[cfg_attr(test, schemars(extend("enum" = ["created", "updated", "unchanged"])))]
    pub change: &'static str,
    /// For `If-Match`; absent in a dry run and in a duplicate
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(max = 9_007_199_254_740_991_u64)))]
    pub revision: Option<u64>,
    /// True: it was applied before, beside others under this `Idempotency-Key`, and this is what it is now
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub duplicate: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "JobDone"))]
pub(crate) struct JobChanged<'a> {
    pub tenant: &'a str,
    pub job: &'a str,
    pub message: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Triggered"))]
pub(crate) struct TriggeredView<'a> {
    pub run_id: String,
    pub tenant: &'a str,
    pub job: &'a str,
    /// The run was there already, under the same `run_key`
    pub duplicate: bool,
    /// Why no known worker could ever run some of its tasks; absent if all can be run
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct VersionPage {
    pub versions: Vec<VersionRow>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct VersionRow {
    pub version: u32,
    pub applied_at: Moment,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Version"))]
pub(crate) struct VersionView<'a> {
    pub tenant: &'a str,
    pub job: &'a str,
    pub version: u32,
    pub applied_at: Moment,
    #[cfg_attr(test, schemars(schema_with = "crate::wire::schema::object_or_null"))]
    pub definition: Option<&'a RawValue>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct RunPage<'a> {
    pub runs: Vec<RunView<'a>>,
    /// Absent on the last page
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// The page is not full, because so many runs were looked at that do not fit as one answer may cost; the last of them was
    /// made then. `next_cursor` goes on
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looked_until: Option<Moment>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "RunDone"))]
pub(crate) struct RunChanged {
    pub run_id: String,
    #[cfg_attr(test, schemars(schema_with = "crate::wire::schema::run_state"))]
    pub state: &'static str,
    pub message: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Rerun"))]
pub(crate) struct RerunView {
    pub run_id: String,
    pub rerun_of: String,
    /// Why no known worker could ever run some of its tasks; absent if all can be run
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
