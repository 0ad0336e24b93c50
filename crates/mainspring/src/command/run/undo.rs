//! What undoes tasks of a run: tasks that the answer of the server only names.

use mainspring_client::{Client, ClientError};
use serde_json::{Value, json};

use super::text;

/// Undo tasks that are read for a run that is shown.
const UNDOS_MAX: usize = 50;

/// How an undo task is called, by the task that it undoes.
pub(in crate::command) fn name(undone: &str) -> String {
    format!("undo of {undone}")
}

/// Puts a row for each undo task behind the task that it undoes.
pub(super) async fn add_rows(client: &Client, run: &mut Value) -> Result<(), ClientError> {
    let tasks = run["tasks"].as_array().into_iter().flatten();
    let wanted: Vec<(usize, String)> = tasks
        .enumerate()
        .filter_map(|(at, task)| Some((at, task.get("undo_task_id")?.as_str()?.to_owned())))
        .take(UNDOS_MAX)
        .collect();
    let mut rows = Vec::with_capacity(wanted.len());
    for (at, id) in wanted {
        match client.get(&format!("/v1/tasks/{id}")).await {
            Ok(task) => rows.push((at, row(text(&run["tasks"][at], "name"), &task))),
            // It is no longer kept.
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(error),
        }
    }
    if let Some(tasks) = run["tasks"].as_array_mut() {
        for (at, row) in rows.into_iter().rev() {
            tasks.insert(at + 1, row);
        }
    }
    Ok(())
}

fn row(undone: &str, task: &Value) -> Value {
    let mut row = json!({"name": name(undone), "needs": [undone], "is_undo": true});
    for field in ["task_id", "state", "started_at", "ended_at"] {
        if let Some(value) = task.get(field) {
            row[field] = value.clone();
        }
    }
    if let Some(message) = task.pointer("/last_error/message").filter(|_| task["state"] != "succeeded") {
        row["error"] = message.clone();
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undo_task_is_a_row_under_what_it_undoes() {
        let task = json!({
            "task_id": "task_1", "state": "failed", "started_at": "T0", "last_error": {"message": "no"}, "pool": "default",
        });
        let expected = json!({
            "name": "undo of pay", "needs": ["pay"], "is_undo": true, "task_id": "task_1", "state": "failed",
            "started_at": "T0", "error": "no",
        });
        assert_eq!(row("pay", &task), expected);
    }
}
