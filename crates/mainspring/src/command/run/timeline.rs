//! `mainspring run timeline`: where the time of a run went.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::super::connect::Print;
use super::super::output::{Column, between, exact, id, say, span, text as column};
use super::text;

const COLUMNS: &[Column] = &[
    column("", "critical"),
    column("TASK", "name"),
    column("STATE", "state"),
    span("UPSTREAM", "upstream"),
    span("RELEASE", "release"),
    span("QUEUE", "queue"),
    span("LIMIT", "limit"),
    span("RETRY", "retry_wait"),
    span("WAIT", "wait"),
    span("RUN", "run"),
    id("ID", "task_id").only_wide(),
];

pub(super) fn print(print: Print, timeline: &Value) {
    if print.is_data() {
        return print.object(timeline);
    }
    let end = timeline.get("ended_at").or_else(|| timeline.get("at")).and_then(Value::as_str);
    let took = end.and_then(|end| between(text(timeline, "created_at"), end)).unwrap_or_default();
    let state = text(timeline, "state");
    say(&format!("{}  {}  {took}", text(timeline, "run_id"), print.state(state, state.to_owned())));
    say("");
    let tasks: Vec<Value> = list(timeline, "tasks").map(row).collect();
    let rows = json!({ "tasks": tasks });
    print.rows(&rows, "tasks", COLUMNS);
    if timeline.get("more").and_then(Value::as_bool) == Some(true) {
        say("… and others that began later");
    }
    let totals = row_of_totals(timeline);
    if !totals.is_empty() {
        say("");
        say(&format!("* critical path: {totals}"));
    }
}

/// A task with the time that it spent on each cause.
fn row(task: &Value) -> Value {
    let mut row = Map::new();
    for field in ["name", "state", "task_id"] {
        row.insert(field.to_owned(), task.get(field).cloned().unwrap_or_default());
    }
    let is_critical = task.get("critical").and_then(Value::as_bool) == Some(true);
    row.insert("critical".to_owned(), if is_critical { "*" } else { "" }.into());
    for span in list(task, "spans") {
        let at = |field: &str| span.get(field).and_then(Value::as_u64).unwrap_or(0);
        let known = row.get(text(span, "cause")).and_then(Value::as_u64).unwrap_or(0);
        row.insert(
            text(span, "cause").to_owned(),
            (known + at("to_ms").saturating_sub(at("from_ms"))).into(),
        );
    }
    Value::Object(row)
}

fn row_of_totals(timeline: &Value) -> String {
    let totals = list(timeline, "totals").map(|total| {
        let ms = total.get("ms").and_then(Value::as_u64).unwrap_or(0);
        format!("{} {}", text(total, "cause").replace('_', " "), exact(Duration::from_millis(ms)))
    });
    totals.collect::<Vec<_>>().join(", ")
}

fn list<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}
