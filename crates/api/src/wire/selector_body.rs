//! Which tasks a bulk cancel takes.

use std::collections::BTreeMap;

use mainspring_core::operation::Selector;
use mainspring_core::task::Status;
use mainspring_core::values::{LABELS_MAX, Name};
use serde::Deserialize;

use super::names::name;
use super::profile::executor;
use super::state::parse_status;
use crate::problem::Problem;

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(transform = super::schema::selector_body))]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SelectorBody {
    #[cfg_attr(test, schemars(schema_with = "super::schema::filled_name"))]
    pub tenant: Option<String>,
    #[cfg_attr(test, schemars(schema_with = "super::schema::filled_name"))]
    pub job: Option<String>,
    #[cfg_attr(test, schemars(schema_with = "super::schema::filled_name"))]
    pub pool: Option<String>,
    /// The executor; `webhook` means `http`
    #[serde(alias = "executor")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::task_type_or_null"))]
    pub task_type: Option<String>,
    /// All of them must be there.
    #[cfg_attr(test, schemars(schema_with = "super::schema::labels"))]
    pub labels: BTreeMap<String, String>,
    /// One of them, when the task is looked at.
    #[cfg_attr(test, schemars(schema_with = "super::schema::unfinished_states"))]
    pub state: Vec<String>,
    /// Nothing but this selects every task there is.
    pub all: bool,
    /// Stop running ones too.
    pub force: bool,
    /// Only count what matches now; nothing is changed.
    pub dry_run: bool,
    /// Who does it and why; in the server's log.
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub actor: Option<String>,
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub reason: Option<String>,
}

impl SelectorBody {
    pub(crate) fn check(&self) -> Result<(), Problem> {
        self.selector().map(drop)
    }

    fn selector(&self) -> Result<Selector, Problem> {
        let executor = self.task_type.as_deref().map(|word| executor(Some(word))).transpose()?;
        let selector = Selector {
            tenant: named("tenant", self.tenant.as_deref())?,
            job: named("job", self.job.as_deref())?,
            pool: named("pool", self.pool.as_deref())?,
            executor: Name::fixed(executor.unwrap_or_default()),
            labels: self.labels()?,
            statuses: self.statuses()?,
            ..Selector::default()
        };
        // Empty names match everything, which must be said and not be slipped into.
        match (selector == Selector::default(), self.all) {
            (true, false) => Err(Problem::field(
                "body",
                "name `tenant`, `job`, `pool`, `task_type`, `labels` or `state`, or say `\"all\": true`",
            )),
            (false, true) => Err(Problem::field("all", "it cannot be narrowed; leave it out")),
            (true, true) | (false, false) => Ok(selector),
        }
    }

    fn labels(&self) -> Result<Vec<(Name, Name)>, Problem> {
        let count = self.labels.len();
        if count > LABELS_MAX {
            return Err(Problem::TooManyEntries { field: "labels", count, max: LABELS_MAX });
        }
        let label = |(key, value): (&String, &String)| Ok((name("labels", key)?, name("labels", value)?));
        self.labels.iter().map(label).collect()
    }

    fn statuses(&self) -> Result<Vec<Status>, Problem> {
        let (count, max) = (self.state.len(), Status::ALL.len());
        if count > max {
            return Err(Problem::TooManyEntries { field: "state", count, max });
        }
        let parse = |word: &String| match parse_status(word) {
            None => Err(Problem::field("state", "unknown state")),
            Some(status) if status.is_ended() => {
                Err(Problem::field("state", "what has ended cannot be cancelled; name states before the end"))
            }
            Some(status) => Ok(status),
        };
        let mut statuses = self.state.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        statuses.sort_unstable();
        statuses.dedup();
        let held = |status: &Status| matches!(status, Status::Assigned | Status::Running);
        if !self.force && !statuses.is_empty() && statuses.iter().all(held) {
            return Err(Problem::field("state", "tasks that a worker has are stopped only with `force`"));
        }
        Ok(statuses)
    }
}

fn named(field: &'static str, text: Option<&str>) -> Result<Name, Problem> {
    match text {
        None => Ok(Name::fixed("")),
        Some("") => Err(Problem::field(field, "it is empty; leave it out")),
        Some(text) => name(field, text),
    }
}
