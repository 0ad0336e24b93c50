//! What became of the windows of all schedules in a span of time, the oldest first: the ledger.
//! - YL-1 at most [`SCHEDULES_MAX`] schedules are looked at, and [`ROWS_MAX`] windows of each; an answer says if there are more
//!
//! Not here: schedules that were deleted; their own history has them (`history`).

use mainspring_core::schedule::{Schedule, WindowRow};
use mainspring_core::values::{Millis, Wall};
use mainspring_store::{ReadTables, WindowCursor};

use super::history::run_state;
use super::schedules;
use crate::edge::Edge;
use crate::gateway::now;
use crate::problem::Problem;
use crate::wire::{LedgerPage, LedgerWindowView, WindowRowView};

const SCHEDULES_MAX: usize = 1_000;
/// Of one schedule; one that fires every second has more windows in a day than anybody reads.
const ROWS_MAX: usize = 500;
/// Of one answer.
const WINDOWS_MAX: usize = 5_000;
/// Windows whose run is read, for its state.
const STATES_MAX: usize = 1_000;
const SPAN_DEFAULT: Millis = Millis::from_secs(24 * 3_600);

#[derive(Debug, Default)]
pub(crate) struct LedgerFilter<'a> {
    pub tenant: Option<&'a str>,
    pub job: Option<&'a str>,
    pub outcome: Option<&'a str>,
    pub from: Option<Wall>,
    pub to: Option<Wall>,
}

pub(crate) async fn ledger(edge: &Edge, filter: LedgerFilter<'_>) -> Result<LedgerPage, Problem> {
    let outcome = filter.outcome.map(known).transpose()?;
    let to = filter.to.unwrap_or_else(now);
    let from = filter.from.unwrap_or(to - SPAN_DEFAULT);
    let (found, next) = schedules(edge, (filter.tenant, filter.job), None, Some(SCHEDULES_MAX)).await?;
    edge.gateway.tables_follow(false).await?;
    let read = move |tables: &mut dyn ReadTables| {
        let mut page = LedgerPage { windows: Vec::new(), more: next.is_some() };
        for schedule in &found {
            let before = WindowCursor { first: to, kind: 0 };
            let rows = tables.windows(schedule.id, Some(before), ROWS_MAX)?;
            page.more |= rows.len() == ROWS_MAX && rows.last().is_some_and(|row| row.last >= from);
            for row in rows.iter().filter(|row| from < to && row.last >= from) {
                let mut view = view(schedule, row);
                if outcome.is_some_and(|outcome| view.window.outcome != outcome) {
                    continue;
                }
                if page.windows.len() < STATES_MAX {
                    view.window.run_state = run_state(tables, row)?;
                }
                page.windows.push(view);
            }
        }
        Ok(page)
    };
    let mut page = edge.readers.read(read).await?;
    page.windows.sort_by_key(|view| view.window.first.0);
    if page.windows.len() > WINDOWS_MAX {
        // The newest are kept.
        page.windows.drain(..page.windows.len() - WINDOWS_MAX);
        page.more = true;
    }
    Ok(page)
}

fn view(schedule: &Schedule, row: &WindowRow) -> LedgerWindowView {
    LedgerWindowView {
        tenant: schedule.key.tenant.to_string(),
        job: schedule.key.job.to_string(),
        name: schedule.key.name.to_string(),
        window: WindowRowView::from(row),
    }
}

pub(super) fn known(outcome: &str) -> Result<&'static str, Problem> {
    let words = ["ran", "late", "catch_up", "no_event", "backfill", "skipped", "missed"];
    let found = words.into_iter().find(|word| *word == outcome);
    found.ok_or_else(|| Problem::query("outcome", format!("one of {}", words.join(", "))))
}
