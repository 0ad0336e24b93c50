//! Why tasks of a run failed: their last errors, and the ends of their logs.

use mainspring_client::{Client, ClientError};
use serde_json::{Value, json};

use super::super::connect::Print;
use super::super::logs;
use super::super::output::plain;
use crate::note::note;

/// Tasks whose error is read for a run that is shown.
const ERRORS_MAX: usize = 10;
/// Tasks whose log is printed when a run failed that somebody waited for, and lines of each.
const LOGS_MAX: usize = 3;
const LOG_LINES: usize = 20;

/// Tasks that failed, or will be tried again.
fn failed(run: &Value) -> impl Iterator<Item = (usize, &str)> {
    let tasks = run.get("tasks").and_then(Value::as_array).into_iter().flatten().enumerate();
    tasks.filter_map(|(at, task)| {
        let state = task.get("state").and_then(Value::as_str)?;
        let wanted = matches!(state, "failed" | "quarantined" | "retry_wait");
        wanted.then_some((at, task.get("task_id").and_then(Value::as_str)?))
    })
}

/// Gives the first failed tasks of the run their last error, as `error`.
pub(super) async fn add_errors(client: &Client, run: &mut Value) -> Result<(), ClientError> {
    let wanted: Vec<(usize, String)> =
        failed(run).take(ERRORS_MAX).map(|(at, id)| (at, id.to_owned())).collect();
    for (at, id) in wanted {
        let task = match client.get(&format!("/v1/tasks/{id}")).await {
            Ok(task) => task,
            // It was cleared since, or is no longer kept.
            Err(error) if error.is_not_found() => continue,
            Err(error) => return Err(error),
        };
        if let Some(message) = task.pointer("/last_error/message") {
            run["tasks"][at]["error"] = json!(message);
        }
    }
    Ok(())
}

/// The ends of the logs of the tasks that failed, on stderr.
pub(super) async fn print_logs(client: &Client, print: Print, run: &Value) -> Result<(), ClientError> {
    for (at, id) in failed(run).take(LOGS_MAX) {
        let task = &run["tasks"][at];
        let text = |field: &str| plain(task.get(field).and_then(Value::as_str).unwrap_or_default());
        let error: Vec<String> = text("error").lines().map(str::to_owned).collect();
        note!("\n{}", print.fitted(&format!("{} {}: {}", text("name"), text("state"), error.join(" · "))));
        let tail = match logs::tail(client, id, LOG_LINES).await {
            Ok(tail) => tail,
            Err(error @ ClientError::Refused { .. }) => vec![format!("the log is not shown: {error}")],
            Err(error) => return Err(error),
        };
        for line in tail {
            note!("  | {}", plain(&line));
        }
        note!("  all of it: mainspring task logs {id}");
    }
    Ok(())
}
