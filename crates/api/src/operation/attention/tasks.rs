//! Tasks outside of runs that failed for good, or broke several workers. What failed in a run is told with the run.

use mainspring_core::task::{Status, Task};
use mainspring_store::HistoryQuery;
use serde_json::json;

use super::{ROWS_MAX, finding, many};
use crate::edge::Edge;
use crate::operation::list::decoded;
use crate::problem::Problem;
use crate::wire::{AdvisedView, ExampleView, FindingView, Moment};

pub(super) async fn findings(edge: &Edge) -> Result<Vec<FindingView>, Problem> {
    let mut found = Vec::new();
    for (status, kind, harm, what, advice) in [
        (
            Status::Quarantined,
            "quarantined",
            3,
            "quarantined: each broke several workers",
            "see what they did to their workers before any is queued again",
        ),
        (
            Status::Failed,
            "dead_letters",
            2,
            "failed for good",
            "repair the cause, then queue them again, or discard them",
        ),
    ] {
        let (tasks, more) = read(edge, status).await?;
        let Some(newest) = tasks.first() else { continue };
        let count = tasks.len() as u64;
        let error = newest.failures().last().map(|attempt| attempt.failure.message.to_string());
        let text = error.unwrap_or_else(|| newest.profile.executor.to_string());
        found.push(FindingView {
            more,
            since: tasks.iter().map(|task| task.changed).min().map(Moment),
            example: Some(ExampleView { id: newest.id.to_string(), text: text.chars().take(200).collect() }),
            action: (status == Status::Failed && !more).then(|| requeue(&tasks)),
            ..finding(kind, harm, count, format!("{} {what}", many(count, "task")), advice)
        });
    }
    Ok(found)
}

/// The newest first, and whether there are more.
async fn read(edge: &Edge, status: Status) -> Result<(Vec<Task>, bool), Problem> {
    let query = HistoryQuery { statuses: vec![status], limit: ROWS_MAX, ..HistoryQuery::default() };
    edge.readers
        .read(move |tables| {
            let page = tables.history(&query)?;
            let tasks = page.rows.iter().map(|row| decoded(row.id, &row.bytes));
            let mut tasks = tasks.collect::<Result<Vec<Task>, _>>()?;
            tasks.retain(|task| task.in_run.is_none());
            Ok((tasks, page.next.is_some()))
        })
        .await
}

fn requeue(tasks: &[Task]) -> AdvisedView {
    let ids: Vec<String> = tasks.iter().map(|task| task.id.to_string()).collect();
    AdvisedView {
        title: "Requeue",
        effect: format!("Queues {} again with a fresh budget of retries.", many(ids.len() as u64, "task")),
        method: "POST",
        path: "/v1/dead-letters:requeue".to_owned(),
        body: json!({ "ids": ids }),
        command: ["dead-letter", "requeue"]
            .into_iter()
            .map(str::to_owned)
            .chain(ids.iter().cloned())
            .collect(),
    }
}
