//! Figures of the newest runs of a job, as callers read them.

use mainspring_core::values::RunStatus;
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

#[derive(Default, Serialize)]
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

impl FiguresView {
    /// Of runs that have ended: how, and how long they took in milliseconds.
    pub(crate) fn of(runs: impl Iterator<Item = (RunStatus, u64)>) -> Self {
        let mut figures = Self::default();
        let mut spans = Vec::new();
        for (status, took) in runs {
            match status {
                RunStatus::Succeeded => {
                    figures.succeeded += 1;
                    spans.push(took);
                }
                RunStatus::Failed => figures.failed += 1,
                RunStatus::Cancelled => figures.cancelled += 1,
                RunStatus::Queued | RunStatus::Running => {}
            }
        }
        spans.sort_unstable();
        let judged = figures.succeeded + figures.failed;
        figures.runs = judged + figures.cancelled;
        figures.success_rate = (judged > 0).then(|| f64::from(figures.succeeded) / f64::from(judged));
        (figures.p50_ms, figures.p95_ms) = (rank(&spans, 50), rank(&spans, 95));
        figures
    }
}

/// The smallest span that so many of a hundred do not exceed.
fn rank(sorted: &[u64], percent: usize) -> Option<u64> {
    let place = (sorted.len() * percent).div_ceil(100);
    sorted.get(place.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_values_that_were_there() {
        let spans: Vec<u64> = (1..=20).collect();
        assert_eq!((rank(&spans, 50), rank(&spans, 95)), (Some(10), Some(19)));
        assert_eq!((rank(&[7], 50), rank(&[7], 95)), (Some(7), Some(7)));
        assert_eq!(rank(&[], 50), None);
    }

    #[test]
    fn only_what_succeeded_has_a_duration_and_what_was_cancelled_is_not_judged() {
        use RunStatus::{Cancelled, Failed, Succeeded};
        let runs = [(Succeeded, 10), (Failed, 900), (Succeeded, 30), (Cancelled, 5), (Succeeded, 20)];
        let figures = FiguresView::of(runs.into_iter());
        assert_eq!((figures.runs, figures.succeeded, figures.failed, figures.cancelled), (5, 3, 1, 1));
        assert_eq!((figures.success_rate, figures.p50_ms, figures.p95_ms), (Some(0.75), Some(20), Some(30)));
    }
}
