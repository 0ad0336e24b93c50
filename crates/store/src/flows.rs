//! Rows of versions of jobs, and of runs.

use mainspring_core::job::JobKey;
use mainspring_core::run::{Run, StartedBy};
use mainspring_core::values::{Group, Groups, Name, RunId, RunStatus, Wall};

use crate::format::{EncodedProfiles, write_run};

/// Written once, never changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VersionRow {
    pub key: JobKey,
    /// That of the tenant when the row was written.
    pub group: Group,
    pub version: u32,
    pub at: Wall,
    pub hash: u128,
    pub plan: Vec<u8>,
    /// The definition as people wrote it.
    pub source: Vec<u8>,
}

/// Insert or replace; live and ended runs are in one table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunRow {
    pub id: RunId,
    /// That of the tenant when the row was written; it outranks the group in the id.
    pub group: Group,
    pub job: JobKey,
    pub version: u32,
    pub status: RunStatus,
    pub trigger: StartedBy,
    pub labels: Vec<(Name, Name)>,
    pub created: Wall,
    /// `None` while it has not ended.
    pub ended: Option<Wall>,
    /// The run as [`crate::format`] encodes it.
    pub bytes: Vec<u8>,
}

impl RunRow {
    /// The row of a run as it is now.
    pub fn of(run: &Run, groups: Groups, profiles: &mut EncodedProfiles) -> Self {
        let mut bytes = Vec::with_capacity(run.nodes.len() * 8 + 256);
        write_run(&mut bytes, run, profiles);
        Self {
            id: run.id,
            group: groups.of(&run.job.tenant),
            job: (*run.job).clone(),
            version: run.version,
            status: run.status,
            trigger: run.origin.started_by,
            labels: run.labels.as_deref().unwrap_or_default().to_vec(),
            created: run.created,
            ended: run.status.is_ended().then_some(run.ended),
            bytes,
        }
    }
}

/// Of a run that has not ended, what recovery needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiveRun {
    pub id: RunId,
    /// As in [`RunRow`].
    pub bytes: Vec<u8>,
}

/// Every field narrows; `None` and empty do not. Newest first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunQuery {
    pub tenant: Option<Name>,
    pub job: Option<Name>,
    pub statuses: Vec<RunStatus>,
    pub trigger: Option<StartedBy>,
    pub label: Option<(Name, Name)>,
    pub created_from: Option<Wall>,
    pub created_before: Option<Wall>,
    /// No id below this one.
    pub from: Option<RunId>,
    /// The last run of the page before this one.
    pub after: Option<RunId>,
    /// At most [`crate::PAGE_MAX`].
    pub limit: usize,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunPage {
    pub rows: Vec<RunRow>,
    /// The last run that was looked at; `None`: there is no further page.
    pub next: Option<RunId>,
    /// The page is not full, because so many rows were looked at that do not fit as one page may cost. `next` goes on behind
    /// a run that was made then.
    pub looked_until: Option<Wall>,
}

impl RunQuery {
    pub fn wants(&self, row: &RunRow) -> bool {
        self.tenant.as_ref().is_none_or(|tenant| row.job.tenant == *tenant)
            && self.job.as_ref().is_none_or(|job| row.job.name == *job)
            && (self.statuses.is_empty() || self.statuses.contains(&row.status))
            && self.trigger.is_none_or(|trigger| row.trigger == trigger)
            && self.label.as_ref().is_none_or(|label| row.labels.contains(label))
            && self.created_from.is_none_or(|from| row.created >= from)
            && self.created_before.is_none_or(|before| row.created < before)
            && self.from.is_none_or(|from| row.id >= from)
            && self.after.is_none_or(|after| row.id < after)
    }
}
