//! Big work, as callers see it.

use mainspring_core::engine::question::Progress;
use serde::Serialize;

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Operation"))]
pub(crate) struct OperationView {
    pub operation_id: u64,
    #[cfg_attr(test, schemars(extend("enum" = ["running", "ended"])))]
    pub state: &'static str,
    /// Tasks or runs it has changed. Left out when it ended before the last restart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handled: Option<u64>,
}

impl OperationView {
    pub(crate) fn of(progress: Progress) -> Self {
        let state = if progress.running { "running" } else { "ended" };
        Self { operation_id: progress.id.get(), state, handled: progress.handled }
    }
}
