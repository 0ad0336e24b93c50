//! Whether the server makes progress and can take work.

use serde::Serialize;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Health"))]
pub(crate) struct HealthView {
    #[cfg_attr(test, schemars(extend("enum" = ["ok", "not progressing"])))]
    pub status: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<ReasonView>,
}

/// One thing that is wrong
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Reason"))]
pub(crate) struct ReasonView {
    pub code: &'static str,
    pub detail: String,
    /// For how long, in seconds, if that is known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_s: Option<u64>,
}

#[derive(Serialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Readiness"))]
pub(crate) struct ReadinessView {
    #[cfg_attr(test, schemars(extend("enum" = ["ready", "not ready", "stopping", "shard stopped", "shard does not answer"])))]
    pub status: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<ReasonView>,
    /// Number of the newest record that is saved to disk
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
    /// Number of the newest record that the tables have
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpointed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks_in_memory: Option<usize>,
    /// The server was started with `--insecure`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub insecure: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<&'static str>,
}
