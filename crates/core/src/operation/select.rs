//! Which tasks and runs an operation is about.

use crate::run::{Run, StartedBy};
use crate::task::{Status, Task, fingerprint};
use crate::values::{Name, NodeInstance, RunStatus, Wall};

/// What is named must match; empty names and lists match everything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selector {
    pub tenant: Name,
    pub job: Name,
    pub pool: Name,
    pub executor: Name,
    /// All of them.
    pub labels: Vec<(Name, Name)>,
    /// One of them, at the moment the task is looked at.
    pub statuses: Vec<Status>,
    /// Of the last error, see [`fingerprint`].
    pub fingerprint: Option<u64>,
    /// Ended, or as long as it has not: submitted, at or after this instant.
    pub since: Option<Wall>,
    /// As `since`, before this instant.
    pub until: Option<Wall>,
}

/// What is named must match; empty names and lists match everything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunSelector {
    pub tenant: Name,
    pub job: Name,
    /// All of them.
    pub labels: Vec<(Name, Name)>,
    /// One of them, at the moment the run is looked at.
    pub statuses: Vec<RunStatus>,
    pub started_by: Option<StartedBy>,
    /// Created at or after this instant.
    pub since: Option<Wall>,
    /// Created before this instant.
    pub until: Option<Wall>,
}

fn named(wanted: &str, have: &str) -> bool {
    wanted.is_empty() || wanted == have
}

fn within(since: Option<Wall>, until: Option<Wall>, at: Wall) -> bool {
    since.is_none_or(|since| at >= since) && until.is_none_or(|until| at < until)
}

impl Selector {
    pub fn matches(&self, task: &Task) -> bool {
        let status = task.status();
        let at = if status.is_ended() { task.changed } else { task.submitted };
        named(&self.tenant, &task.profile.tenant)
            && named(&self.job, &task.profile.job)
            && named(&self.pool, &task.profile.requirements.pool)
            && named(&self.executor, &task.profile.executor)
            && (self.statuses.is_empty() || self.statuses.contains(&status))
            && self.labels.iter().all(|label| task.labels().contains(label))
            && within(self.since, self.until, at)
            && self.fingerprint.is_none_or(|wanted| fingerprint(task) == wanted)
    }
}

impl RunSelector {
    pub fn matches(&self, run: &Run) -> bool {
        let labels = run.labels.as_deref().unwrap_or_default();
        named(&self.tenant, &run.job.tenant)
            && named(&self.job, &run.job.name)
            && (self.statuses.is_empty() || self.statuses.contains(&run.status))
            && self.started_by.is_none_or(|wanted| run.origin.started_by == wanted)
            && self.labels.iter().all(|label| labels.contains(label))
            && within(self.since, self.until, run.created)
    }
}

/// Something took the place of this task of a run, or its run succeeded all the same.
pub fn is_repaired(run: &Run, place: NodeInstance) -> bool {
    let is_known = (place.node as usize) < run.nodes.len();
    run.status == RunStatus::Succeeded || !is_known || run.place(place.node, place.index) != place
}
