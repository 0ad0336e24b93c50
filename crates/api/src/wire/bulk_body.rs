//! Bulk work as callers ask for it: a verb, and what it is done with.

use std::collections::BTreeMap;

use mainspring_core::operation::{BulkVerb, RunSelector, Selector};
use mainspring_core::task::Status;
use mainspring_core::values::{LABELS_MAX, Name, Priority, RunStatus};
use serde::Deserialize;

use super::flow_state::{parse_run_status, parse_trigger};
use super::names::name;
use super::profile::executor;
use super::state::parse_status;
use super::task_body::PriorityBody;
use super::time::TimeBody;
use crate::problem::Problem;

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct BulkBody {
    /// What is done with each
    #[cfg_attr(test, schemars(schema_with = "super::schema::bulk_verb"))]
    pub verb: String,
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::filled_name"))]
    pub tenant: Option<String>,
    /// Of tasks, runs and schedules: their job
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::filled_name"))]
    pub job: Option<String>,
    /// Of tasks and workers
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::filled_name"))]
    pub pool: Option<String>,
    /// Of tasks: the executor; `webhook` means `http`
    #[serde(default, alias = "executor")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::task_type_or_null"))]
    pub task_type: Option<String>,
    /// Of tasks, runs and workers: all of them must be there
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::labels"))]
    pub labels: BTreeMap<String, String>,
    /// Of tasks and runs: in one of these when it is looked at
    #[serde(default)]
    #[cfg_attr(test, schemars(length(max = 12)))]
    pub state: Vec<String>,
    /// Of failed tasks: a group of `/v1/dead-letters/groups`
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::filled_name"))]
    pub fingerprint: Option<String>,
    /// Of runs: what began them
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::filled_name"))]
    pub trigger: Option<String>,
    /// Of jobs and schedules: a tag of the job
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::filled_name"))]
    pub tag: Option<String>,
    /// Of jobs
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::filled_name"))]
    pub owner: Option<String>,
    /// Of jobs and schedules: how their names begin
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::filled_name"))]
    pub name_prefix: Option<String>,
    /// Of tasks and runs: made at or after this; of failed tasks: ended at or after this
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::time_or_null"))]
    pub since: Option<TimeBody>,
    /// As `since`, before this
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::time_or_null"))]
    pub until: Option<TimeBody>,
    /// Nothing but this selects everything there is
    #[serde(default)]
    pub all: bool,
    /// Of `cancel_tasks`: stop running ones too
    #[serde(default)]
    pub force: bool,
    /// Of `set_task_priority`
    #[serde(default)]
    pub priority: Option<PriorityBody>,
    /// Only count what matches now; nothing is changed
    #[serde(default)]
    pub dry_run: bool,
    /// Who does it and why; kept with the operation and what it changes
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub actor: Option<String>,
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub reason: Option<String>,
}

/// What a verb is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BulkOf {
    Tasks,
    Runs,
    Jobs,
    Schedules,
    Workers,
}

pub(crate) const BULK_VERBS: [(&str, BulkOf); 17] = [
    ("cancel_tasks", BulkOf::Tasks),
    ("run_tasks_now", BulkOf::Tasks),
    ("set_task_priority", BulkOf::Tasks),
    ("retry_tasks", BulkOf::Tasks),
    ("discard_tasks", BulkOf::Tasks),
    ("cancel_runs", BulkOf::Runs),
    ("pause_runs", BulkOf::Runs),
    ("resume_runs", BulkOf::Runs),
    ("retry_runs", BulkOf::Runs),
    ("pause_jobs", BulkOf::Jobs),
    ("resume_jobs", BulkOf::Jobs),
    ("delete_jobs", BulkOf::Jobs),
    ("pause_schedules", BulkOf::Schedules),
    ("resume_schedules", BulkOf::Schedules),
    ("cordon_workers", BulkOf::Workers),
    ("drain_workers", BulkOf::Workers),
    ("uncordon_workers", BulkOf::Workers),
];

impl BulkBody {
    /// Fields that narrow, each with whether it is there and the verbs that know it.
    fn fields(&self) -> [(&'static str, bool, &'static [BulkOf]); 13] {
        use BulkOf::{Jobs, Runs, Schedules, Tasks, Workers};
        [
            ("tenant", self.tenant.is_some(), &[Tasks, Runs, Jobs, Schedules]),
            ("job", self.job.is_some(), &[Tasks, Runs, Schedules]),
            ("pool", self.pool.is_some(), &[Tasks, Workers]),
            ("task_type", self.task_type.is_some(), &[Tasks]),
            ("labels", !self.labels.is_empty(), &[Tasks, Runs, Workers]),
            ("state", !self.state.is_empty(), &[Tasks, Runs]),
            ("fingerprint", self.fingerprint.is_some(), &[Tasks]),
            ("trigger", self.trigger.is_some(), &[Runs]),
            ("tag", self.tag.is_some(), &[Jobs, Schedules]),
            ("owner", self.owner.is_some(), &[Jobs]),
            ("name_prefix", self.name_prefix.is_some(), &[Jobs, Schedules]),
            ("since", self.since.is_some(), &[Tasks, Runs]),
            ("until", self.until.is_some(), &[Tasks, Runs]),
        ]
    }

    pub(crate) fn verb(&self) -> Result<(BulkVerb, BulkOf), Problem> {
        let known = BULK_VERBS.into_iter().find(|(word, _)| *word == self.verb);
        let (word, of) = known.ok_or_else(|| {
            let words: Vec<&str> = BULK_VERBS.iter().map(|(word, _)| *word).collect();
            Problem::field("verb", format!("not one of {}", words.join(", ")))
        })?;
        let verb = match word {
            "cancel_tasks" => BulkVerb::CancelTasks { stop_running: self.force },
            "run_tasks_now" => BulkVerb::RunTasksNow,
            "set_task_priority" => BulkVerb::SetPriority(self.wanted_priority()?),
            "retry_tasks" => BulkVerb::RetryTasks,
            "discard_tasks" => BulkVerb::DiscardTasks,
            "cancel_runs" => BulkVerb::CancelRuns,
            "pause_runs" => BulkVerb::PauseRuns,
            "resume_runs" => BulkVerb::ResumeRuns,
            "retry_runs" => BulkVerb::RetryRuns,
            "pause_jobs" => BulkVerb::PauseJobs,
            "resume_jobs" => BulkVerb::ResumeJobs,
            "delete_jobs" => BulkVerb::DeleteJobs,
            "pause_schedules" => BulkVerb::PauseSchedules,
            "resume_schedules" => BulkVerb::ResumeSchedules,
            "cordon_workers" => BulkVerb::CordonWorkers,
            "drain_workers" => BulkVerb::DrainWorkers,
            _ => BulkVerb::UncordonWorkers,
        };
        self.check(verb, of)?;
        Ok((verb, of))
    }

    fn wanted_priority(&self) -> Result<Priority, Problem> {
        let priority = self.priority.as_ref().map(|priority| priority.0);
        priority.ok_or_else(|| Problem::field("priority", "say which"))
    }

    /// Everything must be said and not be slipped into.
    fn check(&self, verb: BulkVerb, of: BulkOf) -> Result<(), Problem> {
        let word = &self.verb;
        let given = || self.fields().into_iter().filter(|(_, given, _)| *given);
        if let Some((field, ..)) = given().find(|(.., known)| !known.contains(&of)) {
            return Err(Problem::field(field, format!("it does not go with `{word}`")));
        }
        if self.fingerprint.is_some() && !verb.is_about_ended() {
            return Err(Problem::field("fingerprint", format!("it does not go with `{word}`")));
        }
        if self.force && !matches!(verb, BulkVerb::CancelTasks { .. }) {
            return Err(Problem::field("force", format!("it does not go with `{word}`")));
        }
        if self.priority.is_some() && !matches!(verb, BulkVerb::SetPriority(_)) {
            return Err(Problem::field("priority", format!("it does not go with `{word}`")));
        }
        match (given().next().is_some(), self.all) {
            (false, false) => {
                let known = self.fields().into_iter().filter(|(.., known)| known.contains(&of));
                let known: Vec<String> = known.map(|(field, ..)| format!("`{field}`")).collect();
                let advice = format!("name one of {}, or say `\"all\": true`", known.join(", "));
                Err(Problem::field("body", &advice))
            }
            (true, true) => Err(Problem::field("all", "it cannot be narrowed; leave it out")),
            (true, false) | (false, true) => Ok(()),
        }
    }

    pub(crate) fn selector(&self, verb: BulkVerb) -> Result<Selector, Problem> {
        let executor = self.task_type.as_deref().map(|word| executor(Some(word))).transpose()?;
        Ok(Selector {
            tenant: named("tenant", self.tenant.as_deref())?,
            job: named("job", self.job.as_deref())?,
            pool: named("pool", self.pool.as_deref())?,
            executor: Name::fixed(executor.unwrap_or_default()),
            labels: self.labels()?,
            statuses: self.statuses(verb)?,
            fingerprint: self.fingerprint()?,
            since: self.since.as_ref().map(|at| at.0),
            until: self.until.as_ref().map(|at| at.0),
        })
    }

    pub(crate) fn run_selector(&self, verb: BulkVerb) -> Result<RunSelector, Problem> {
        let trigger = |word| parse_trigger(word).ok_or_else(|| Problem::field("trigger", "unknown"));
        Ok(RunSelector {
            tenant: named("tenant", self.tenant.as_deref())?,
            job: named("job", self.job.as_deref())?,
            labels: self.labels()?,
            statuses: self.run_statuses(verb)?,
            started_by: self.trigger.as_deref().map(trigger).transpose()?,
            since: self.since.as_ref().map(|at| at.0),
            until: self.until.as_ref().map(|at| at.0),
        })
    }

    pub(crate) fn labels(&self) -> Result<Vec<(Name, Name)>, Problem> {
        let count = self.labels.len();
        if count > LABELS_MAX {
            return Err(Problem::TooManyEntries { field: "labels", count, max: LABELS_MAX });
        }
        let label = |(key, value): (&String, &String)| Ok((name("labels", key)?, name("labels", value)?));
        self.labels.iter().map(label).collect()
    }

    fn fingerprint(&self) -> Result<Option<u64>, Problem> {
        let parse = |text: &String| {
            let number = Some(text).filter(|text| text.len() == 16);
            let number = number.and_then(|text| u64::from_str_radix(text, 16).ok());
            number.ok_or_else(|| Problem::field("fingerprint", "not one that `/v1/dead-letters/groups` gave"))
        };
        self.fingerprint.as_ref().map(parse).transpose()
    }

    fn statuses(&self, verb: BulkVerb) -> Result<Vec<Status>, Problem> {
        let (count, max) = (self.state.len(), Status::ALL.len());
        if count > max {
            return Err(Problem::TooManyEntries { field: "state", count, max });
        }
        let held = |status: Status| matches!(status, Status::Assigned | Status::Running);
        let fits = |status: Status| match verb {
            BulkVerb::CancelTasks { .. } => !status.is_ended(),
            BulkVerb::RunTasksNow => matches!(status, Status::Pending | Status::RetryWait),
            BulkVerb::RetryTasks => status.is_dead() || matches!(status, Status::Cancelled | Status::Skipped),
            BulkVerb::DiscardTasks => status.is_dead(),
            _ => !status.is_ended() && !held(status),
        };
        let parse = |word: &String| match parse_status(word) {
            None => Err(Problem::field("state", "unknown state")),
            Some(status) if !fits(status) => Err(Problem::field(
                "state",
                format!("`{}` is not for tasks that are {}", self.verb, status.label()),
            )),
            Some(status) => Ok(status),
        };
        let mut statuses = self.state.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        statuses.sort_unstable();
        statuses.dedup();
        if matches!(verb, BulkVerb::CancelTasks { stop_running: false })
            && !statuses.is_empty()
            && statuses.iter().all(|status| held(*status))
        {
            return Err(Problem::field("state", "tasks that a worker has are stopped only with `force`"));
        }
        Ok(statuses)
    }

    fn run_statuses(&self, verb: BulkVerb) -> Result<Vec<RunStatus>, Problem> {
        let (count, max) = (self.state.len(), Status::ALL.len());
        if count > max {
            return Err(Problem::TooManyEntries { field: "state", count, max });
        }
        let fits = |status: RunStatus| match verb {
            BulkVerb::RetryRuns => matches!(status, RunStatus::Failed | RunStatus::Cancelled),
            _ => !status.is_ended(),
        };
        let parse = |word: &String| match parse_run_status(word) {
            None => Err(Problem::field("state", "unknown state")),
            Some(status) if !fits(status) => Err(Problem::field(
                "state",
                format!("`{}` is not for runs that are {}", self.verb, status.label()),
            )),
            Some(status) => Ok(status),
        };
        self.state.iter().map(parse).collect()
    }
}

fn named(field: &'static str, text: Option<&str>) -> Result<Name, Problem> {
    match text {
        None => Ok(Name::fixed("")),
        Some("") => Err(Problem::field(field, "it is empty; leave it out")),
        Some(text) => name(field, text),
    }
}
