//! Why tasks of a run failed: their last errors, those of the items that failed, and the ends of their logs.

use mainspring_client::{Client, ClientError, escaped};
use serde_json::{Value, json};

use super::super::connect::Print;
use super::super::logs;
use super::super::output::{brief, plain};
use super::text;
use crate::note::note;

/// Tasks whose error is read for a run that is shown.
const ERRORS_MAX: usize = 10;
/// Items of one mapped task whose error is shown.
const ITEMS_MAX: usize = 3;
/// Tasks and items whose log is printed when a run failed that somebody waited for, and lines of each.
const LOGS_MAX: usize = 3;
const LOG_LINES: usize = 20;

/// A task that failed or will be tried again, or an item that failed.
#[derive(PartialEq, Eq, Debug)]
struct Failure<'a> {
    name: String,
    state: &'a str,
    error: &'a str,
    task: Option<&'a str>,
    /// Of a task or item that is a run.
    run: Option<&'a str>,
}

impl<'a> Failure<'a> {
    fn of(name: String, value: &'a Value, error: &'a str) -> Self {
        let id = |field: &str| Some(text(value, field)).filter(|id| !id.is_empty());
        let (task, run) = (id("task_id"), id("run_id"));
        Self { name, state: text(value, "state"), error, task, run }
    }
}

/// Gives the first failed tasks of the run their last error, as `error`, and mapped ones the first items that failed, as
/// `failed_items`.
pub(super) async fn add_errors(client: &Client, run: &mut Value) -> Result<(), ClientError> {
    let mut left = ERRORS_MAX;
    for at in 0..run["tasks"].as_array().map_or(0, Vec::len) {
        let task = &run["tasks"][at];
        let path = if failed_items(task) > 0 {
            let (id, name) = (text(run, "run_id"), escaped(text(task, "name")));
            format!("/v1/runs/{id}/tasks/{name}/items?state=failed&limit={ITEMS_MAX}")
        } else if is_bad(task) && task["task_id"].is_string() && task["error"].is_null() {
            format!("/v1/tasks/{}", text(task, "task_id"))
        } else {
            continue;
        };
        if left == 0 {
            break;
        }
        left -= 1;
        let found = match client.get(&path).await {
            Ok(found) => found,
            // It was cleared since, or is no longer kept.
            Err(error) if error.is_not_found() => continue,
            Err(error) => return Err(error),
        };
        if let Some(items) = found.get("items") {
            run["tasks"][at]["failed_items"] = items.clone();
        } else if let Some(message) = found.pointer("/last_error/message") {
            run["tasks"][at]["error"] = json!(message);
        }
    }
    Ok(())
}

fn is_bad(task: &Value) -> bool {
    matches!(text(task, "state"), "failed" | "quarantined" | "retry_wait")
}

/// How many items of a mapped task failed.
pub(super) fn failed_items(task: &Value) -> u64 {
    task.pointer("/items/failed").and_then(Value::as_u64).unwrap_or(0)
}

fn failures(run: &Value) -> impl Iterator<Item = Failure<'_>> {
    run["tasks"].as_array().into_iter().flatten().flat_map(|task| {
        let items = task["failed_items"].as_array().into_iter().flatten().map(|item| {
            let error = item.pointer("/error/message").and_then(Value::as_str).unwrap_or_default();
            Failure::of(format!("{} item {}", text(task, "name"), item["index"]), item, error)
        });
        let whole = is_bad(task) && failed_items(task) == 0;
        let whole = whole.then(|| Failure::of(text(task, "name").to_owned(), task, text(task, "error")));
        items.chain(whole)
    })
}

/// The first failures with the ends of their logs, on stderr. Of a run that succeeded all the same only the errors.
pub(super) async fn print_logs(client: &Client, print: Print, run: &Value) -> Result<(), ClientError> {
    let is_tolerated = text(run, "state") == "succeeded";
    if is_tolerated && failures(run).next().is_some() {
        note!("\nfailed and tolerated:");
    }
    for failure in failures(run).take(LOGS_MAX) {
        let Failure { name, state, error, task, run } = failure;
        if is_tolerated {
            note!("{}", print.fitted(&format!("  {}: {}", plain(&name), brief(error))));
            continue;
        }
        // The lines below the first are the end of the log.
        let error = error.lines().next().map(|line| format!(": {line}")).unwrap_or_default();
        note!("\n{}", print.fitted(&plain(&format!("{name} {state}{error}"))));
        match (task, run) {
            (Some(id), _) => print_tail(client, id).await?,
            (None, Some(id)) => note!("  its tasks: mainspring run get {id}"),
            (None, None) => {}
        }
    }
    Ok(())
}

async fn print_tail(client: &Client, id: &str) -> Result<(), ClientError> {
    let tail = match logs::tail(client, id, LOG_LINES).await {
        Ok(tail) => tail,
        Err(error @ ClientError::Refused { .. }) => vec![format!("the log is not shown: {error}")],
        Err(error) => return Err(error),
    };
    for line in tail {
        note!("  | {}", plain(&line));
    }
    note!("  all of it: mainspring task logs {id}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_items_stand_for_their_task() {
        let run = json!({"tasks": [
            {"name": "get", "state": "succeeded", "task_id": "task_1"},
            {"name": "load", "state": "failed", "items": {"count": 9, "failed": 2}, "failed_items": [
                {"index": 4, "state": "failed", "task_id": "task_2", "error": {"message": "no row"}},
                {"index": 7, "state": "failed", "run_id": "run_3"},
            ]},
            {"name": "mail", "state": "failed", "task_id": "task_4", "error": "no route"},
            {"name": "undo of get", "state": "failed", "task_id": "task_5"},
        ]});
        let told = |failure: Failure<'_>| {
            (failure.name, failure.error.to_owned(), failure.task.or(failure.run).map(str::to_owned))
        };
        let row =
            |name: &str, error: &str, id: &str| (name.to_owned(), error.to_owned(), Some(id.to_owned()));
        let expected = [
            row("load item 4", "no row", "task_2"),
            row("load item 7", "", "run_3"),
            row("mail", "no route", "task_4"),
            row("undo of get", "", "task_5"),
        ];
        assert_eq!(failures(&run).map(told).collect::<Vec<_>>(), expected);
    }
}
