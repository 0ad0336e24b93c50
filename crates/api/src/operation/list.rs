//! Unfinished tasks from memory, then those parked until their time is near, by that time, then ended ones from history,
//! newest first.
//! - LI-1 a task that goes from one place to the next while a list is read is never left out for it: what was parked
//!   when memory had been read is what was due after `paged_until` then
//! - LI-2 what a caller was told before it asked for a list is in it: parked tasks and history are read when the tables have
//!   followed. If they do not follow in time the list is refused, unless the caller takes an older one

use std::collections::BTreeSet;

use mainspring_core::decision::Rejection;
use mainspring_core::engine::question::{Question, Unfinished, UnfinishedPage};
use mainspring_core::engine::{Answer, Command};
use mainspring_core::task::Task;
use mainspring_core::values::{TaskId, Wall};
use mainspring_store::format::{ProfileCache, read_task};
use mainspring_store::{HistoryCursor, HistoryQuery, ParkedFrom, ReadError};

use super::cursor::{Cursor, MemoryPlace};
use super::filter::Filter;
use crate::edge::Edge;
use crate::problem::Problem;

/// Questions put to the shard for one page; a page may be short although another follows.
const ASKS_MAX: usize = 20;
/// Parked rows looked at for one page, and how many of them at once.
const PARKED_MAX: usize = 20_000;
const PARKED_AT_ONCE: usize = 1_000;

/// A page of a list.
pub(crate) struct Listed<T, C> {
    pub rows: Vec<T>,
    pub next: Option<C>,
    /// The page is not full: so many rows were looked at that do not fit as one page may cost. It has what there is until
    /// this instant, and `next` goes on.
    pub looked_until: Option<Wall>,
}

pub(crate) async fn list(edge: &Edge, filter: &Filter) -> Result<Listed<Task, Cursor>, Problem> {
    let mut page = pages(edge, filter).await?;
    page.rows.retain(|task| filter.was_made_then(task));
    Ok(page)
}

async fn pages(edge: &Edge, filter: &Filter) -> Result<Listed<Task, Cursor>, Problem> {
    let mut shards = edge.gateway.shards_of(edge.gateway.tenant_or_all(filter.tenant.as_ref()));
    let memory = |shard| if filter.wants_unfinished() { shard_start(shard) } else { Cursor::HistoryStart };
    let mut cursor = filter.cursor.unwrap_or_else(|| memory(shards.start));
    if let Cursor::Memory(MemoryPlace { shard, .. }) | Cursor::Parked(shard, ..) = cursor {
        // The cursor of another list, or of a server with more shards.
        if !shards.contains(&shard) {
            return Err(Problem::CursorExpired);
        }
        shards.start = shard;
    }
    let (mut found, mut looked_until) = (Vec::new(), None);
    // From one place to the next, until the page is full or the last place is empty.
    loop {
        let room = filter.limit - found.len();
        let (more, next) = match cursor {
            Cursor::Memory(from) => in_memory(edge, filter, from, room).await?,
            Cursor::Parked(shard, due, id) => {
                edge.gateway.tables_follow(filter.older).await?;
                parked(edge, filter, shard, (due, id), room).await?
            }
            Cursor::HistoryStart | Cursor::History(_) if !filter.wants_ended() => (Vec::new(), None),
            Cursor::HistoryStart => {
                edge.gateway.tables_follow(filter.older).await?;
                ended(edge, filter, None, room, &mut looked_until).await?
            }
            Cursor::History(after) => ended(edge, filter, Some(after), room, &mut looked_until).await?,
        };
        // Shard by shard; then the history of them all.
        let next = match next {
            Some(Cursor::HistoryStart) if shards.len() > 1 => {
                shards.start += 1;
                Some(shard_start(shards.start))
            }
            next => next,
        };
        // One that ended since memory was read is in history as well, and newer there.
        let again: BTreeSet<TaskId> = more.iter().map(|task| task.id).collect();
        found.retain(|task: &Task| !again.contains(&task.id));
        found.extend(more);
        match next {
            Some(next) if found.len() < filter.limit && changes_place(cursor, next) => cursor = next,
            next => return Ok(Listed { rows: found, next, looked_until }),
        }
    }
}

/// A place that was not read to its end has used up what one page may cost.
fn changes_place(from: Cursor, to: Cursor) -> bool {
    match (from, to) {
        (Cursor::Memory(from), Cursor::Memory(to)) => from.shard != to.shard,
        (Cursor::Memory(_), _) => true,
        (Cursor::Parked(..), to) => !matches!(to, Cursor::Parked(..)),
        (Cursor::HistoryStart | Cursor::History(_), _) => false,
    }
}

fn shard_start(shard: usize) -> Cursor {
    Cursor::Memory(MemoryPlace::start(shard))
}

async fn in_memory(
    edge: &Edge,
    filter: &Filter,
    from: MemoryPlace,
    limit: usize,
) -> Result<(Vec<Task>, Option<Cursor>), Problem> {
    let (found, next) = from_memory(edge, filter, from, limit).await?;
    if let Some(next) = next {
        return Ok((found, Some(Cursor::Memory(next))));
    }
    // Everything due until then was in memory just now.
    let paged_until = edge.gateway.figures(from.shard).await.map(|figures| figures.paged_until);
    let paged_until = paged_until.ok_or(Problem::OutcomeUnknown { id: None })?;
    let next = Cursor::Parked(from.shard, paged_until, TaskId::from_bits(u128::MAX));
    Ok((found, Some(if filter.wants_pending() { next } else { Cursor::HistoryStart })))
}

async fn parked(
    edge: &Edge,
    filter: &Filter,
    shard: usize,
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
                        return Ok((found, Some(Cursor::Parked(shard, after.0, after.1))));
                    }
                }
                if rows.len() < PARKED_AT_ONCE {
                    return Ok((found, Some(Cursor::HistoryStart)));
                }
            }
            Ok((found, Some(Cursor::Parked(shard, after.0, after.1))))
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
    looked_until: &mut Option<Wall>,
) -> Result<(Vec<Task>, Option<Cursor>), Problem> {
    let query = HistoryQuery { limit, after, ..filter.history() };
    let (tasks, next, looked) = edge
        .readers
        .read(move |reader| {
            let page = reader.history(&query)?;
            let mut profiles = ProfileCache::default();
            let read = |row: &mainspring_store::HistoryRow| {
                read_task(&row.bytes, &mut profiles)
                    .map_err(|error| ReadError { what: format!("row of {}: {error}", row.id) })
            };
            let tasks = page.rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
            Ok((tasks, page.next.map(Cursor::History), page.looked_until))
        })
        .await?;
    *looked_until = looked;
    Ok((tasks, next))
}

async fn from_memory(
    edge: &Edge,
    filter: &Filter,
    mut from: MemoryPlace,
    limit: usize,
) -> Result<(Vec<Task>, Option<MemoryPlace>), Problem> {
    let mut found = Vec::new();
    for _ in 0..ASKS_MAX {
        let page = unfinished(edge, from, filter.unfinished(from.index, limit - found.len())).await?;
        found.extend(page.tasks);
        let epoch = Some(page.epoch);
        match page.next.map(|index| MemoryPlace { epoch, index, ..from }) {
            Some(next) if found.len() < limit => from = next,
            next => return Ok((found, next)),
        }
    }
    Ok((found, Some(from)))
}

async fn unfinished(
    edge: &Edge,
    from: MemoryPlace,
    which: Unfinished,
) -> Result<Box<UnfinishedPage>, Problem> {
    let question = Question::Unfinished(Box::new(which));
    match edge.gateway.ask_shard(from.shard, Command::Ask(question)).await? {
        Answer::Unfinished(page) if from.epoch.is_none_or(|epoch| epoch == page.epoch) => Ok(page),
        Answer::Unfinished(_) => Err(Problem::CursorExpired),
        _ => Err(Rejection::Internal { what: "a list was answered with something else" }.into()),
    }
}
