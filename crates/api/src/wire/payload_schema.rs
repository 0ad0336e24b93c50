//! What each executor needs of its payload, for the `OpenAPI` document. The checks are in `payload`.

use mainspring_core::wait::TIMEOUT_MAX;
use serde_json::{Value, json};

use super::payload::{URL_BYTES_MAX, USER_BYTES_MAX};

/// One for each executor; a task fits one of them.
pub(super) fn schemas() -> Value {
    json!([
        of(&["http", "webhook"], &json!({
            "type": "object",
            "properties": {
                "url": {"type": "string", "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://", "maxLength": URL_BYTES_MAX},
            },
            "required": ["url"],
        })),
        of(&["process"], &process()),
        of(&["sleep"], &json!({
            "type": "object",
            "properties": {"ms": {"type": "integer", "minimum": 0, "maximum": u64::MAX}},
            "required": ["ms"],
        })),
        of(&["wait"], &wait()),
        of(&["poll"], &json!({
            "type": "object",
            "description": "A worker polls whether an address answers or a file is there, and between two polls \
                the task holds no place",
            "oneOf": [poll("http", "url"), poll("file", "path")],
        })),
        {"properties": {"task_type": {"enum": ["noop"]}}},
    ])
}

fn of(executors: &[&str], payload: &Value) -> Value {
    json!({"properties": {"task_type": {"enum": executors}, "payload": payload}, "required": ["payload"]})
}

fn process() -> Value {
    json!({
        "type": "object",
        "properties": {
            "argv": {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
            "user": {
                "type": ["string", "null"],
                "minLength": 1,
                "maxLength": USER_BYTES_MAX,
                "pattern": "^([0-9]{1,9}(:[0-9]{1,9})?|[A-Za-z_][A-Za-z0-9_.-]*)$",
                "description": "Whom the program runs as: a name, `uid` or `uid:gid`; the worker's own user if \
                    absent. Only a worker that is root can do that.",
            },
        },
        "required": ["argv"],
    })
}

fn poll(what: &str, field: &str) -> Value {
    let address = json!({"type": "object", "properties": {field: {"type": "string"}}, "required": [field]});
    json!({"properties": {what: address}, "required": [what]})
}

fn wait() -> Value {
    let span = json!({"type": "integer", "minimum": 0, "maximum": TIMEOUT_MAX.get()});
    // Two days before the last second of the year 9999: with the longest offset it still is a date.
    let until = json!({"anyOf": [
        {"type": "string", "format": "date-time"}, {"type": "integer", "minimum": 0, "maximum": 253_402_127_999_u64},
    ]});
    let event = json!({
        "type": "object",
        "properties": {
            "type": {"type": "string"}, "source": {"type": "string"}, "subject": {"type": "string"},
            "if": {"type": "string"},
        },
        "required": ["type"],
        "additionalProperties": false,
        "description": "Type and source as in a trigger, the subject, and an expression over the event",
    });
    let fields = [
        ("for_ms", span.clone()),
        ("until", until),
        ("run", json!({"type": "string", "description": "The id of a run"})),
        ("event", event),
    ];
    let choices = fields.map(|(field, schema)| {
        let mut timeout = span.clone();
        timeout["description"] = json!("How long at most; 7 days unless it is given");
        json!({
            "properties": {field: schema, "timeout_ms": timeout, "on_timeout": {"enum": ["fail", "skip"]}},
            "required": [field],
            "additionalProperties": false,
        })
    });
    json!({
        "type": "object",
        "description": "Waits without a place on a worker: so long, until an instant (RFC 3339 or seconds since \
            1970), for the success of a run, or for an event",
        "oneOf": choices,
    })
}
