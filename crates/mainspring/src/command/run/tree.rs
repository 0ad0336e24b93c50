//! A run as a tree: each task under the one it needs, as far as a tree can show a graph.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::connect::Print;
use super::super::output::{between, brief, cut, say};
use super::{head, text};

/// Tasks shown; a wider run is summed up.
const LINES_MAX: usize = 200;
const BAR: usize = 10;
/// Columns of a task's line beside its name: sign, state, duration, and a bar with counts.
const BESIDE_NAME: usize = 66;
/// As long as `upstream_failed`.
const STATE_WIDTH: usize = 15;

pub(super) fn print(print: Print, run: &Value) {
    for line in lines(print, run) {
        say(&line);
    }
}

pub(super) fn lines(print: Print, run: &Value) -> Vec<String> {
    let mut lines = head::lines(print, run);
    let empty = Vec::new();
    let tasks = run.get("tasks").and_then(Value::as_array).unwrap_or(&empty);
    let depths = depths(tasks);
    let width =
        tasks.iter().zip(&depths).map(|(task, depth)| text(task, "name").chars().count() + 2 * depth).max();
    let width = width.unwrap_or(0).min(print.room_beside(BESIDE_NAME));
    for (at, depth) in order(tasks, &depths).into_iter().take(LINES_MAX) {
        lines.extend(task_lines(print, &tasks[at], depth, width));
    }
    let total = run.get("tasks_total").and_then(Value::as_u64).unwrap_or(0) as usize;
    if total > LINES_MAX.min(tasks.len()) {
        lines.push(format!("  … {} more tasks: {}", total - LINES_MAX.min(tasks.len()), counts(run)));
    }
    lines
}

pub(super) fn counts(run: &Value) -> String {
    let counts = run.get("counts").and_then(Value::as_object).into_iter().flatten();
    let words: Vec<String> =
        counts.map(|(state, count)| format!("{count} {}", state.to_lowercase())).collect();
    words.join(", ")
}

/// How far each task is from those that need nothing, by its first need, which is also what it is shown under.
fn depths(tasks: &[Value]) -> Vec<usize> {
    let by_name: BTreeMap<&str, usize> =
        tasks.iter().enumerate().map(|(at, task)| (text(task, "name"), at)).collect();
    let parent = |at: usize| first_need(&tasks[at]).and_then(|need| by_name.get(need).copied());
    (0..tasks.len())
        .map(|at| std::iter::successors(parent(at), |above| parent(*above)).take(tasks.len()).count())
        .collect()
}

fn first_need(task: &Value) -> Option<&str> {
    task.get("needs")?.as_array()?.first()?.as_str()
}

/// Depth first, in the order of the file.
fn order(tasks: &[Value], depths: &[usize]) -> Vec<(usize, usize)> {
    let mut children: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut open = Vec::new();
    for at in (0..tasks.len()).rev() {
        match first_need(&tasks[at]).filter(|_| depths[at] > 0) {
            Some(need) => children.entry(need).or_default().push(at),
            None => open.push(at),
        }
    }
    let mut ordered = Vec::with_capacity(tasks.len());
    while let Some(at) = open.pop() {
        ordered.push((at, depths[at]));
        open.extend(children.remove(text(&tasks[at], "name")).unwrap_or_default());
    }
    ordered
}

/// A task, and under it what there is to say about it.
fn task_lines(print: Print, task: &Value, depth: usize, width: usize) -> Vec<String> {
    let state = text(task, "state");
    let sign = match state {
        "succeeded" => "✔",
        "failed" | "quarantined" => "✘",
        "running" => "▶",
        "skipped" | "cancelled" => "–",
        "upstream_failed" => "!",
        _ => "·",
    };
    let name = cut(&format!("{}{}", "  ".repeat(depth), text(task, "name")), width);
    let id = [text(task, "task_id"), text(task, "run_id")].into_iter().find(|id| !id.is_empty());
    let mut line = format!(
        "  {} {name:<width$}  {}  {:<7}  {}",
        print.state(state, sign.to_owned()),
        print.state(state, format!("{state:<STATE_WIDTH$}")),
        took(task).unwrap_or_default(),
        print.short_id(id.unwrap_or_default()),
    );
    if let Some(items) = task.get("items") {
        line.push_str(&bar(items));
    }
    let mut lines = vec![line.trim_end().to_owned()];
    let mut below = |words: String| lines.push(print.fitted(&format!("      {words}")));
    for field in ["reason", "error"] {
        if let Some(words) = task.get(field).and_then(Value::as_str) {
            below(brief(words));
        }
    }
    for item in task.get("failed_items").and_then(Value::as_array).into_iter().flatten() {
        let error = item.pointer("/error/message").and_then(Value::as_str).unwrap_or("failed");
        below(format!("item {}: {}", item["index"], brief(error)));
    }
    let jobs = task.get("waits_for_jobs").and_then(Value::as_array).into_iter().flatten();
    let jobs: Vec<&str> = jobs.map(|wait| text(wait, "job")).collect();
    if !jobs.is_empty() {
        below(format!("waits for a success of {}", jobs.join(", ")));
    }
    lines
}

/// From its start to its end, or to now.
pub(super) fn took(value: &Value) -> Option<String> {
    let from = value.get("started_at").and_then(Value::as_str)?;
    let now = || jiff::Timestamp::now().to_string();
    between(from, &value.get("ended_at").and_then(Value::as_str).map_or_else(now, str::to_owned))
}

fn bar(items: &Value) -> String {
    let number = |field: &str| items.get(field).and_then(Value::as_u64).unwrap_or(0) as usize;
    let told = ["failed", "cancelled", "skipped"].map(|state| (state, number(state)));
    let others = told.iter().map(|(_, count)| count).sum::<usize>();
    let (count, done) = (number("count").max(1), number("succeeded") + others);
    let full = (done * BAR / count).min(BAR);
    let mut bar = format!("[{}{}] {done}/{count}", "█".repeat(full), "░".repeat(BAR - full));
    for (state, count) in told.iter().filter(|(_, count)| *count > 0) {
        bar.extend([", ", &count.to_string(), " ", state]);
    }
    bar
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::output::Output;
    use super::*;

    #[test]
    fn tasks_stand_under_what_they_need() {
        let task =
            |name: &str, needs: &[&str], state: &str| json!({"name": name, "needs": needs, "state": state});
        let run = json!({
            "run_id": "run_1", "job": "etl", "version": 2, "state": "running", "tasks_total": 5, "owner": "ops",
            "trigger": "schedule", "window": {"at": "W1"},
            "counts": {"succeeded": 1, "running": 1},
            "tasks": [
                task("load", &["transform"], "pending"),
                json!({"name": "extract", "needs": [], "state": "succeeded", "task_id": "task_1",
                       "started_at": "2026-01-01T00:00:00Z", "ended_at": "2026-01-01T00:01:05Z"}),
                json!({"name": "transform", "needs": ["extract"], "state": "running",
                       "items": {"count": 10, "succeeded": 3, "failed": 1, "cancelled": 1}}),
                json!({"name": "notify", "needs": ["load", "extract"], "state": "failed", "error": "no\nroute"}),
                json!({"name": "each", "needs": [], "state": "failed", "items": {"count": 2, "failed": 1},
                       "failed_items": [{"index": 1, "error": {"message": "code 3\nx\nbad row"}}]}),
            ],
        });
        let lines = lines(Print::new(Output::Table), &run);
        assert_eq!(lines[..2], ["run_1  running", "  etl v2, owner ops, started by a schedule, window W1"]);
        let lines = &lines[2..];
        assert_eq!(lines[0], "  1 running, 1 succeeded");
        assert_eq!(lines[1], "  ✔ extract       succeeded        1m 5s    task_1");
        assert_eq!(
            lines[2],
            "  ▶   transform   running                   [█████░░░░░] 5/10, 1 failed, 1 cancelled"
        );
        assert_eq!(lines[3], "  ·     load      pending");
        assert_eq!(lines[4], "  ✘       notify  failed");
        assert_eq!(lines[5], "      no · route");
        assert_eq!(lines[7], "      item 1: code 3 · x · bad row");
    }
}
