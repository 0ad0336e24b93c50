//! What can only be said of a body as a whole.

use mainspring_core::task::Status;
use schemars::Schema;
use serde_json::{Value, json};

use super::super::payload_schema;

/// What cannot be said of a field alone: which payload goes with which executor, and which fields exclude each other.
pub(crate) fn task_body(schema: &mut Schema) {
    let given = |field: &str| json!({field: {"not": {"type": "null"}}});
    schema.insert("required".into(), json!(["task_type"]));
    schema.insert("allOf".into(), one_of(&payload_schema::schemas()));
    let twice = json!({
        "required": ["timeout_ms", "timeouts"],
        "properties": {
            "timeout_ms": {"not": {"type": "null"}},
            "timeouts": {"type": "object", "required": ["hard_ms"], "properties": given("hard_ms")},
        },
    });
    schema.insert("not".into(), json!({"anyOf": [both_times(), twice]}));
}

pub(crate) fn amend_body(schema: &mut Schema) {
    schema.insert("not".into(), both_times());
}

/// Not as `anyOf` beside the properties: generators of clients would read that as a choice of types and forget the
/// properties.
fn one_of(choices: &Value) -> Value {
    json!([{"anyOf": choices}])
}

fn both_times() -> Value {
    json!({
        "required": ["scheduled_at", "delay_ms"],
        "properties": {"scheduled_at": {"not": {"type": "null"}}, "delay_ms": {"not": {"type": "null"}}},
    })
}

/// Something must be named, or `all`; and tasks that a worker has are stopped only with `force`.
pub(crate) fn selector_body(schema: &mut Schema) {
    let mut choices = vec![json!({
        "required": ["all"],
        "properties": {
            "all": {"const": true}, "tenant": {"type": "null"}, "job": {"type": "null"}, "pool": {"type": "null"},
            "task_type": {"type": "null"}, "labels": {"maxProperties": 0}, "state": {"maxItems": 0},
        },
    })];
    let fields = [
        ("tenant", json!({"type": "string"})),
        ("job", json!({"type": "string"})),
        ("pool", json!({"type": "string"})),
        ("task_type", json!({"type": "string"})),
        ("labels", json!({"minProperties": 1})),
        ("state", json!({"minItems": 1})),
    ];
    for (field, filled) in fields {
        choices.push(json!({"required": [field], "properties": {field: filled, "all": {"const": false}}}));
    }
    schema.insert("allOf".into(), one_of(&choices.into()));
    let held = [Status::Assigned, Status::Running].map(Status::label);
    schema.insert(
        "not".into(),
        json!({
            "required": ["state"],
            "properties": {"state": {"minItems": 1, "items": {"enum": held}}, "force": {"const": false}},
        }),
    );
}

pub(crate) fn run_selector_body(schema: &mut Schema) {
    let choices = ["tenant", "job", "label"].map(|field| json!({"required": [field]}));
    schema.insert("allOf".into(), one_of(&json!(choices)));
}

pub(crate) fn event_body(schema: &mut Schema) {
    let needed = ["specversion", "id", "source", "type"];
    schema.insert("required".into(), json!(needed));
    for field in needed {
        // The reader says what is missing in its own words, so to it each is optional.
        if let Some(property) = schema.pointer_mut(&format!("/properties/{field}/type")) {
            *property = json!("string");
        }
    }
}
