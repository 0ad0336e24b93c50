//! Which tasks a list holds.

use mainspring_core::dispatch::WaitKind;
use mainspring_core::engine::question::{Unfinished, WaitsFor};
use mainspring_core::task::{Status, Task};
use mainspring_core::values::{Name, Wall, WorkerId};
use mainspring_store::{HistoryQuery, PAGE_MAX};

use super::cursor::Cursor;
use crate::problem::Problem;
use crate::wire::name;

const PAGE_DEFAULT: usize = 100;

/// A filter as callers write it.
#[derive(Debug, Default)]
pub(crate) struct FilterBody<'a> {
    pub tenant: Option<&'a str>,
    pub job: Option<&'a str>,
    pub statuses: Vec<Status>,
    pub worker: Option<&'a str>,
    pub label: Option<&'a str>,
    pub pool: Option<&'a str>,
    pub reason: Option<&'a str>,
    pub limit_name: Option<&'a str>,
    pub created_from: Option<Wall>,
    pub created_before: Option<Wall>,
    pub ended_from: Option<Wall>,
    pub ended_before: Option<Wall>,
    pub limit: Option<usize>,
    pub cursor: Option<&'a str>,
    /// A list that lacks the newest changes will do.
    pub older: bool,
}

pub(crate) struct Filter {
    pub(super) tenant: Option<Name>,
    job: Option<Name>,
    statuses: Vec<Status>,
    worker: Option<WorkerId>,
    label: Option<(Name, Name)>,
    pool: Option<Name>,
    waits_for: Option<WaitsFor>,
    created_from: Option<Wall>,
    created_before: Option<Wall>,
    ended_from: Option<Wall>,
    ended_before: Option<Wall>,
    pub(super) limit: usize,
    pub(super) cursor: Option<Cursor>,
    pub(super) older: bool,
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
            pool: self.pool.map(|text| filled("pool", text)).transpose()?,
            waits_for: waits_for(self.reason, self.limit_name)?,
            created_from: self.created_from,
            created_before: self.created_before,
            ended_from: self.ended_from,
            ended_before: self.ended_before,
            limit: page_length(self.limit)?,
            cursor: self.cursor.map(parse_cursor).transpose()?,
            older: self.older,
        })
    }
}

impl Filter {
    pub(super) fn wants_unfinished(&self) -> bool {
        let ended_only = self.ended_from.is_some() || self.ended_before.is_some();
        !ended_only && (self.statuses.is_empty() || self.statuses.iter().any(|status| !status.is_ended()))
    }

    /// Only pending tasks are ever parked, and no worker has them.
    pub(super) fn wants_pending(&self) -> bool {
        self.worker.is_none()
            && self.waits_for.is_none()
            && (self.statuses.is_empty() || self.statuses.contains(&Status::Pending))
    }

    pub(super) fn unfinished(&self, from: u32, limit: usize) -> Unfinished {
        Unfinished {
            from,
            limit,
            tenant: self.tenant.clone(),
            job: self.job.clone(),
            statuses: self.statuses.clone(),
            worker: self.worker,
            label: self.label.clone(),
            pool: self.pool.clone(),
            waits_for: self.waits_for.clone(),
        }
    }

    pub(super) fn was_made_then(&self, task: &Task) -> bool {
        self.created_from.is_none_or(|from| task.submitted >= from)
            && self.created_before.is_none_or(|before| task.submitted < before)
    }

    /// Pools and reasons are those of unfinished tasks.
    pub(super) fn wants_ended(&self) -> bool {
        let of_unfinished = self.pool.is_some() || self.waits_for.is_some();
        !of_unfinished && self.wants_any_ended()
    }

    fn wants_any_ended(&self) -> bool {
        self.statuses.is_empty() || self.statuses.iter().any(|status| status.is_ended())
    }

    pub(super) fn history(&self) -> HistoryQuery {
        HistoryQuery {
            tenant: self.tenant.clone(),
            job: self.job.clone(),
            statuses: self.statuses.iter().copied().filter(|status| status.is_ended()).collect(),
            worker: self.worker,
            label: self.label.clone(),
            created_from: self.created_from,
            created_before: self.created_before,
            // What ended before it was made is none of these.
            ended_from: self.ended_from.max(self.created_from),
            ended_before: self.ended_before,
            after: None,
            limit: self.limit,
        }
    }
}

fn filled(parameter: &'static str, text: &str) -> Result<Name, Problem> {
    if text.is_empty() {
        return Err(Problem::query(parameter, "it may not be empty"));
    }
    name(parameter, text)
}

fn waits_for(reason: Option<&str>, limit: Option<&str>) -> Result<Option<WaitsFor>, Problem> {
    let kind = |word: &str| WaitKind::ALL.into_iter().find(|kind| kind.label() == word);
    let wanted = reason
        .map(|word| kind(word).ok_or_else(|| Problem::query("reason", "no queued task waits for that")));
    let limit = limit.map(|text| filled("limit_name", text)).transpose()?;
    match (wanted.transpose()?, limit) {
        (None, None) => Ok(None),
        (None | Some(WaitKind::Limit), limit @ Some(_)) => {
            Ok(Some(WaitsFor { kind: WaitKind::Limit, limit }))
        }
        (Some(_), Some(_)) => Err(Problem::query("limit_name", "it goes with `reason=limit`")),
        (Some(kind), None) => Ok(Some(WaitsFor { kind, limit: None })),
    }
}

pub(super) fn page_length(wanted: Option<usize>) -> Result<usize, Problem> {
    match wanted {
        None => Ok(PAGE_DEFAULT),
        Some(0) => Err(Problem::query("limit", "at least 1")),
        Some(limit) if limit > PAGE_MAX => Err(Problem::PageTooLong { limit, max: PAGE_MAX }),
        Some(limit) => Ok(limit),
    }
}

pub(super) fn label(text: &str) -> Result<(Name, Name), Problem> {
    let (key, value) = text.split_once('=').ok_or_else(|| Problem::query("label", "write `key=value`"))?;
    Ok((name("label", key)?, name("label", value)?))
}
