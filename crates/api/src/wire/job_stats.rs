//! Figures of the newest runs of a job, as callers read them.

use serde::Serialize;

use super::time::Moment;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct JobStats {
    pub tenant: String,
    pub job: String,
    /// Ended runs that these figures are made of, the newest ones
    pub looked_at: usize,
    /// There are no older ones
    pub is_all: bool,
    /// When the oldest of them was made
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_at: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_at: Option<Moment>,
    pub all: FiguresView,
    /// The newest first
    #[cfg_attr(test, schemars(length(max = 1_000)))]
    pub versions: Vec<VersionFigures>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct VersionFigures {
    pub version: u32,
    #[serde(flatten)]
    pub figures: FiguresView,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "RunFigures"))]
pub(crate) struct FiguresView {
    pub runs: u32,
    pub succeeded: u32,
    pub failed: u32,
    pub cancelled: u32,
    /// Of those that succeeded or failed; from 0 to 1, absent if there are none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_rate: Option<f64>,
    /// From being made to their end, of those that succeeded
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<u64>,
}
