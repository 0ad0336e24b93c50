//! Unfinished tasks from memory, then those parked until their time is near, by that time, then ended ones from history,
//! newest first.
//! - LI-1 a task that goes from one place to the next while a list is read is never left out for it: what was parked
//!   when memory had been read is what was due after `paged_until` then
//! - LI-2 what a caller was told before it asked for a list is in it: history is read when the tables have followed

use std::collections::BTreeSet;

use mainspring_core::decision::Rejection;
use mainspring_core::engine::question::{Question, Unfinished};
use mainspring_core::engine::{Answer, Command};
use mainspring_core::task::Task;
use mainspring_core::values::{Bucket, TaskId, Wall};
use mainspring_store::format::{ProfileCache, read_task};
use mainspring_store::{HistoryCursor, HistoryQuery, ParkedFrom, ReadError};

use super::cursor::Cursor;
use super::filter::Filter;
use crate::edge::Edge;
use crate::problem::Problem;

/// Questions put to the shard for one page; a page may be short although another follows.
const ASKS_MAX: usize = 20;
/// Parked rows looked at for one page, and how many of them at once.
const PARKED_MAX: usize = 20_000;
const PARKED_AT_ONCE: usize = 1_000;

pub(crate) async fn list(edge: &Edge, filter: &Filter) -> Result<(Vec<Task>, Option<Cursor>), Problem> {
    let (mut tasks, next) = pages(edge, filter).await?;
    tasks.retain(|task| filter.created_from.is_none_or(|from| task.submitted >= from));
    Ok((tasks, next))
}

async fn pages(edge: &Edge, filter: &Filter) -> Result<(Vec<Task>, Option<Cursor>), Problem> {
    let first = if filter.wants_unfinished() { Cursor::Memory(0) } else { Cursor::HistoryStart };
    let mut cursor = filter.cursor.unwrap_or(first);
    let mut found = Vec::new();
    // From one place to the next, until the page is full or the last place is empty.
    loop {
        let room = filter.limit - found.len();
        let (more, next) = match cursor {
            Cursor::Memory(from) => in_memory(edge, filter, from, room).await?,
            Cursor::Parked(due, id) => parked(edge, filter, (due, id), room).await?,
            Cursor::HistoryStart | Cursor::History(_) if !filter.wants_ended() => (Vec::new(), None),
            Cursor::HistoryStart => {
                edge.gateway.tables_follow().await;
                ended(edge, filter, None, room).await?
            }
            Cursor::History(after) => ended(edge, filter, Some(after), room).await?,
        };
        // One that ended since memory was read is in history as well, and newer there.
        let again: BTreeSet<TaskId> = more.iter().map(|task| task.id).collect();
        found.retain(|task: &Task| !again.contains(&task.id));
        found.extend(more);
        match next {
            Some(next) if found.len() < filter.limit && changes_place(cursor, next) => cursor = next,
            next => return Ok((found, next)),
        }
    }
}

/// A place that was not read to its end has used up what one page may cost.
fn changes_place(from: Cursor, to: Cursor) -> bool {
    match (from, to) {
        (Cursor::Memory(_), to) => !matches!(to, Cursor::Memory(_)),
        (Cursor::Parked(..), to) => !matches!(to, Cursor::Parked(..)),
        (Cursor::HistoryStart | Cursor::History(_), _) => false,
    }
}

async fn in_memory(
    edge: &Edge,
    filter: &Filter,
    from: u32,
    limit: usize,
) -> Result<(Vec<Task>, Option<Cursor>), Problem> {
    let (found, next) = from_memory(edge, filter, from, limit).await?;
    if let Some(next) = next {
        return Ok((found, Some(Cursor::Memory(next))));
    }
    // Everything due until then was in memory just now.
    let paged_until = edge.gateway.figures().await.map(|figures| figures.paged_until);
    let paged_until = paged_until.ok_or(Problem::OutcomeUnknown { id: None })?;
    let next = Cursor::Parked(paged_until, TaskId::from_bits(u128::MAX));
    Ok((found, Some(if filter.wants_pending() { next } else { Cursor::HistoryStart })))
}

async fn parked(
    edge: &Edge,
    filter: &Filter,
    mut after: (Wall, TaskId),
    limit: usize,
) -> Result<(Vec<Task>, Option<Cursor>), Problem> {
    let which = filter.unfinished(0, limit);
    edge.readers
        .read(move |reader| {
            let mut found = Vec::new();
            for _ in 0..PARKED_MAX / PARKED_AT_ONCE {
                let from = ParkedFrom::Due { after, until: Wall::from_millis(i64::MAX as u64) };
                let rows = reader.parked(from, PARKED_AT_ONCE)?;
                for row in &rows {
                    after = (row.parked_due.unwrap_or(after.0), row.id);
                    let task = decoded(row.id, &row.bytes)?;
                    found.extend(which.wants(&task).then_some(task));
                    if found.len() >= limit {
                        return Ok((found, Some(Cursor::Parked(after.0, after.1))));
                    }
                }
                if rows.len() < PARKED_AT_ONCE {
                    return Ok((found, Some(Cursor::HistoryStart)));
                }
            }
            Ok((found, Some(Cursor::Parked(after.0, after.1))))
        })
        .await
}

pub(super) fn decoded(id: TaskId, bytes: &[u8]) -> Result<Task, ReadError> {
    read_task(bytes, &mut ProfileCache::default())
        .map_err(|error| ReadError { what: format!("row of {id}: {error}") })
}

async fn ended(
    edge: &Edge,
    filter: &Filter,
    after: Option<HistoryCursor>,
    limit: usize,
) -> Result<(Vec<Task>, Option<Cursor>), Problem> {
    let query = HistoryQuery { limit, after, ..filter.history() };
    edge.readers
        .read(move |reader| {
            let page = reader.history(&query)?;
            let mut profiles = ProfileCache::default();
            let read = |row: &mainspring_store::HistoryRow| {
                read_task(&row.bytes, &mut profiles)
                    .map_err(|error| ReadError { what: format!("row of {}: {error}", row.id) })
            };
            let tasks = page.rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
            Ok((tasks, page.next.map(Cursor::History)))
        })
        .await
}

async fn from_memory(
    edge: &Edge,
    filter: &Filter,
    mut from: u32,
    limit: usize,
) -> Result<(Vec<Task>, Option<u32>), Problem> {
    let mut found = Vec::new();
    for _ in 0..ASKS_MAX {
        let which = filter.unfinished(from, limit - found.len());
        let (tasks, next) = unfinished(edge, which).await?;
        found.extend(tasks);
        match next {
            Some(next) if found.len() < limit => from = next,
            next => return Ok((found, next)),
        }
    }
    Ok((found, Some(from)))
}

async fn unfinished(edge: &Edge, which: Unfinished) -> Result<(Vec<Task>, Option<u32>), Problem> {
    let question = Question::Unfinished(Box::new(which));
    match edge.gateway.ask(Bucket::from_hash(0), Command::Ask(question)).await? {
        Answer::Unfinished(page) => Ok((page.tasks, page.next)),
        _ => Err(Rejection::Internal { what: "a list was answered with something else" }.into()),
    }
}
