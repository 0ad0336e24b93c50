//! What became of the windows of a schedule, newest first.
//! A filter looks at one page of windows at a time, so a page may be shorter than its limit

use mainspring_core::schedule::{ScheduleKey, WindowRow};
use mainspring_core::values::{Started, Wall};
use mainspring_store::{ReadError, ReadTables, WindowCursor};

use super::ledger::known;
use super::read::even_deleted;
use crate::edge::Edge;
use crate::operation::flows::page_length;
use crate::problem::Problem;
use crate::wire::WindowRowView;

/// Which windows are wanted; what is not set is all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HistoryFilter<'a> {
    pub outcome: Option<&'a str>,
    pub from: Option<Wall>,
    pub to: Option<Wall>,
}

/// With where the next page begins.
pub(crate) async fn history(
    edge: &Edge,
    key: ScheduleKey,
    filter: HistoryFilter<'_>,
    cursor: Option<&str>,
    limit: Option<usize>,
) -> Result<(Vec<WindowRowView>, Option<String>), Problem> {
    let limit = page_length(limit)?;
    let (outcome, from) = (filter.outcome.map(known).transpose()?, filter.from.unwrap_or(Wall::ZERO));
    let to = filter.to.map(|to| WindowCursor { first: to, kind: 0 });
    let before = cursor.map(parse_cursor).transpose()?.or(to);
    let id = even_deleted(edge, key).await?.id;
    edge.gateway.tables_follow(false).await?;
    let read = move |tables: &mut dyn ReadTables| {
        let rows = tables.windows(id, before, limit)?;
        let more = rows.len() == limit && rows.last().is_some_and(|row| row.first >= from);
        let next = rows.last().filter(|_| more).map(WindowCursor::of);
        let mut views = Vec::with_capacity(rows.len());
        for row in rows.iter().filter(|row| row.last >= from) {
            let view = WindowRowView::from(row);
            if outcome.is_none_or(|outcome| view.outcome == outcome) {
                views.push(WindowRowView { run_state: run_state(tables, row)?, ..view });
            }
        }
        Ok((views, next))
    };
    let (views, next) = edge.readers.read(read).await?;
    Ok((views, next.map(|cursor| format!("{}.{}", cursor.first.millis(), cursor.kind))))
}

/// How the run of a window stands; `None` if it began none, or history has forgotten it.
pub(super) fn run_state(
    tables: &mut dyn ReadTables,
    row: &WindowRow,
) -> Result<Option<&'static str>, ReadError> {
    let Ok((Started::Run(id), _)) = row.what else { return Ok(None) };
    Ok(tables.run(id)?.map(|run| run.status.label()))
}

fn parse_cursor(text: &str) -> Result<WindowCursor, Problem> {
    let parsed = text.split_once('.').and_then(|(first, kind)| {
        Some(WindowCursor { first: Wall::from_millis(first.parse().ok()?), kind: kind.parse().ok()? })
    });
    parsed.ok_or_else(|| Problem::query("cursor", "not one that an answer gave"))
}
