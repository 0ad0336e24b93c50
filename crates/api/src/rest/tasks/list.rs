//! `GET /v1/tasks`: unfinished tasks from memory, then those parked until their time is near, by that time, then ended
//! ones from history, newest first. With `id_prefix`: the few tasks whose id begins so.
//! - LI-1 a task that goes from one place to the next while a list is read is never left out for it: what was parked
//!   when memory had been read is what was due after `paged_until` then

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use mainspring_core::command::{Answer, Command, Rejection};
use mainspring_core::id::{Slot, TaskId, WorkerId};
use mainspring_core::name::Name;
use mainspring_core::question::{Question, Unfinished};
use mainspring_core::task::{Status, Task};
use mainspring_core::time::Wall;
use mainspring_store::format::{ProfileCache, read_task};
use mainspring_store::{HistoryQuery, ParkedFrom, ReadError};
use serde::Serialize;

use super::super::page::{self, Cursor};
use super::super::{body, json};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::{TaskView, instant, name, parse_status};

pub(in crate::rest) const PARAMETERS: [&str; 11] = [
    "tenant",
    "job",
    "state",
    "worker",
    "label",
    "created_from",
    "ended_from",
    "ended_before",
    "limit",
    "cursor",
    "status",
];

/// Questions put to the shard for one page; a page may be short although another follows.
const ASKS_MAX: usize = 20;
/// Parked rows looked at for one page, and how many of them at once.
const PARKED_MAX: usize = 20_000;
const PARKED_AT_ONCE: usize = 1_000;

pub(in crate::rest) struct Filter {
    tenant: Option<Name>,
    job: Option<Name>,
    pub(in crate::rest) statuses: Vec<Status>,
    worker: Option<WorkerId>,
    label: Option<(Name, Name)>,
    created_from: Option<Wall>,
    ended_from: Option<Wall>,
    ended_before: Option<Wall>,
    limit: usize,
    cursor: Option<Cursor>,
}

#[derive(Serialize)]
pub(super) struct Page<'a> {
    pub(super) tasks: Vec<TaskView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
}

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    if request.uri().query().is_some_and(|query| query.contains("id_prefix")) {
        return super::prefix::answer(&edge, request.uri()).await;
    }
    let filter = Filter::parse(request.uri(), &PARAMETERS)?;
    answer(&edge, &filter).await
}

pub(in crate::rest) async fn answer(edge: &Edge, filter: &Filter) -> Result<Response, Problem> {
    let (mut tasks, next) = tasks(edge, filter).await?;
    tasks.retain(|task| filter.created_from.is_none_or(|from| task.submitted >= from));
    let views = tasks.iter().map(|task| TaskView::of(task, false)).collect();
    let page = Page { tasks: views, next_cursor: next.map(|cursor| cursor.to_string()) };
    Ok(json(StatusCode::OK, &page))
}

async fn tasks(edge: &Edge, filter: &Filter) -> Result<(Vec<Task>, Option<Cursor>), Problem> {
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
            Cursor::HistoryStart => ended(edge, filter, None, room).await?,
            Cursor::History(after) => ended(edge, filter, Some(after), room).await?,
        };
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
    after: Option<mainspring_store::HistoryCursor>,
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
    match edge.gateway.ask(Slot::from_hash(0), Command::Ask(question)).await? {
        Answer::Unfinished(page) => Ok((page.tasks, page.next)),
        _ => Err(Rejection::Internal { what: "a list was answered with something else" }.into()),
    }
}

impl Filter {
    pub(in crate::rest) fn parse(uri: &Uri, known: &[&str]) -> Result<Self, Problem> {
        let query = body::query(uri, known)?;
        let named = |key: &'static str| query.get(key).map(|text| name(key, text)).transpose();
        let at = |key: &str| query.get(key).map(|text| instant(key, text)).transpose();
        Ok(Self {
            tenant: named("tenant")?,
            job: named("job")?,
            statuses: statuses(query.get("state").or_else(|| query.get("status")))?,
            worker: query
                .get("worker")
                .map(|text| text.parse().map_err(|_| Problem::query("worker", "not the id of a worker")))
                .transpose()?,
            label: query.get("label").map(|text| label(text)).transpose()?,
            created_from: at("created_from")?,
            ended_from: at("ended_from")?,
            ended_before: at("ended_before")?,
            limit: page::limit(&query)?,
            cursor: page::cursor(&query)?,
        })
    }

    fn wants_unfinished(&self) -> bool {
        let ended_only = self.ended_from.is_some() || self.ended_before.is_some();
        !ended_only && (self.statuses.is_empty() || self.statuses.iter().any(|status| !status.is_ended()))
    }

    /// Only pending tasks are ever parked, and no worker has them.
    fn wants_pending(&self) -> bool {
        self.worker.is_none() && (self.statuses.is_empty() || self.statuses.contains(&Status::Pending))
    }

    fn unfinished(&self, from: u32, limit: usize) -> Unfinished {
        Unfinished {
            from,
            limit,
            tenant: self.tenant.clone(),
            job: self.job.clone(),
            statuses: self.statuses.clone(),
            worker: self.worker,
            label: self.label.clone(),
        }
    }

    fn wants_ended(&self) -> bool {
        self.statuses.is_empty() || self.statuses.iter().any(|status| status.is_ended())
    }

    fn history(&self) -> HistoryQuery {
        HistoryQuery {
            tenant: self.tenant.clone(),
            job: self.job.clone(),
            statuses: self.statuses.iter().copied().filter(|status| status.is_ended()).collect(),
            worker: self.worker,
            label: self.label.clone(),
            // What ended before it was made is none of these.
            ended_from: self.ended_from.max(self.created_from),
            ended_before: self.ended_before,
            after: None,
            limit: self.limit,
        }
    }
}

/// One or several, with commas.
fn statuses(text: Option<&String>) -> Result<Vec<Status>, Problem> {
    let words = text.map(|text| text.split(',')).into_iter().flatten().filter(|word| !word.is_empty());
    let parse =
        |word: &str| parse_status(word.trim()).ok_or_else(|| Problem::query("state", "unknown state"));
    words.map(parse).collect()
}

fn label(text: &str) -> Result<(Name, Name), Problem> {
    let (key, value) = text.split_once('=').ok_or_else(|| Problem::query("label", "write `key=value`"))?;
    Ok((name("label", key)?, name("label", value)?))
}
