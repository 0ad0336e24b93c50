//! What callers send about runs.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::task_body::PriorityBody;
use super::time::TimeBody;

/// `POST /v1/jobs/{name}:trigger`.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TriggerBody {
    /// As the job declares them
    #[cfg_attr(test, schemars(schema_with = "super::schema::object_or_null"))]
    pub parameters: Option<Box<RawValue>>,
    /// One run for each key of a job, for as long as keys live.
    #[cfg_attr(test, schemars(schema_with = "super::schema::key"))]
    pub run_key: Option<String>,
    /// The instant for which the run is: one run of the job for each, whatever the idempotency key. RFC 3339 text, or
    /// seconds since 1970
    pub logical_time: Option<TimeBody>,
    pub priority: Option<PriorityBody>,
    #[cfg_attr(test, schemars(schema_with = "super::schema::labels"))]
    pub labels: BTreeMap<String, String>,
    /// Who does it and why; noted with the run.
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub actor: Option<String>,
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub reason: Option<String>,
}

/// `POST /v1/runs/{id}:rerun`.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RerunBody {
    /// `start`, `failure`, or the name of a task after `task:`.
    #[cfg_attr(test, schemars(extend("pattern" = "^(start|failure|task:[^\\u0000-\\u001f\\u007f-\\u009f]{1,190})$")))]
    pub from: Option<String>,
    #[cfg_attr(test, schemars(schema_with = "super::schema::object_or_null"))]
    pub parameters: Option<Box<RawValue>>,
    /// `same` or `newest`.
    #[cfg_attr(test, schemars(schema_with = "super::schema::rerun_version"))]
    pub version: Option<String>,
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub actor: Option<String>,
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub reason: Option<String>,
}

/// `POST /v1/runs/{id}:clear`. No tasks: all that failed. `items`: only these items of the one mapped task that is named.
/// `only_failed`: of mapped tasks only the items that did not succeed; of other tasks those that failed.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ClearBody {
    #[cfg_attr(test, schemars(schema_with = "super::schema::task_names"))]
    pub tasks: Vec<String>,
    #[serde(deserialize_with = "super::whole::numbers")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::item_numbers"))]
    pub items: Vec<u32>,
    pub only_failed: bool,
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub actor: Option<String>,
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub reason: Option<String>,
}

/// `POST /v1/runs/{id}:approve` and `:reject`. Without a task the one that waits for approval.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ApproveBody {
    /// The name of the task in the run; may be left out if only one waits
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub task: Option<String>,
    /// Of a mapped task
    #[serde(default, deserialize_with = "super::whole::option")]
    pub item: Option<u32>,
    /// Who decides, compared with who may; and why
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub actor: Option<String>,
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub reason: Option<String>,
}

/// `POST /v1/runs/{id}:force-state`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct ForceRunBody {
    #[cfg_attr(test, schemars(schema_with = "super::schema::forcible_run_state"))]
    pub state: String,
    #[cfg_attr(test, schemars(default, schema_with = "super::schema::name"))]
    pub actor: Option<String>,
    #[cfg_attr(test, schemars(default, schema_with = "super::schema::name"))]
    pub reason: Option<String>,
}

/// `POST /v1/runs:cancel`: at least one of the first three.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(transform = super::schema::run_selector_body))]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RunSelectorBody {
    #[serde(deserialize_with = "given")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::given_name"))]
    pub tenant: Option<String>,
    #[serde(deserialize_with = "given")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::given_name"))]
    pub job: Option<String>,
    #[serde(deserialize_with = "given")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::given_label"))]
    pub label: Option<String>,
    /// Only count what matches now; nothing is changed
    pub dry_run: bool,
    /// Who does it and why.
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub actor: Option<String>,
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub reason: Option<String>,
}

/// A `null` here is rather a mistake than a wish for everything.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    String::deserialize(deserializer).map(Some)
}
