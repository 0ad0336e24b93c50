//! Figures over time, in columns.

use serde::Serialize;

use super::time::Moment;
use crate::series::{Counted, Point, Stretch};

/// Figures of equal steps, the oldest first. Gauges are the highest of a step, the others what happened in it
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Series"))]
pub(crate) struct SeriesView {
    pub step_ms: u64,
    /// When the first step began
    pub from: Moment,
    /// Tasks that waited
    pub queued: Vec<u64>,
    /// Attempts that were held by workers
    pub running: Vec<u64>,
    pub submitted: Vec<u64>,
    /// Attempts that began
    pub started: Vec<u64>,
    pub succeeded: Vec<u64>,
    /// For good; quarantined ones too
    pub failed: Vec<u64>,
    /// Attempts that failed and are tried again
    pub retried: Vec<u64>,
}

impl SeriesView {
    pub(crate) fn of(stretch: &Stretch) -> Self {
        let column = |of: fn(&Point) -> u64| stretch.points.iter().map(of).collect();
        Self {
            step_ms: stretch.step_ms,
            from: Moment(stretch.from),
            queued: column(|point| point.queued),
            running: column(|point| point.running),
            submitted: column(|Point { counted: Counted { submitted, .. }, .. }| *submitted),
            started: column(|Point { counted: Counted { started, .. }, .. }| *started),
            succeeded: column(|Point { counted: Counted { succeeded, .. }, .. }| *succeeded),
            failed: column(|Point { counted: Counted { failed, .. }, .. }| *failed),
            retried: column(|Point { counted: Counted { retried, .. }, .. }| *retried),
        }
    }
}
