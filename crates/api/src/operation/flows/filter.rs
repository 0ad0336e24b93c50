//! Which runs a list holds, and how long pages are.

use mainspring_core::values::{RunId, RunStatus, Wall};
use mainspring_store::{PAGE_MAX, RunQuery};

use crate::operation::{filter::label, prefix};
use crate::problem::Problem;
use crate::wire::{TaskPage, name, parse_trigger};

const PAGE_DEFAULT: usize = 100;
/// Tasks shown with a run unless more are asked for, and at most.
const TASKS_DEFAULT: usize = 1_000;
const TASKS_MAX: usize = 10_000;

/// A filter as callers write it.
#[derive(PartialEq, Debug, Default)]
pub(crate) struct RunFilterBody<'a> {
    pub tenant: Option<&'a str>,
    pub job: Option<&'a str>,
    pub statuses: Vec<RunStatus>,
    pub trigger: Option<&'a str>,
    pub label: Option<&'a str>,
    pub created_from: Option<Wall>,
    pub created_before: Option<Wall>,
    pub limit: Option<usize>,
    pub cursor: Option<&'a str>,
    pub id_prefix: Option<&'a str>,
    /// A list that lacks the newest changes will do.
    pub older: bool,
}

impl RunFilterBody<'_> {
    pub(super) fn checked(self) -> Result<RunQuery, Problem> {
        if let Some(text) = self.id_prefix {
            return self.beginning(text);
        }
        let cursor =
            |text: &str| text.parse().map_err(|_| Problem::query("cursor", "not one that an answer gave"));
        let trigger = |word| parse_trigger(word).ok_or_else(|| Problem::query("trigger", "unknown"));
        Ok(RunQuery {
            tenant: self.tenant.map(|text| name("tenant", text)).transpose()?,
            job: self.job.map(|text| name("job", text)).transpose()?,
            statuses: self.statuses,
            trigger: self.trigger.map(trigger).transpose()?,
            label: self.label.map(label).transpose()?,
            created_from: self.created_from,
            created_before: self.created_before,
            from: None,
            after: self.cursor.map(cursor).transpose()?,
            limit: page_length(self.limit)?,
        })
    }

    /// The runs whose id begins so.
    fn beginning(self, text: &str) -> Result<RunQuery, Problem> {
        let Self { tenant, limit, id_prefix, older, .. } = self;
        if self != (Self { tenant, limit, id_prefix, older, ..Self::default() }) {
            return Err(Problem::query("id_prefix", "it goes with `tenant` and `limit` and nothing else"));
        }
        let (from, through) = prefix::range("run_", text)?;
        Ok(RunQuery {
            tenant: tenant.map(|text| name("tenant", text)).transpose()?,
            from: Some(RunId::from_bits(from)),
            after: through.checked_add(1).map(RunId::from_bits),
            limit: page_length(limit)?,
            ..RunQuery::default()
        })
    }
}

pub(in crate::operation) fn page_length(wanted: Option<usize>) -> Result<usize, Problem> {
    let max = PAGE_MAX;
    match wanted {
        None => Ok(PAGE_DEFAULT),
        Some(0) => Err(Problem::query("limit", "a page has at least one entry")),
        Some(limit) if limit > max => Err(Problem::PageTooLong { limit, max }),
        Some(limit) => Ok(limit),
    }
}

/// Which of its tasks are shown with a run.
pub(crate) fn task_page(offset: Option<usize>, limit: Option<usize>) -> Result<TaskPage, Problem> {
    match limit.unwrap_or(TASKS_DEFAULT) {
        limit if limit > TASKS_MAX => Err(Problem::PageTooLong { limit, max: TASKS_MAX }),
        limit => Ok(TaskPage { offset: offset.unwrap_or(0), limit }),
    }
}
