//! What became of the windows of a schedule, newest first.

use mainspring_core::schedule::{ScheduleKey, WindowRow};
use mainspring_core::values::Wall;
use mainspring_store::WindowCursor;

use super::read::even_deleted;
use crate::edge::Edge;
use crate::operation::flows::page_length;
use crate::problem::Problem;

/// With where the next page begins.
pub(crate) async fn history(
    edge: &Edge,
    key: ScheduleKey,
    cursor: Option<&str>,
    limit: Option<usize>,
) -> Result<(Vec<WindowRow>, Option<String>), Problem> {
    let limit = page_length(limit)?;
    let before = cursor.map(parse_cursor).transpose()?;
    let id = even_deleted(edge, key).await?.id;
    edge.gateway.tables_follow(false).await?;
    let rows = edge.readers.read(move |tables| tables.windows(id, before, limit)).await?;
    let last = rows.last().filter(|_| rows.len() == limit).map(WindowCursor::of);
    let next = last.map(|cursor| format!("{}.{}", cursor.first.millis(), cursor.kind));
    Ok((rows, next))
}

fn parse_cursor(text: &str) -> Result<WindowCursor, Problem> {
    let parsed = text.split_once('.').and_then(|(first, kind)| {
        Some(WindowCursor { first: Wall::from_millis(first.parse().ok()?), kind: kind.parse().ok()? })
    });
    parsed.ok_or_else(|| Problem::query("cursor", "not one that an answer gave"))
}
