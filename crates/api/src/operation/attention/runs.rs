//! Runs that failed, and runs that the watchdog has found.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::engine::question::{APPROVALS_MAX, OpenApproval, Question};
use mainspring_core::engine::{Answer, Command};
use mainspring_core::job::JobKey;
use mainspring_core::run::decide::{RunAnswer, RunCommand};
use mainspring_core::run::{NodeStatus, Run};
use mainspring_core::values::{RunId, RunStatus, Wall};
use mainspring_definition::masked_run;
use mainspring_runtime::find_run;
use mainspring_store::{ReadError, ReadTables, RunQuery};
use serde_json::json;

use super::{NAMED_MAX, ROWS_MAX, finding, many};
use crate::edge::Edge;
use crate::gateway::Route;
use crate::problem::Problem;
use crate::wire::{AdvisedView, ExampleView, FindingView, Moment, approve_command, written};

pub(super) struct Failed {
    pub(super) count: u64,
    /// Older ones were not read.
    pub(super) more: bool,
    jobs: Vec<FailedJob>,
}

/// The failed runs of one job.
struct FailedJob {
    key: JobKey,
    count: u64,
    newest: RunId,
    oldest_at: Wall,
    /// Why the newest failed.
    why: Option<String>,
    /// A newer run succeeded.
    recovered: bool,
}

pub(super) async fn failed(edge: &Edge, since: Wall) -> Result<Failed, Problem> {
    edge.readers.read(move |tables| read_failed(tables, since)).await
}

fn read_failed(tables: &mut dyn ReadTables, since: Wall) -> Result<Failed, ReadError> {
    let query = RunQuery {
        statuses: vec![RunStatus::Failed],
        created_from: Some(since),
        limit: ROWS_MAX,
        ..RunQuery::default()
    };
    let page = tables.runs(&query)?;
    let (count, more, rows) = (page.rows.len() as u64, page.next.is_some(), page.rows);
    let mut jobs: BTreeMap<JobKey, FailedJob> = BTreeMap::new();
    for row in rows {
        let at = row.ended.unwrap_or(row.created);
        let job = jobs.entry(row.job.clone()).or_insert_with(|| FailedJob {
            key: row.job,
            count: 0,
            newest: row.id,
            oldest_at: at,
            why: None,
            recovered: false,
        });
        job.count += 1;
        job.oldest_at = job.oldest_at.min(at);
    }
    let mut jobs: Vec<FailedJob> = jobs.into_values().collect();
    jobs.sort_by_key(|job| std::cmp::Reverse(job.count));
    for job in jobs.iter_mut().take(NAMED_MAX) {
        job.recovered = has_succeeded_since(tables, &job.key, job.newest)?;
        job.why = find_run(tables, job.newest).ok().flatten().and_then(|run| reason(&masked_run(run.into())));
    }
    Ok(Failed { count, more, jobs })
}

fn has_succeeded_since(tables: &mut dyn ReadTables, key: &JobKey, failed: RunId) -> Result<bool, ReadError> {
    let query = RunQuery {
        tenant: Some(key.tenant.clone()),
        job: Some(key.name.clone()),
        statuses: vec![RunStatus::Succeeded],
        from: Some(failed),
        limit: 1,
        ..RunQuery::default()
    };
    Ok(!tables.runs(&query)?.rows.is_empty())
}

/// What it says itself, or the task that failed.
fn reason(run: &Run) -> Option<String> {
    let failed = || {
        let of = |node: &u32| run.node(*node).status == NodeStatus::Failed;
        (0..run.plan.len()).find(of).map(|node| format!("`{}` failed", run.plan.node(node).name))
    };
    run.why.as_deref().map(str::to_owned).or_else(failed)
}

impl Failed {
    pub(super) fn findings(self) -> Vec<FindingView> {
        let more = self.more;
        self.jobs.into_iter().map(|job| FindingView { more, ..job.finding() }).collect()
    }
}

impl FailedJob {
    fn finding(self) -> FindingView {
        let Self { key, count, newest, oldest_at, why, recovered } = self;
        let (kind, harm) = if recovered { ("runs_recovered", 1) } else { ("runs_failed", 3) };
        let after = if recovered { ", and a newer one succeeded" } else { "" };
        let message = format!("{} of `{}` failed in the last 24 hours{after}", many(count, "run"), key.name);
        let advice = if recovered {
            "rerun those whose window or parameters matter"
        } else {
            "look at the newest one, repair the cause, then clear what failed in it"
        };
        let id = newest.to_string();
        FindingView {
            since: Some(Moment(oldest_at)),
            tenant: Some(key.tenant.to_string()),
            job: Some(key.name.to_string()),
            example: Some(ExampleView {
                id: id.clone(),
                text: why.unwrap_or_else(|| "the newest".to_owned()),
            }),
            action: (!recovered).then(|| clear(&id)),
            ..finding(kind, harm, count, message, advice)
        }
    }
}

fn clear(id: &str) -> AdvisedView {
    AdvisedView {
        title: "Clear failed",
        effect: "Runs what failed in the newest of these runs again, and everything that follows from it."
            .to_owned(),
        method: "POST",
        path: format!("/v1/runs/{id}:clear"),
        // Not the items of a mapped task that succeeded.
        body: json!({ "only_failed": true }),
        command: ["run", "clear", id].map(str::to_owned).to_vec(),
    }
}

/// How many have not ended, and whether there are more than were counted.
pub(super) async fn active(edge: &Edge) -> Result<(u64, bool), Problem> {
    let query = RunQuery {
        statuses: vec![RunStatus::Queued, RunStatus::Running],
        limit: ROWS_MAX,
        ..RunQuery::default()
    };
    let page = edge.readers.read(move |tables| tables.runs(&query)).await?;
    Ok((page.rows.len() as u64, page.next.is_some()))
}

/// One kind of mark of the watchdog, the most harmful first.
const MARKS: [(&str, &str, u8, &str, &str); 3] = [
    (
        "stalled",
        "runs_stalled",
        3,
        "stalled: nothing would bring them on",
        "look at the run's diagnosis; re-evaluate or cancel it",
    ),
    (
        "late",
        "runs_late",
        2,
        "late: longer than their job expects",
        "see which task takes long, and what it waits for",
    ),
    (
        "quiet",
        "runs_quiet",
        2,
        "quiet: nothing changed for half an hour",
        "see what runs or waits in it, and whether that is right",
    ),
];

/// Of the runs that the watchdog has told of, those that still are so.
pub(super) async fn marked(edge: &Edge) -> Vec<FindingView> {
    let ids = edge.watchlist.list();
    let read = |id: &RunId| (id.bucket(), Command::Run(Box::new(RunCommand::ReadRun { id: *id })));
    let Ok(answers) = edge.gateway.ask_split(ids.iter().map(read).collect()).await else {
        return Vec::new();
    };
    let mut found: [Vec<(RunId, Wall, String)>; MARKS.len()] = Default::default();
    let mut gone = Vec::new();
    for (id, answer) in ids.into_iter().zip(answers) {
        let Ok(Answer::Run(RunAnswer::Found(Some(run)))) = answer else { continue };
        let mark = MARKS.iter().position(|(mark, ..)| run.marks().any(|has| has == *mark));
        match mark.filter(|_| !run.status.is_ended()) {
            Some(place) => found[place].push((id, run.started.max(run.created), run.job.name.to_string())),
            None => gone.push(id),
        }
    }
    edge.watchlist.forget(&gone);
    let rows = MARKS.into_iter().zip(found).filter(|(_, runs)| !runs.is_empty());
    rows.map(|((_, kind, harm, what, advice), runs)| {
        let count = runs.len() as u64;
        let is = if count == 1 { "is" } else { "are" };
        let oldest = runs.iter().min_by_key(|(_, at, _)| *at).cloned();
        FindingView {
            since: oldest.as_ref().map(|(_, at, _)| Moment(*at)),
            example: oldest.map(|(id, _, job)| ExampleView { id: id.to_string(), text: job }),
            ..finding(kind, harm, count, format!("{} {is} {what}", many(count, "run")), advice)
        }
    })
    .collect()
}

/// Tasks that wait for the approval of a person, by job.
pub(super) async fn approvals(edge: &Edge) -> Vec<FindingView> {
    let asked = edge.gateway.ask(Route::All, Command::Ask(Question::Approvals)).await;
    let Ok(Answer::Approvals(open)) = asked else { return Vec::new() };
    let more = open.len() >= APPROVALS_MAX;
    let mut jobs: BTreeMap<Arc<JobKey>, Vec<OpenApproval>> = BTreeMap::new();
    for one in open {
        jobs.entry(one.job.clone()).or_default().push(one);
    }
    let rows = jobs.into_iter().filter_map(|(key, mut open)| {
        open.sort_by_key(|one| one.deadline);
        let (count, since) = (open.len() as u64, open.iter().map(|one| one.since).min());
        let next = open.first()?;
        let verb = if count == 1 { "waits" } else { "wait" };
        let message = format!("{} of `{}` {verb} for approval", many(count, "task"), key.name);
        let text = format!("`{}`, by {}, until {}", next.task, next.approval, written(next.deadline));
        Some(FindingView {
            more,
            since: since.map(Moment),
            tenant: Some(key.tenant.to_string()),
            job: Some(key.name.to_string()),
            example: Some(ExampleView { id: next.run.to_string(), text }),
            action: Some(approve(next)),
            ..finding("approvals_open", 2, count, message, "let those who may decide approve or reject them")
        })
    });
    rows.take(NAMED_MAX).collect()
}

fn approve(open: &OpenApproval) -> AdvisedView {
    let mut body = json!({ "task": open.task.as_str() });
    if let Some(item) = open.item {
        body["item"] = json!(item);
    }
    let command = approve_command(open.run, &open.task, open.item).into_iter().skip(1).collect();
    AdvisedView {
        title: "Approve",
        effect: format!("Approves `{}`, whose time ends first; its run goes on.", open.task),
        method: "POST",
        path: format!("/v1/runs/{}:approve", open.run),
        body,
        command,
    }
}
