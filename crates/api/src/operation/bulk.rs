//! Bulk work: one verb for everything that matches. It goes on in steps after the answer; `operations` tells how far it is.
//! A dry run only counts.
//! - BU-1 a dry run counts what the operation would come to if it began now: by the same rule, `Bulk::means`
//! - BU-2 at most [`COUNTED_MAX`] tasks or runs are looked at; an answer says if there are more

use std::collections::BTreeSet;
use std::sync::Arc;

use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::job::JobKey;
use mainspring_core::operation::{Bulk, BulkVerb, LISTED_MAX, Selection, Selector};
use mainspring_core::run::StartedBy;
use mainspring_core::schedule::ScheduleKey;
use mainspring_core::task::Status;
use mainspring_core::values::{Name, RunStatus, Wall, WorkerId};
use mainspring_core::worker::{Availability, Cordon};

use super::filter::FilterBody;
use super::flows::{JobFilter, RunFilterBody};
use super::list::{Listed, list};
use super::operations::shown;
use super::{Caller, Change, dead_letters, flows, schedules, workers};
use crate::edge::Edge;
use crate::gateway::Route;
use crate::problem::Problem;
use crate::wire::{BulkBody, BulkOf, OperationView, OverrideBody, name, written};

const PAGE: usize = 1_000;
/// Tasks or runs looked at for a dry run.
const COUNTED_MAX: usize = 50_000;
/// The same before an operation begins, so that small ones know how much there is to do.
const COUNTED_AT_START_MAX: usize = 3_000;
const EXAMPLES_MAX: usize = 5;

/// What a count found.
#[derive(Debug, Default)]
struct Count {
    matched: u64,
    /// There was more to look at.
    more: bool,
    examples: Vec<String>,
}

impl Count {
    fn add(&mut self, id: &impl ToString) {
        self.matched += 1;
        if self.examples.len() < EXAMPLES_MAX {
            self.examples.push(id.to_string());
        }
    }
}

pub(crate) async fn bulk(
    edge: &Edge,
    wanted: &BulkBody,
    caller: &Caller<'_>,
) -> Result<OperationView, Problem> {
    let (verb, of) = wanted.verb()?;
    let over = OverrideBody { actor: wanted.actor.clone(), reason: wanted.reason.clone() };
    let by = Change::by(what(verb), &over, caller)?;
    // What a repeated call would find has changed by the first.
    let first = if wanted.dry_run { None } else { began_before(edge, wanted, caller).await? };
    if let Some(first) = first {
        return Ok(first);
    }
    let of = match of {
        BulkOf::Tasks => Selection::Tasks(Box::new(wanted.selector(verb)?)),
        BulkOf::Runs => Selection::Runs(Box::new(wanted.run_selector(verb)?)),
        BulkOf::Jobs => Selection::Jobs(jobs(edge, wanted, verb).await?),
        BulkOf::Schedules => Selection::Schedules(of_schedules(edge, wanted, verb).await?),
        BulkOf::Workers => Selection::Workers(of_workers(edge, wanted).await?),
    };
    let words = words(wanted);
    let latest = Wall::from_millis(u64::MAX >> 1);
    let mut bulk = Bulk { verb, of, before: latest, over: by.over(), total: None, words };
    let most = if wanted.dry_run { COUNTED_MAX } else { COUNTED_AT_START_MAX };
    let count = count(edge, &bulk, most).await?;
    if wanted.dry_run {
        return Ok(OperationView::dry_run(verb.label(), count.matched, count.more, count.examples));
    }
    bulk.total = (!count.more).then_some(count.matched);
    let route = route(edge, wanted)?;
    let command = caller.keyed(edge, route, ("bulk", ""), Command::Bulk(Box::new(bulk)))?;
    let Answer::Operation(id) = edge.gateway.ask(route, command).await? else { return Err(unexpected()) };
    by.done(format_args!("operation {}: {}", id.get(), verb.label()));
    shown(edge, id).await
}

/// For the server's log.
fn what(verb: BulkVerb) -> &'static str {
    match verb {
        BulkVerb::CancelTasks { .. } => "tasks were cancelled",
        BulkVerb::CancelRuns => "runs were cancelled",
        _ => "bulk work was begun",
    }
}

fn unexpected() -> Problem {
    Rejection::Internal { what: "bulk work was answered with something else" }.into()
}

fn route(edge: &Edge, wanted: &BulkBody) -> Result<Route, Problem> {
    let tenant = wanted.tenant.as_deref().map(|text| name("tenant", text)).transpose()?;
    Ok(edge.gateway.tenant_or_all(tenant.as_ref()))
}

/// The operation that the same call began before under its key.
async fn began_before(
    edge: &Edge,
    wanted: &BulkBody,
    caller: &Caller<'_>,
) -> Result<Option<OperationView>, Problem> {
    match caller.first_answer(edge, route(edge, wanted)?, ("bulk", "")).await? {
        Some(Answer::Operation(id)) => shown(edge, id).await.map(Some),
        _ => Ok(None),
    }
}

/// What was named, for whoever looks at the operation later.
fn words(wanted: &BulkBody) -> Arc<str> {
    let mut words = serde_json::Map::new();
    let texts = [
        ("tenant", &wanted.tenant),
        ("job", &wanted.job),
        ("pool", &wanted.pool),
        ("task_type", &wanted.task_type),
        ("fingerprint", &wanted.fingerprint),
        ("trigger", &wanted.trigger),
        ("tag", &wanted.tag),
        ("owner", &wanted.owner),
        ("name_prefix", &wanted.name_prefix),
    ];
    for (field, text) in texts {
        words.extend(text.as_ref().map(|text| (field.to_owned(), text.clone().into())));
    }
    if !wanted.labels.is_empty() {
        let labels = wanted.labels.iter().map(|(key, value)| (key.clone(), value.clone().into()));
        words.insert("labels".into(), serde_json::Value::Object(labels.collect()));
    }
    if !wanted.state.is_empty() {
        words.insert("state".into(), wanted.state.clone().into());
    }
    for (field, at) in [("since", &wanted.since), ("until", &wanted.until)] {
        words.extend(at.as_ref().map(|at| (field.to_owned(), written(at.0).into())));
    }
    if wanted.all {
        words.insert("all".into(), true.into());
    }
    serde_json::Value::Object(words).to_string().into()
}

async fn count(edge: &Edge, bulk: &Bulk, most: usize) -> Result<Count, Problem> {
    match &bulk.of {
        Selection::Tasks(selector) => count_tasks(edge, bulk, selector, most).await,
        Selection::Runs(_) => count_runs(edge, bulk, most).await,
        Selection::Jobs(keys) => Ok(counted(keys.iter().map(|key| format!("{}/{}", key.tenant, key.name)))),
        Selection::Schedules(keys) => {
            Ok(counted(keys.iter().map(|key| format!("{}/{}/{}", key.tenant, key.job, key.name))))
        }
        Selection::Workers(ids) => Ok(counted(ids.iter())),
    }
}

fn counted(ids: impl Iterator<Item = impl ToString>) -> Count {
    let mut count = Count::default();
    ids.for_each(|id| count.add(&id));
    count
}

fn statuses_of(selector: &Selector, verb: BulkVerb) -> Vec<Status> {
    if !selector.statuses.is_empty() {
        return selector.statuses.clone();
    }
    match verb {
        BulkVerb::RetryTasks | BulkVerb::DiscardTasks => vec![Status::Failed, Status::Quarantined],
        BulkVerb::RunTasksNow => vec![Status::Pending, Status::RetryWait],
        _ => Status::ALL.into_iter().filter(|status| !status.is_ended()).collect(),
    }
}

fn some(name: &Name) -> Option<&str> {
    Some(name.as_str()).filter(|name| !name.is_empty())
}

async fn count_tasks(edge: &Edge, bulk: &Bulk, selector: &Selector, most: usize) -> Result<Count, Problem> {
    let label = selector.labels.first().map(|(key, value)| format!("{key}={value}"));
    let ended = bulk.verb.is_about_ended();
    let since = |wanted: bool| if wanted { (selector.since, selector.until) } else { (None, None) };
    let ((created_from, created_before), (ended_from, ended_before)) = (since(!ended), since(ended));
    let dead_only = ended && selector.statuses.iter().copied().all(Status::is_dead);
    let (mut count, mut looked, mut cursor) = (Count::default(), 0, None::<String>);
    loop {
        let filter = FilterBody {
            tenant: some(&selector.tenant),
            job: some(&selector.job),
            statuses: statuses_of(selector, bulk.verb),
            label: label.as_deref(),
            created_from,
            created_before,
            ended_from,
            ended_before,
            limit: Some(PAGE),
            cursor: cursor.as_deref(),
            ..FilterBody::default()
        };
        let filter = filter.checked()?;
        let page = if dead_only { dead_letters(edge, filter).await? } else { list(edge, &filter).await? };
        let Listed { rows, next, .. } = page;
        looked += PAGE;
        for task in rows.iter().filter(|task| bulk.means(task)) {
            count.add(&task.id);
        }
        cursor = next.map(|next| next.to_string());
        if cursor.is_none() || looked >= most {
            count.more = cursor.is_some();
            return Ok(count);
        }
    }
}

async fn count_runs(edge: &Edge, bulk: &Bulk, most: usize) -> Result<Count, Problem> {
    let Selection::Runs(selector) = &bulk.of else { return Err(unexpected()) };
    let label = selector.labels.first().map(|(key, value)| format!("{key}={value}"));
    let statuses = match (selector.statuses.is_empty(), bulk.verb) {
        (false, _) => selector.statuses.clone(),
        (true, BulkVerb::RetryRuns) => vec![RunStatus::Failed],
        (true, _) => vec![RunStatus::Queued, RunStatus::Running],
    };
    let (mut count, mut looked, mut cursor) = (Count::default(), 0, None::<String>);
    loop {
        let filter = RunFilterBody {
            tenant: some(&selector.tenant),
            job: some(&selector.job),
            statuses: statuses.clone(),
            trigger: selector.started_by.map(StartedBy::label),
            label: label.as_deref(),
            created_from: selector.since,
            created_before: selector.until,
            limit: Some(PAGE),
            cursor: cursor.as_deref(),
            ..RunFilterBody::default()
        };
        let page = flows::list_runs(edge, filter).await?;
        looked += PAGE;
        for seen in page.rows.iter().filter(|seen| bulk.means_run(&seen.run)) {
            count.add(&seen.run.id);
        }
        cursor = page.next.map(|next| next.to_string());
        if cursor.is_none() || looked >= most {
            count.more = cursor.is_some();
            return Ok(count);
        }
    }
}

fn check_length(count: usize) -> Result<(), Problem> {
    if count > LISTED_MAX {
        return Err(Problem::TooManyEntries { field: "body", count, max: LISTED_MAX });
    }
    Ok(())
}

/// Those that the verb would change.
async fn jobs(edge: &Edge, wanted: &BulkBody, verb: BulkVerb) -> Result<Vec<JobKey>, Problem> {
    let filter = JobFilter {
        tenant: wanted.tenant.as_deref(),
        tag: wanted.tag.as_deref(),
        owner: wanted.owner.as_deref(),
    };
    let prefix = wanted.name_prefix.as_deref().unwrap_or_default();
    let (mut keys, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let (page, next) = flows::jobs(edge, &filter, cursor.as_deref(), Some(PAGE)).await?;
        for job in page.into_iter().filter(|job| job.deleted.is_none() && job.key.name.starts_with(prefix)) {
            let fits = match verb {
                BulkVerb::PauseJobs => !job.paused,
                BulkVerb::ResumeJobs => job.paused,
                _ => true,
            };
            keys.extend(fits.then(|| (*job.key).clone()));
        }
        check_length(keys.len())?;
        cursor = next;
        if cursor.is_none() {
            return Ok(keys);
        }
    }
}

async fn of_schedules(edge: &Edge, wanted: &BulkBody, verb: BulkVerb) -> Result<Vec<ScheduleKey>, Problem> {
    let (tenant, job) = (wanted.tenant.as_deref(), wanted.job.as_deref());
    let prefix = wanted.name_prefix.as_deref().unwrap_or_default();
    let tagged = match wanted.tag.as_deref() {
        Some(_) => {
            let of =
                BulkBody { tenant: wanted.tenant.clone(), tag: wanted.tag.clone(), ..BulkBody::default() };
            let found: BTreeSet<JobKey> = jobs(edge, &of, BulkVerb::DeleteJobs).await?.into_iter().collect();
            Some(found)
        }
        None => None,
    };
    let (mut keys, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let (page, next) = schedules::schedules(edge, (tenant, job), cursor.as_deref(), Some(PAGE)).await?;
        for schedule in page {
            let key = &schedule.key;
            let is_tagged = tagged.as_ref().is_none_or(|tagged| {
                tagged.contains(&JobKey { tenant: key.tenant.clone(), name: key.job.clone() })
            });
            let fits = schedule.paused != (verb == BulkVerb::PauseSchedules);
            if fits && is_tagged && key.name.starts_with(prefix) {
                keys.push((**key).clone());
            }
        }
        check_length(keys.len())?;
        cursor = next;
        if cursor.is_none() {
            return Ok(keys);
        }
    }
}

/// Those that the verb would change, as far as they are known.
async fn of_workers(edge: &Edge, wanted: &BulkBody) -> Result<Vec<WorkerId>, Problem> {
    let to = match wanted.verb()?.0 {
        BulkVerb::CordonWorkers => Availability::Cordoned,
        BulkVerb::DrainWorkers => Availability::Draining,
        _ => Availability::Open,
    };
    let labels = wanted.labels()?;
    let found = workers::ask(edge, None).await?;
    let fits = found.iter().filter(|worker| {
        worker.cordon.as_ref().map_or(Availability::Open, Cordon::availability) != to
            && wanted.pool.as_deref().is_none_or(|pool| *worker.offer.pool == *pool)
            && labels.iter().all(|label| worker.offer.labels.contains(label))
    });
    let ids: Vec<_> = fits.map(|worker| worker.id).collect();
    check_length(ids.len())?;
    Ok(ids)
}
