//! Big work, as callers see it.

use mainspring_core::engine::question::Progress;
use serde::Serialize;

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Process"))]
pub(crate) struct ProcessView {
    pub process_id: u64,
    /// `RUNNING` or `ENDED`.
    #[cfg_attr(test, schemars(extend("enum" = ["RUNNING", "ENDED"])))]
    pub status: &'static str,
    /// Tasks it has changed. Left out when it ended before the last restart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handled: Option<u64>,
}

impl ProcessView {
    pub(crate) fn of(progress: Progress) -> Self {
        let status = if progress.running { "RUNNING" } else { "ENDED" };
        Self { process_id: progress.id.get(), status, handled: progress.handled }
    }
}
