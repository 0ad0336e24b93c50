//! What an answer is called, in the form that commands take back.

use serde_json::{Map, Value};

/// Ids before names: a task has the id of its run, too, and a run the name of its job.
const IDS: [&str; 4] = ["task_id", "backfill_id", "run_id", "worker_id"];
const NAMES: [&str; 5] = ["schedule", "job", "pool", "name", "operation_id"];

pub(super) fn of(value: &Value) -> Option<String> {
    let text = |field: &str| match value.get(field)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let id = IDS.iter().find_map(|field| text(field));
    let scoped = || Some(format!("{}/{}", text("job")?, text("name")?));
    id.or_else(scoped).or_else(|| NAMES.iter().find_map(|field| text(field)))
}

/// After its ids: what it is, how it stands, whose it is, and when what happened to it.
const FIRST: [&str; 36] = [
    "operation_id",
    "schedule",
    "job",
    "name",
    "run_task",
    "item",
    "undo",
    "verb",
    "state",
    "version",
    "reason",
    "message",
    "advice",
    "pool",
    "tenant",
    "owner",
    "task_type",
    "priority",
    "trigger",
    "window",
    "worker",
    "attempt_count",
    "retry_count",
    "max_retries",
    "active_runs",
    "waiting_runs",
    "description",
    "cron",
    "every",
    "timezone",
    "created_at",
    "scheduled_at",
    "started_at",
    "ended_at",
    "updated_at",
    "next",
];

/// Documents that people write, which may have any length: behind all others.
const LONG: [&str; 2] = ["definition", "payload"];

/// The fields of an answer as a person wants to read them, documents last. `status` says the same as `state`; what is
/// empty is left out.
pub(super) fn in_order(fields: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let place = |name: &str| IDS.iter().chain(&FIRST).position(|first| *first == name);
    let is_shown = |name: &str, value: &Value| {
        let is_empty =
            value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty);
        let is_twice = name == "status" && fields.contains_key("state");
        !is_empty && !is_twice
    };
    let mut ordered: Vec<_> = fields.iter().filter(|(name, value)| is_shown(name, value)).collect();
    ordered.sort_by_key(|(name, value)| {
        let (is_long, is_document) = (LONG.contains(&name.as_str()), value.is_object() || value.is_array());
        let last = usize::MAX - usize::from(!is_long) - usize::from(!is_document);
        place(name).unwrap_or(last)
    });
    ordered
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_is_named_as_commands_take_it() {
        let rows = [
            (json!({"run_id": "run_1", "task_id": "task_1", "job": "etl"}), Some("task_1")),
            (json!({"run_id": "run_1", "job": "etl"}), Some("run_1")),
            (json!({"job": "etl", "name": "nightly"}), Some("etl/nightly")),
            (json!({"job": "etl", "tenant": "acme"}), Some("etl")),
            (json!({"pool": "gpu"}), Some("gpu")),
            (json!({"operation_id": 17}), Some("17")),
            (json!({"queued": 3}), None),
        ];
        for (answer, name) in rows {
            assert_eq!(of(&answer).as_deref(), name, "{answer}");
        }
    }

    #[test]
    fn what_it_is_and_its_state_come_first() {
        let task = json!({
            "attempts": [1], "created_at": "T0", "delivery": "at_least_once", "labels": {}, "pool": "gpu",
            "state": "failed", "status": "FAILED", "task_id": "task_1", "run_id": "run_1",
        });
        let names: Vec<&str> = in_order(task.as_object().expect("an object"))
            .into_iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, ["task_id", "run_id", "state", "pool", "created_at", "delivery", "attempts"]);
    }
}
