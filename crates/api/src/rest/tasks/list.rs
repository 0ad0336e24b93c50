//! `GET /v1/tasks`: unfinished tasks from memory, then ended ones from history, newest first. Parked tasks (due far
//! ahead) are in neither and are found by id only.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use mainspring_core::command::{Answer, Command, Rejection};
use mainspring_core::id::{Slot, WorkerId};
use mainspring_core::name::Name;
use mainspring_core::question::{Question, Unfinished};
use mainspring_core::task::{Status, Task};
use mainspring_core::time::Wall;
use mainspring_store::format::{ProfileCache, read_task};
use mainspring_store::{HistoryQuery, ReadError};
use serde::Serialize;

use super::super::page::{self, Cursor};
use super::super::{body, json};
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::{TaskView, instant, name, parse_status};

pub(in crate::rest) const PARAMETERS: [&str; 10] =
    ["tenant", "job", "state", "worker", "label", "ended_from", "ended_before", "limit", "cursor", "status"];

/// Questions put to the shard for one page; a page may be short although another follows.
const ASKS_MAX: usize = 20;

pub(in crate::rest) struct Filter {
    tenant: Option<Name>,
    job: Option<Name>,
    pub(in crate::rest) statuses: Vec<Status>,
    worker: Option<WorkerId>,
    label: Option<(Name, Name)>,
    ended_from: Option<Wall>,
    ended_before: Option<Wall>,
    limit: usize,
    cursor: Option<Cursor>,
}

#[derive(Serialize)]
struct Page<'a> {
    tasks: Vec<TaskView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    request: Request,
) -> Result<Response, Problem> {
    let filter = Filter::parse(request.uri(), &PARAMETERS)?;
    answer(&edge, &filter).await
}

pub(in crate::rest) async fn answer(edge: &Edge, filter: &Filter) -> Result<Response, Problem> {
    let (tasks, next) = tasks(edge, filter).await?;
    let views = tasks.iter().map(|task| TaskView::of(task, false)).collect();
    let page = Page { tasks: views, next_cursor: next.map(|cursor| cursor.to_string()) };
    Ok(json(StatusCode::OK, &page))
}

async fn tasks(edge: &Edge, filter: &Filter) -> Result<(Vec<Task>, Option<Cursor>), Problem> {
    let first = if filter.wants_unfinished() { Cursor::Memory(0) } else { Cursor::HistoryStart };
    let (mut found, after) = match filter.cursor.unwrap_or(first) {
        Cursor::Memory(from) => match from_memory(edge, filter, from).await? {
            (found, Some(next)) => return Ok((found, Some(Cursor::Memory(next)))),
            (found, None) => (found, None),
        },
        Cursor::HistoryStart => (Vec::new(), None),
        Cursor::History(after) => (Vec::new(), Some(after)),
    };
    if !filter.wants_ended() {
        return Ok((found, None));
    }
    if found.len() >= filter.limit {
        return Ok((found, Some(Cursor::HistoryStart)));
    }
    let query = HistoryQuery { limit: filter.limit - found.len(), after, ..filter.history() };
    let (ended, next) = edge
        .readers
        .read(move |reader| {
            let page = reader.history(&query)?;
            let mut profiles = ProfileCache::default();
            let read = |row: &mainspring_store::HistoryRow| {
                read_task(&row.bytes, &mut profiles)
                    .map_err(|error| ReadError { what: format!("row of {}: {error}", row.id) })
            };
            Ok((page.rows.iter().map(read).collect::<Result<Vec<_>, _>>()?, page.next))
        })
        .await?;
    found.extend(ended);
    Ok((found, next.map(Cursor::History)))
}

async fn from_memory(edge: &Edge, filter: &Filter, from: u32) -> Result<(Vec<Task>, Option<u32>), Problem> {
    let (mut found, mut from) = (Vec::new(), from);
    for _ in 0..ASKS_MAX {
        let (tasks, next) = unfinished(edge, filter, from, filter.limit - found.len()).await?;
        found.extend(tasks);
        match next {
            Some(next) if found.len() < filter.limit => from = next,
            next => return Ok((found, next)),
        }
    }
    Ok((found, Some(from)))
}

async fn unfinished(
    edge: &Edge,
    filter: &Filter,
    from: u32,
    limit: usize,
) -> Result<(Vec<Task>, Option<u32>), Problem> {
    let which = Unfinished {
        from,
        limit,
        tenant: filter.tenant.clone(),
        job: filter.job.clone(),
        statuses: filter.statuses.clone(),
        worker: filter.worker,
        label: filter.label.clone(),
    };
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
            ended_from: self.ended_from,
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
