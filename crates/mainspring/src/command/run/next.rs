//! What a person does next about a run: commands, on stderr.

use serde_json::Value;

use super::super::connect::Print;
use super::failures::failed_items;
use super::text;
use crate::note::note;

/// Beside a run that failed, or in which items failed.
pub(super) fn tell(print: Print, run: &Value) {
    if print.is_data() {
        return;
    }
    let lines = lines(run);
    if !lines.is_empty() {
        note!("\nhint: {}", lines.join("\n      "));
    }
}

fn lines(run: &Value) -> Vec<String> {
    let id = text(run, "run_id");
    let tasks = || run["tasks"].as_array().into_iter().flatten();
    let bad_items = |task: &&Value| failed_items(task) > 0;
    let mut lines = Vec::new();
    let mapped = tasks().find(bad_items);
    if let Some(task) = mapped {
        lines.push(format!("mainspring run items {id} --task {} --state failed", text(task, "name")));
    }
    if text(run, "state") == "succeeded" && mapped.is_some() {
        lines.push(format!("mainspring run clear {id} --only-failed --wait"));
    }
    if text(run, "state") == "failed" {
        let is_whole = |task: &&Value| !bad_items(task) && task["is_undo"].is_null();
        let failed =
            tasks().find(|task| matches!(text(task, "state"), "failed" | "quarantined") && is_whole(task));
        if let Some(task) = failed {
            lines.push(format!("mainspring run logs {id} --task {}", text(task, "name")));
        }
        if run["is_diagnosed"].is_null() {
            lines.push(format!("mainspring run diagnose {id}"));
        }
        lines.push(format!("mainspring run clear {id} --wait"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::lines;

    #[test]
    fn the_next_commands_are_named() {
        let task = |name: &str, state: &str| json!({"name": name, "state": state});
        let mut map = task("thumb", "succeeded");
        map["items"] = json!({"count": 9, "failed": 2});
        let failed = json!({"run_id": "run_1", "state": "failed", "tasks": [task("get", "succeeded"), task("load", "failed")]});
        assert_eq!(
            lines(&failed),
            [
                "mainspring run logs run_1 --task load",
                "mainspring run diagnose run_1",
                "mainspring run clear run_1 --wait"
            ]
        );
        let mut diagnosed = failed;
        diagnosed["is_diagnosed"] = true.into();
        assert_eq!(lines(&diagnosed).len(), 2, "it does not name itself");
        let tolerated = json!({"run_id": "run_1", "state": "succeeded", "tasks": [map]});
        assert_eq!(
            lines(&tolerated),
            [
                "mainspring run items run_1 --task thumb --state failed",
                "mainspring run clear run_1 --only-failed --wait"
            ]
        );
        let fine = json!({"run_id": "run_1", "state": "succeeded", "tasks": [task("get", "succeeded")]});
        assert!(lines(&fine).is_empty());
    }
}
