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

/// What it is and how it stands, before all that is known of it.
const FIRST: [&str; 4] = ["state", "version", "reason", "message"];

/// The fields of an answer as a person wants to read them. `status` says the same as `state`.
pub(super) fn in_order(fields: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let place = |name: &str| IDS.iter().chain(&NAMES).chain(&FIRST).position(|first| *first == name);
    let twice = |name: &str| name == "status" && fields.contains_key("state");
    let mut ordered: Vec<_> = fields.iter().filter(|(name, _)| !twice(name)).collect();
    ordered.sort_by_key(|(name, _)| place(name).unwrap_or(usize::MAX));
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
        let task = json!({"attempts": [], "state": "failed", "status": "FAILED", "task_id": "task_1", "run_id": "run_1"});
        let names: Vec<&str> = in_order(task.as_object().expect("an object"))
            .into_iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, ["task_id", "run_id", "state", "attempts"]);
    }
}
