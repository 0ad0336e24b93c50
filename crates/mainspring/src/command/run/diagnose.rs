//! `mainspring run diagnose`: the run first, then its tasks, the most telling first.

use serde_json::{Value, json};

use super::super::connect::Print;
use super::super::output::{brief, moment, plain, say};
use super::next;

pub(super) fn print(print: Print, diagnosis: &Value) {
    for line in lines(print, diagnosis) {
        let indent = line.len() - line.trim_start().len();
        print.folded(&line, indent + 2).iter().for_each(|line| say(line));
    }
}

/// What to do next, on stderr.
pub(super) fn print_next(print: Print, diagnosis: &Value) {
    next::tell(print, &as_run(diagnosis));
}

fn lines(print: Print, diagnosis: &Value) -> Vec<String> {
    let state = text(diagnosis, "state");
    let mut lines = vec![
        format!(
            "{} {}  {}  since {}",
            text(diagnosis, "run_id"),
            text(diagnosis, "job"),
            print.state(&state, state.clone()),
            moment(&text(diagnosis, "since"))
        ),
        format!("  {}: {}", text(diagnosis, "reason"), text(diagnosis, "message")),
    ];
    for (field, name) in [("marks", "marks"), ("held_by", "held by")] {
        let words: Vec<String> = list(diagnosis, field).filter_map(Value::as_str).map(plain).collect();
        if !words.is_empty() {
            lines.push(format!("  {name}: {}", words.join(", ")));
        }
    }
    lines.push(format!("  hint: {}", text(diagnosis, "advice")));
    for task in list(diagnosis, "tasks") {
        lines.push(String::new());
        lines.extend(task_lines(print, task));
    }
    let more = diagnosis.get("tasks_more").and_then(Value::as_u64).unwrap_or(0);
    if more > 0 {
        lines.push(String::new());
        lines.push(format!("… and {more} more tasks that have not ended"));
    }
    lines
}

fn task_lines(print: Print, task: &Value) -> Vec<String> {
    let state = text(task, "state");
    let mut lines = vec![
        format!("{}  {}", text(task, "name"), print.state(&state, state.clone())),
        format!("  {}: {}", text(task, "reason"), text(task, "message")),
    ];
    lines.extend(list(task, "waits_for_jobs").map(job_line));
    if let Some(condition) = task.get("condition").and_then(Value::as_str) {
        lines.push(format!("  then decides: {}", plain(condition)));
    }
    if let Some(error) = task.get("last_error") {
        // All of it stands at the end of the log, and in `task get`.
        let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
        if !lines[1].ends_with(&text(error, "message")) {
            lines.push(format!("  last error: {}", brief(message)));
        }
    }
    if let Some(id) = task.pointer("/task/task_id").and_then(Value::as_str) {
        lines.push(format!("  task: {id}"));
    }
    let holders: Vec<&str> = task
        .get("task")
        .into_iter()
        .flat_map(|task| list(task, "holders"))
        .filter_map(Value::as_str)
        .collect();
    if !holders.is_empty() {
        lines.push(format!("  held by: {}", holders.join(", ")));
    }
    lines.push(format!("  hint: {}", text(task, "advice")));
    lines
}

fn job_line(wait: &Value) -> String {
    let known = [("last_success_at", "last success"), ("fails_at", "gives up")];
    let known = known.into_iter().filter(|(field, _)| wait.get(field).is_some());
    let more: Vec<String> = known.map(|(field, words)| format!(", {words} {}", text(wait, field))).collect();
    let more = more.concat();
    format!("  job {}: waits since {}{more}", text(wait, "job"), text(wait, "since"))
}

fn list<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

/// What a task or a person wrote must not steer the terminal.
fn text(value: &Value, field: &str) -> String {
    let text = value.get(field).and_then(Value::as_str).unwrap_or_default();
    plain(&text.lines().collect::<Vec<_>>().join(" · "))
}

/// As much of the run as the next commands need.
fn as_run(diagnosis: &Value) -> Value {
    let (id, state, tasks) = (&diagnosis["run_id"], &diagnosis["state"], &diagnosis["tasks"]);
    json!({"run_id": id, "state": state, "tasks": tasks, "is_diagnosed": true})
}

#[cfg(test)]
mod tests {
    use super::super::super::output::Output;
    use super::*;

    #[test]
    fn the_run_comes_first_and_then_its_tasks() {
        let diagnosis = json!({
            "run_id": "run_1", "job": "etl", "state": "running", "since": "T0",
            "reason": "working", "message": "2 of its tasks not ended, 1 of them queued or running", "advice": "look at them",
            "marks": ["late", "quiet"],
            "tasks": [
                {"name": "load", "state": "running", "reason": "backoff", "message": "an attempt failed", "advice": "wait",
                 "task": {"task_id": "task_1"}, "last_error": {"message": "no\r route"}},
                {"name": "mail", "state": "pending", "reason": "waits_for_upstream", "message": "it waits for `load`",
                 "advice": "look at what it waits for", "condition": "params.mail"},
                {"name": "join", "state": "pending", "reason": "waits_for_jobs", "message": "it waits", "advice": "trigger it",
                 "waits_for_jobs": [
                    {"job": "a", "since": "T1", "exists": true, "last_success_at": "T0", "fails_at": "T2"},
                    {"job": "b", "since": "T1", "exists": false},
                 ]},
            ],
            "tasks_more": 3,
        });
        let lines = lines(Print::new(Output::Table), &diagnosis);
        let expected = [
            "run_1 etl  running  since T0",
            "  working: 2 of its tasks not ended, 1 of them queued or running",
            "  marks: late, quiet",
            "  hint: look at them",
            "",
            "load  running",
            "  backoff: an attempt failed",
            "  last error: no  route",
            "  task: task_1",
            "  hint: wait",
            "",
            "mail  pending",
            "  waits_for_upstream: it waits for `load`",
            "  then decides: params.mail",
            "  hint: look at what it waits for",
            "",
            "join  pending",
            "  waits_for_jobs: it waits",
            "  job a: waits since T1, last success T0, gives up T2",
            "  job b: waits since T1",
            "  hint: trigger it",
            "",
            "… and 3 more tasks that have not ended",
        ];
        assert_eq!(lines, expected);
    }
}
