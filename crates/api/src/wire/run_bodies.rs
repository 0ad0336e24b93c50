//! What callers send about runs.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::task_body::PriorityBody;

/// `POST /v1/jobs/{name}:trigger`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TriggerBody {
    pub parameters: Option<Box<RawValue>>,
    /// One run for each key of a job, for as long as keys live.
    pub run_key: Option<String>,
    pub priority: Option<PriorityBody>,
    pub labels: BTreeMap<String, String>,
}

/// `POST /v1/runs/{id}:rerun`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RerunBody {
    /// `start`, `failure`, or the name of a task after `task:`.
    pub from: Option<String>,
    pub parameters: Option<Box<RawValue>>,
    /// `same` or `newest`.
    pub version: Option<String>,
    pub actor: Option<String>,
    pub reason: Option<String>,
}

/// `POST /v1/runs/{id}:clear`. No tasks: all that failed.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ClearBody {
    pub tasks: Vec<String>,
    pub actor: Option<String>,
    pub reason: Option<String>,
}

/// `POST /v1/runs/{id}:force-state`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForceRunBody {
    pub state: String,
    pub actor: Option<String>,
    pub reason: Option<String>,
}

/// `POST /v1/runs:cancel`: at least one of the first three.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RunSelectorBody {
    #[serde(deserialize_with = "given")]
    pub tenant: Option<String>,
    #[serde(deserialize_with = "given")]
    pub job: Option<String>,
    #[serde(deserialize_with = "given")]
    pub label: Option<String>,
    /// Who does it and why.
    pub actor: Option<String>,
    pub reason: Option<String>,
}

/// A `null` here is rather a mistake than a wish for everything.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    String::deserialize(deserializer).map(Some)
}
