//! Parts of schemas that a type alone does not tell: limits of names, words for states, fields that job files describe.
//! Only the test that writes the `OpenAPI` document compiles this.

mod job_file;
mod parts;
mod whole;

use mainspring_core::backfill::{BackfillStatus, Only, Order as BackfillOrder};
use mainspring_core::retry::DELAYS_MAX;
use mainspring_core::run::StartedBy;
use mainspring_core::task::Status;
use mainspring_core::values::{Band, FailureClass, LABELS_MAX, NAME_BYTES_MAX, RunStatus};
use mainspring_core::wait::Late;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

pub(crate) use self::job_file::{ScheduleBody, recurring};
pub(crate) use self::whole::{amend_body, event_body, run_selector_body, selector_body, task_body};
use super::profile::EXECUTORS;
use super::state::timer_word;

/// No control characters.
pub(crate) const NAME_PATTERN: &str = r"^[^\u0000-\u001f\u007f-\u009f]*$";
pub(crate) const LABEL_PATTERN: &str =
    r"^[^=\u0000-\u001f\u007f-\u009f]{0,200}=[^\u0000-\u001f\u007f-\u009f]{0,200}$";
const FORCIBLE: [Status; 3] = [Status::Succeeded, Status::Failed, Status::Skipped];

fn words(words: impl IntoIterator<Item = &'static str>) -> Schema {
    json_schema!({"type": "string", "enum": words.into_iter().collect::<Vec<_>>()})
}

/// Out: of a task.
pub(crate) fn task_state(_: &mut SchemaGenerator) -> Schema {
    words(Status::ALL.map(Status::label))
}

/// Out: of a task, as the timer contract spells it.
pub(crate) fn timer_status(_: &mut SchemaGenerator) -> Schema {
    words(Status::ALL.map(timer_word))
}

pub(crate) fn first_state(_: &mut SchemaGenerator) -> Schema {
    words([Status::Pending, Status::Queued].map(Status::label))
}

pub(crate) fn first_status(_: &mut SchemaGenerator) -> Schema {
    words([Status::Pending, Status::Queued].map(timer_word))
}

pub(crate) fn delivery(_: &mut SchemaGenerator) -> Schema {
    words(["at_least_once", "at_most_once"])
}

pub(crate) fn run_state(_: &mut SchemaGenerator) -> Schema {
    words(RunStatus::ALL.map(RunStatus::label))
}

pub(crate) fn optional_run_state(generator: &mut SchemaGenerator) -> Schema {
    run_state(generator)
}

pub(crate) fn started_by(_: &mut SchemaGenerator) -> Schema {
    words(StartedBy::ALL.map(StartedBy::label))
}

pub(crate) fn worker_state(_: &mut SchemaGenerator) -> Schema {
    words(["healthy", "cordoned", "draining", "drained", "unhealthy", "disconnected"])
}

pub(crate) fn backfill_state(_: &mut SchemaGenerator) -> Schema {
    use BackfillStatus::{Cancelled, Cancelling, Completed, Paused, Running};
    words([Running, Paused, Cancelling, Completed, Cancelled].map(BackfillStatus::label))
}

pub(crate) fn backfill_only(_: &mut SchemaGenerator) -> Schema {
    words(Only::ALL.map(Only::label))
}

pub(crate) fn backfill_order(_: &mut SchemaGenerator) -> Schema {
    words(BackfillOrder::ALL.map(BackfillOrder::label))
}

pub(crate) fn failure_class(_: &mut SchemaGenerator) -> Schema {
    words(FailureClass::ALL.map(FailureClass::label))
}

pub(crate) fn band(_: &mut SchemaGenerator) -> Schema {
    words(Band::ALL.map(Band::label))
}

/// The core names them one by one; a diagnosis with another word fails in `tests/schemathesis/run`.
pub(crate) fn task_reason(_: &mut SchemaGenerator) -> Schema {
    words([
        "waits_for_time",
        "waits_for_run",
        "waits_for_event",
        "waits_for_approval",
        "no_workers",
        "no_worker_matches",
        "pool_limit",
        "backfill_share",
        "tenant_limit",
        "limit",
        "no_room",
        "behind",
        "about_to_be_placed",
        "backoff",
        "retry_budget",
        "deferred",
        "stopping",
        "held",
        "ended",
    ])
}

pub(crate) fn run_reason(_: &mut SchemaGenerator) -> Schema {
    words([
        "job_paused",
        "waits_for_place",
        "lost",
        "paused",
        "too_many_items",
        "stopping",
        "undoing",
        "waits_for_jobs",
        "stalled",
        "working",
        "about_to_go_on",
        "ended",
    ])
}

pub(crate) fn approval_state(_: &mut SchemaGenerator) -> Schema {
    words(["open", "approved", "rejected"])
}

pub(crate) fn on_timeout(_: &mut SchemaGenerator) -> Schema {
    words([Late::Fail, Late::Skip, Late::Approve, Late::Reject].map(Late::label))
}

pub(crate) fn run_waits_for(_: &mut SchemaGenerator) -> Schema {
    words(["approval"])
}

pub(crate) fn marks(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": {"type": "string", "enum": ["late", "quiet", "stalled"]}})
}

/// A JSON object that is kept as it came.
pub(crate) fn object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "additionalProperties": true})
}

pub(crate) fn object_or_null(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["object", "null"], "additionalProperties": true})
}

/// Any JSON at all.
pub(crate) fn any(_: &mut SchemaGenerator) -> Schema {
    json_schema!({})
}

/// In: a name, which may be empty or null.
pub(crate) fn name(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["string", "null"], "maxLength": NAME_BYTES_MAX, "pattern": NAME_PATTERN})
}

/// In: a name, or null.
pub(crate) fn filled_name(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": ["string", "null"], "minLength": 1, "maxLength": NAME_BYTES_MAX, "pattern": NAME_PATTERN,
    })
}

/// In: a name that has to be there.
pub(crate) fn needed_name(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "minLength": 1, "maxLength": NAME_BYTES_MAX, "pattern": NAME_PATTERN})
}

pub(crate) fn task_names(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "maxItems": 1_000, "items": needed_name(generator)})
}

pub(crate) fn item_numbers(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "maxItems": 1_000,
        "items": {"type": "integer", "format": "int64", "minimum": 0, "maximum": u32::MAX},
    })
}

/// In: a name; null is no name.
pub(crate) fn given_name(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "maxLength": NAME_BYTES_MAX, "pattern": NAME_PATTERN})
}

pub(crate) fn given_label(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "pattern": LABEL_PATTERN})
}

/// Two choices, not two types with one format: readers of the document apply a format to the text only so.
pub(crate) fn time_or_null(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]})
}

pub(crate) fn key(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["string", "null"], "minLength": 1, "maxLength": crate::config::KEY_BYTES_MAX})
}

fn label_map(kind: &Value) -> Schema {
    json_schema!({
        "type": kind,
        "maxProperties": LABELS_MAX,
        "propertyNames": {"maxLength": NAME_BYTES_MAX, "pattern": NAME_PATTERN},
        "additionalProperties": {"type": "string", "maxLength": NAME_BYTES_MAX, "pattern": NAME_PATTERN},
    })
}

pub(crate) fn bulk_verb(_: &mut SchemaGenerator) -> Schema {
    words(super::bulk_body::BULK_VERBS.map(|(word, _)| word))
}

pub(crate) fn labels(_: &mut SchemaGenerator) -> Schema {
    label_map(&json!("object"))
}

pub(crate) fn labels_or_null(_: &mut SchemaGenerator) -> Schema {
    label_map(&json!(["object", "null"]))
}

/// Out: labels as an object.
pub(crate) fn label_object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "additionalProperties": {"type": "string"}})
}

pub(crate) fn custom_resources(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "maxProperties": 16,
        "propertyNames": {"maxLength": NAME_BYTES_MAX, "pattern": NAME_PATTERN},
        "additionalProperties": {"type": "integer", "minimum": 0, "maximum": u64::MAX},
    })
}

/// One spelling of each, although the server reads any case: names that differ only in case stop generators of clients.
pub(crate) fn task_type(_: &mut SchemaGenerator) -> Schema {
    words(EXECUTORS.map(|(word, _)| word))
}

pub(crate) fn task_type_or_null(_: &mut SchemaGenerator) -> Schema {
    let words: Vec<Value> = EXECUTORS.iter().map(|(word, _)| json!(word)).chain([Value::Null]).collect();
    json_schema!({"type": ["string", "null"], "enum": words})
}

pub(crate) fn forcible_state(_: &mut SchemaGenerator) -> Schema {
    words(FORCIBLE.map(Status::label))
}

pub(crate) fn forcible_run_state(_: &mut SchemaGenerator) -> Schema {
    let ended = RunStatus::ALL.into_iter().filter(|status| status.is_ended());
    words(ended.map(RunStatus::label))
}

/// In: states of tasks that have not ended.
pub(crate) fn unfinished_states(_: &mut SchemaGenerator) -> Schema {
    let open: Vec<&str> =
        Status::ALL.into_iter().filter(|status| !status.is_ended()).map(Status::label).collect();
    json_schema!({"type": "array", "maxItems": Status::ALL.len(), "items": {"type": "string", "enum": open}})
}

pub(crate) fn failure_classes(_: &mut SchemaGenerator) -> Schema {
    let classes = FailureClass::ALL.map(FailureClass::label);
    json_schema!({"type": ["array", "null"], "maxItems": DELAYS_MAX, "items": {"type": "string", "enum": classes}})
}

pub(crate) fn worker_labels(_: &mut SchemaGenerator) -> Schema {
    let one = r"^[^=!\u0000-\u001f\u007f-\u009f]{1,200}(!?=[^=!\u0000-\u001f\u007f-\u009f]{1,200})?$";
    json_schema!({"type": "array", "maxItems": LABELS_MAX, "items": {"type": "string", "pattern": one}})
}

pub(crate) fn backfill_only_or_null(_: &mut SchemaGenerator) -> Schema {
    or_null(Only::ALL.map(Only::label))
}

pub(crate) fn backfill_order_or_null(_: &mut SchemaGenerator) -> Schema {
    or_null(BackfillOrder::ALL.map(BackfillOrder::label))
}

pub(crate) fn rerun_version(_: &mut SchemaGenerator) -> Schema {
    or_null(["same", "newest"])
}

fn or_null<const N: usize>(words: [&'static str; N]) -> Schema {
    let words: Vec<Value> = words.into_iter().map(Value::from).chain([Value::Null]).collect();
    json_schema!({"type": ["string", "null"], "enum": words})
}
