//! What became of the windows of a range, as the tables know it.

use std::collections::BTreeMap;

use mainspring_core::schedule::WindowRow;
use mainspring_core::values::{RunId, RunStatus, ScheduleId, Started, Wall};
use mainspring_store::{PAGE_MAX, WindowCursor};

use crate::edge::Edge;
use crate::problem::Problem;

/// Runs looked up in one go.
const RUNS_AT_ONCE: usize = 200;

/// The newest run of each window from `from` until before `end` for which there was any.
pub(super) async fn runs(
    edge: &Edge,
    schedule: ScheduleId,
    (from, end): (Wall, Wall),
) -> Result<BTreeMap<Wall, RunId>, Problem> {
    let mut newest: BTreeMap<Wall, (Wall, RunId)> = BTreeMap::new();
    let mut before = Some(WindowCursor { first: end, kind: 0 });
    while let Some(cursor) = before {
        let page = edge.readers.read(move |tables| tables.windows(schedule, Some(cursor), PAGE_MAX));
        let rows = page.await?;
        before = rows.last().filter(|_| rows.len() == PAGE_MAX).map(WindowCursor::of);
        for WindowRow { first, what, at, .. } in rows {
            if first < from {
                before = None;
                break;
            }
            let Ok((Started::Run(run), _)) = what else { continue };
            let known = newest.entry(first).or_insert((at, run));
            if at >= known.0 {
                *known = (at, run);
            }
        }
    }
    Ok(newest.into_iter().map(|(window, (_, run))| (window, run)).collect())
}

/// Those whose run has ended without success. One that history has forgotten is left alone.
pub(super) async fn failed(edge: &Edge, runs: &BTreeMap<Wall, RunId>) -> Result<Vec<Wall>, Problem> {
    let all: Vec<(Wall, RunId)> = runs.iter().map(|(window, run)| (*window, *run)).collect();
    let mut failed = Vec::new();
    for some in all.chunks(RUNS_AT_ONCE) {
        let some = some.to_vec();
        let found = edge.readers.read(move |tables| {
            let mut failed = Vec::new();
            for (window, run) in some {
                let status = tables.run(run)?.map(|row| row.status);
                let over = matches!(status, Some(RunStatus::Failed | RunStatus::Cancelled));
                failed.extend(over.then_some(window));
            }
            Ok(failed)
        });
        failed.extend(found.await?);
    }
    Ok(failed)
}
