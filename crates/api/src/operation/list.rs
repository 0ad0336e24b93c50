//! Unfinished tasks from memory, then ended ones from history, newest first. Parked tasks (due far ahead) are in
//! neither and are found by id only.

use mainspring_core::command::{Answer, Command, Rejection};
use mainspring_core::id::{Slot, WorkerId};
use mainspring_core::name::Name;
use mainspring_core::question::{Question, Unfinished};
use mainspring_core::task::{Status, Task};
use mainspring_core::time::Wall;
use mainspring_store::format::{ProfileCache, read_task};
use mainspring_store::{HistoryQuery, PAGE_MAX, ReadError};

use super::cursor::Cursor;
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::name;

const PAGE_DEFAULT: usize = 100;
/// Questions put to the shard for one page; a page may be short although another follows.
const ASKS_MAX: usize = 20;

/// A filter as callers write it.
#[derive(Debug, Default)]
pub(crate) struct FilterBody<'a> {
    pub tenant: Option<&'a str>,
    pub job: Option<&'a str>,
    pub statuses: Vec<Status>,
    pub worker: Option<&'a str>,
    pub label: Option<&'a str>,
    pub ended_from: Option<Wall>,
    pub ended_before: Option<Wall>,
    pub limit: Option<usize>,
    pub cursor: Option<&'a str>,
}

pub(crate) struct Filter {
    tenant: Option<Name>,
    job: Option<Name>,
    pub(crate) statuses: Vec<Status>,
    worker: Option<WorkerId>,
    label: Option<(Name, Name)>,
    ended_from: Option<Wall>,
    ended_before: Option<Wall>,
    limit: usize,
    cursor: Option<Cursor>,
}

/// Of what a filter names, only what failed for good or was quarantined; all of those if it names none.
pub(crate) fn only_dead(mut filter: Filter) -> Filter {
    let is_dead = |status: &Status| matches!(status, Status::Failed | Status::Quarantined);
    filter.statuses.retain(is_dead);
    if filter.statuses.is_empty() {
        filter.statuses = vec![Status::Failed, Status::Quarantined];
    }
    filter
}

pub(crate) async fn list(edge: &Edge, filter: &Filter) -> Result<(Vec<Task>, Option<Cursor>), Problem> {
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

impl FilterBody<'_> {
    pub(crate) fn checked(self) -> Result<Filter, Problem> {
        let parse_worker =
            |text: &str| text.parse().map_err(|_| Problem::query("worker", "not the id of a worker"));
        let parse_cursor =
            |text: &str| text.parse().map_err(|()| Problem::query("cursor", "not one that an answer gave"));
        Ok(Filter {
            tenant: self.tenant.map(|text| name("tenant", text)).transpose()?,
            job: self.job.map(|text| name("job", text)).transpose()?,
            statuses: self.statuses,
            worker: self.worker.map(parse_worker).transpose()?,
            label: self.label.map(label).transpose()?,
            ended_from: self.ended_from,
            ended_before: self.ended_before,
            limit: limit(self.limit)?,
            cursor: self.cursor.map(parse_cursor).transpose()?,
        })
    }
}

impl Filter {
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

fn limit(wanted: Option<usize>) -> Result<usize, Problem> {
    match wanted {
        None => Ok(PAGE_DEFAULT),
        Some(0) => Err(Problem::query("limit", "at least 1")),
        Some(limit) if limit > PAGE_MAX => Err(Problem::PageTooLong { limit, max: PAGE_MAX }),
        Some(limit) => Ok(limit),
    }
}

fn label(text: &str) -> Result<(Name, Name), Problem> {
    let (key, value) = text.split_once('=').ok_or_else(|| Problem::query("label", "write `key=value`"))?;
    Ok((name("label", key)?, name("label", value)?))
}
