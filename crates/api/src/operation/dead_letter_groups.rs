//! Dead letters by what went wrong: errors that differ only in numbers, ids and quoted parts are one group.
//! - GF-1 groups are by fingerprint (`core::task::fingerprint`), which stays the same from one answer to the next
//! - GF-2 at most [`SCANNED_MAX`] dead letters are looked at, the newest; an answer says if there are more

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::operation::is_repaired;
use mainspring_core::run::Run;
use mainspring_core::task::{self, Task};
use mainspring_core::values::{RunId, TaskId, Wall};
use mainspring_runtime::load_runs;
use mainspring_store::{HistoryQuery, PAGE_MAX, ReadError, ReadTables};

use super::dead_letters::IDS_MAX;
use super::filter::{FilterBody, only_dead};
use super::flows::Owners;
use super::list::decoded;
use crate::edge::Edge;
use crate::problem::Problem;

const SCANNED_MAX: usize = 5_000;
const MESSAGE_CHARS_MAX: usize = 300;

pub(crate) struct Group {
    pub(crate) fingerprint: String,
    pub(crate) tenant: String,
    pub(crate) job: String,
    pub(crate) owner: Option<String>,
    pub(crate) class: &'static str,
    pub(crate) code: i32,
    /// Of the newest.
    pub(crate) message: String,
    pub(crate) count: u64,
    /// Of these, tasks of runs.
    pub(crate) in_runs: u64,
    pub(crate) first: Wall,
    pub(crate) last: Wall,
    pub(crate) newest: TaskId,
}

/// The largest first, and whether there are more dead letters than were looked at.
pub(crate) async fn dead_letter_groups(
    edge: &Edge,
    filter: FilterBody<'_>,
) -> Result<(Vec<Group>, bool), Problem> {
    let (tasks, more) = newest(edge, filter).await?;
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for task in &tasks {
        let group = groups.entry(fingerprint(task)).or_insert_with_key(|key| empty(key, task));
        group.count += 1;
        group.in_runs += u64::from(task.in_run.is_some());
        group.first = group.first.min(task.changed);
        if task.changed >= group.last {
            (group.last, group.newest) = (task.changed, task.id);
        }
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.sort_by_key(|group| (std::cmp::Reverse(group.count), std::cmp::Reverse(group.last)));
    let mut owners = Owners::default();
    for group in &mut groups {
        group.owner = owners.named(edge, &group.tenant, &group.job).await;
    }
    Ok((groups, more))
}

/// The tasks that a call names, or those of a group, the newest first.
pub(crate) async fn ids_meant(
    edge: &Edge,
    ids: Vec<String>,
    group: Option<&str>,
) -> Result<Vec<String>, Problem> {
    let Some(wanted) = group else { return Ok(ids) };
    if !ids.is_empty() {
        return Err(Problem::field("fingerprint", "name tasks or a group, not both"));
    }
    let (tasks, _) = newest(edge, FilterBody::default()).await?;
    let own = tasks.iter().filter(|task| fingerprint(task) == wanted);
    let ids: Vec<String> = own.take(IDS_MAX).map(|task| task.id.to_string()).collect();
    if ids.is_empty() {
        return Err(Problem::field(
            "fingerprint",
            "no dead letter is in this group; it may have been handled already",
        ));
    }
    Ok(ids)
}

async fn newest(edge: &Edge, filter: FilterBody<'_>) -> Result<(Vec<Task>, bool), Problem> {
    edge.gateway.tables_follow(false).await?;
    let mut query = HistoryQuery { limit: PAGE_MAX, ..only_dead(filter.checked()?).history() };
    let read = move |tables: &mut dyn ReadTables| {
        let mut tasks = Vec::new();
        loop {
            let page = tables.history(&query)?;
            for row in &page.rows {
                tasks.push(decoded(row.id, &row.bytes)?);
            }
            query.after = page.next;
            if query.after.is_none() || tasks.len() >= SCANNED_MAX {
                let runs = runs_of(tables, &tasks)?;
                tasks.retain(|task| !is_repaired_in(&runs, task));
                return Ok((tasks, query.after.is_some()));
            }
        }
    };
    edge.readers.read(read).await
}

/// The runs of these tasks, as far as history has them.
fn runs_of(tables: &mut dyn ReadTables, tasks: &[Task]) -> Result<BTreeMap<RunId, Box<Run>>, ReadError> {
    let ids: BTreeSet<RunId> = tasks.iter().filter_map(|task| Some(task.in_run.as_ref()?.run)).collect();
    let mut rows = Vec::with_capacity(ids.len());
    for id in ids {
        rows.extend(tables.run(id)?);
    }
    let runs = load_runs(tables, &rows).map_err(|error| ReadError { what: error.to_string() })?;
    Ok(runs.into_iter().map(|run| (run.id, run)).collect())
}

fn is_repaired_in(runs: &BTreeMap<RunId, Box<Run>>, task: &Task) -> bool {
    let Some(place) = task.in_run.as_deref() else { return false };
    runs.get(&place.run).is_some_and(|run| is_repaired(run, place.place))
}

fn empty(fingerprint: &str, task: &Task) -> Group {
    let failure = task.failures().last().map(|attempt| &attempt.failure);
    Group {
        fingerprint: fingerprint.to_owned(),
        tenant: task.profile.tenant.to_string(),
        job: task.profile.job.to_string(),
        owner: None,
        class: failure.map_or("none", |failure| failure.class.label()),
        code: failure.map_or(0, |failure| failure.code),
        message: failure
            .map(|failure| failure.message.chars().take(MESSAGE_CHARS_MAX).collect())
            .unwrap_or_default(),
        count: 0,
        in_runs: 0,
        first: task.changed,
        last: task.changed,
        newest: task.id,
    }
}

fn fingerprint(task: &Task) -> String {
    format!("{:016x}", task::fingerprint(task))
}
