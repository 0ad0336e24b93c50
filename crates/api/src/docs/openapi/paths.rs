//! Paths of the document, from the table of operations.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::run::StartedBy;
use mainspring_core::task::Status;
use mainspring_core::values::{NAME_BYTES_MAX, RunStatus};
use serde_json::{Map, Value, json};

use super::examples;
use crate::catalog::{self, Answer, Header, Operation, Parameter, Repeat, Schema, Shape, operations};
use crate::config::KEY_BYTES_MAX;
use crate::wire::schema::{LABEL_PATTERN, NAME_PATTERN};
use crate::wire::timer_word;

const OPEN: [&str; 3] = ["getHealth", "getReadiness", "receiveWebhook"];

pub(super) fn paths() -> Value {
    let mut paths = Map::new();
    for operation in operations() {
        let path = paths.entry(operation.path()).or_insert_with(|| json!({}));
        path[operation.method().to_lowercase()] = described(operation);
    }
    paths.into()
}

fn described(operation: &Operation) -> Value {
    let mut all = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "tags": [operation.tag],
        "responses": responses(operation),
        // Either is enough: a server that was started without a token asks for none.
        "security": if OPEN.contains(&operation.id) { json!([]) } else { json!([{}, {"token": []}]) },
        "x-error-codes": codes(operation),
    });
    if !operation.details.is_empty() {
        all["description"] = operation.details.into();
    }
    let parameters = parameters(operation);
    if !parameters.is_empty() {
        all["parameters"] = parameters.into();
    }
    if let Some(body) = &operation.body {
        let content = body.content.iter().map(|(media_type, schema)| {
            let example = examples::request(operation.id, media_type);
            // Lines of JSON are no value of the schema: checkers of documents could not send such an example.
            let content = match *schema {
                Schema::Text => json!({"schema": reference(*schema)}),
                _ => json!({"schema": reference(*schema), "example": example}),
            };
            ((*media_type).to_owned(), content)
        });
        all["requestBody"] = json!({"required": body.required, "content": content.collect::<Map<_, _>>()});
    }
    all
}

pub(super) fn reference(schema: Schema) -> Value {
    let to = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    match schema {
        Schema::Of(name) => to(name),
        Schema::ListOf(name, max) => {
            json!({"type": "array", "items": to(name), "minItems": 1, "maxItems": max})
        }
        Schema::OneOf(names) => json!({"anyOf": names.iter().map(|name| to(name)).collect::<Vec<_>>()}),
        Schema::Object("") => json!({"type": "object"}),
        Schema::Object(what) => json!({"type": "object", "description": what}),
        Schema::Text => json!({"type": "string"}),
        Schema::Any => json!({}),
    }
}

fn responses(operation: &Operation) -> Value {
    let mut all = Map::new();
    for answer in operation.answers {
        all.insert(answer.status.to_string(), answered(operation, answer));
    }
    let refused = |name: &str| json!({"$ref": format!("#/components/responses/Refused{name}")});
    for status in codes(operation).keys() {
        // An answer of its own goes before the refusal with the same status.
        all.entry(status.clone()).or_insert_with(|| refused(status));
    }
    all.insert("default".into(), refused(""));
    all.into()
}

/// Codes of refusals by status.
fn codes(operation: &Operation) -> BTreeMap<String, Vec<&'static str>> {
    let mut codes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for code in operation.error_codes() {
        let status = catalog::status(code).unwrap_or_else(|| panic!("{code} has no status"));
        codes.entry(status.to_string()).or_default().push(code);
    }
    codes
}

/// Refusals that operations refer to, one for each status and one for whatever else.
pub(super) fn refusals() -> Value {
    let all: BTreeSet<String> = operations().flat_map(|operation| codes(operation).into_keys()).collect();
    let named = all.iter().map(|status| (format!("Refused{status}"), refused(meaning(status))));
    let other = ("Refused".to_owned(), refused("An error; `error_code` says which, `docs` has its page"));
    named.chain([other]).collect::<Map<_, _>>().into()
}

fn meaning(status: &str) -> &'static str {
    match status {
        "400" => "The request is wrong; `message` says where",
        "401" => "The token, or the signature, is missing or wrong",
        "403" => "The request comes from a web page, names another server, or is not for this caller",
        "404" => "There is no such thing",
        "409" => "What it is about is in another state",
        "410" => "What it asks for is kept no longer",
        "412" => "It has another revision than the caller has seen",
        "413" => "The request is too large",
        "415" => "The body is of a type that is not read here",
        "422" => "The request can be read and cannot be done",
        "429" => "There is too much already; `retry_after_ms` says when to come back",
        "500" => "A mistake of the server, or damaged data",
        "503" => "Come back later; `retry_after_ms` says when",
        other => panic!("say what {other} means"),
    }
}

fn refused(what: &str) -> Value {
    json!({
        "description": what,
        "content": {"application/json": {"schema": reference(Schema::Of("Error")), "example": examples::refusal()}},
        "headers": {"Retry-After": {
            "description": "With 429 and 503: seconds to wait", "schema": {"type": "integer"},
        }},
    })
}

fn answered(operation: &Operation, answer: &Answer) -> Value {
    let mut media = json!({"schema": reference(answer.schema)});
    if let Some(example) = examples::answer(operation.id, answer) {
        media["example"] = example;
    }
    let mut all = json!({"description": answer.what, "content": {answer.media_type: media}});
    let record = Header::number(
        "Mainspring-Record",
        "The newest record of the journal that was durable when this was answered; send it back to see at least that",
    );
    let seen = Header::number(
        "Mainspring-Record-Seen",
        "The newest record when the request came: the answer has seen it, and may have seen later ones",
    );
    let records = operation.has_record().then_some([record, seen]).into_iter().flatten();
    let headers = answer.headers.iter().copied().chain(records);
    let headers: Map<_, _> = headers
        .map(|header| {
            (header.name.to_owned(), json!({"description": header.what, "schema": {"type": header.kind}}))
        })
        .collect();
    if !headers.is_empty() {
        all["headers"] = headers.into();
    }
    all
}

fn parameters(operation: &Operation) -> Vec<Value> {
    let mut all: Vec<Value> = in_path(operation.path());
    all.extend(operation.query.iter().map(|parameter| written(parameter, "query")));
    if operation.repeat == Repeat::Key {
        all.push(json!({
            "name": "Idempotency-Key",
            "in": "header",
            "description": "The same key and request give the first answer again; with another request it is \
                refused. Kept 24 hours at least.",
            "schema": {"type": "string", "minLength": 1, "maxLength": KEY_BYTES_MAX},
        }));
    }
    if operation.actor && !OPEN.contains(&operation.id) {
        all.extend(catalog::ACTOR.iter().map(|parameter| written(parameter, "header")));
    }
    all.extend(operation.headers.iter().map(|parameter| written(parameter, "header")));
    if operation.has_record() {
        all.push(json!({
            "name": "Mainspring-Record",
            "in": "header",
            "description": "The number that an answer had: this one shows at least that record of the journal, or is refused \
                with `STORE_BEHIND`",
            "schema": {"type": "integer", "minimum": 0, "maximum": u32::MAX},
        }));
    }
    all
}

fn written(parameter: &Parameter, place: &str) -> Value {
    let mut all = json!({"name": parameter.name, "in": place, "schema": shape(parameter.shape)});
    if matches!(parameter.shape, Shape::SearchText) {
        all["required"] = true.into();
    }
    if !parameter.what.is_empty() {
        all["description"] = parameter.what.into();
    }
    all
}

/// What stands in the place of each `{…}`.
fn in_path(path: &str) -> Vec<Value> {
    let names = path.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(name, _)| name);
    let id = |prefix: &str| (format!("`{prefix}_` and 32 hexadecimal digits"), json!({"type": "string"}));
    let own_name = || json!({"type": "string", "minLength": 1, "maxLength": NAME_BYTES_MAX, "pattern": WORD});
    let described = names.map(|name| {
        let (what, schema) = match (path.split('/').nth(2).unwrap_or_default(), name) {
            ("tasks" | "dead-letters", "id") => id("task"),
            ("runs", "id") => id("run"),
            ("runs", "name") => ("The task".into(), shape(Shape::FilledName)),
            ("workers", "id") => id("worker"),
            ("backfills", "id") => id("backfill"),
            ("operations", "id") => {
                ("`operation_id` as the bulk operation answered".into(), json!({"type": "string"}))
            }
            ("store", "row") => ("The id of the task or run".into(), json!({"type": "string"})),
            ("schedules", "job") => {
                ("The job; `@tasks` for recurring tasks".into(), shape(Shape::FilledName))
            }
            ("schedules", "name") => ("The schedule".into(), own_name()),
            ("triggers", "job") | ("jobs", "name") => ("The job".into(), shape(Shape::FilledName)),
            ("triggers", "name") => ("The trigger".into(), own_name()),
            ("webhooks", "name") => ("As the settings of the server name it".into(), own_name()),
            ("jobs", "version") => {
                ("Its number".into(), json!({"type": "integer", "minimum": 0, "maximum": u32::MAX}))
            }
            ("pools", "name") => ("The pool".into(), json!({"type": "string"})),
            ("errors", "code") => ("The code of the error".into(), json!({"type": "string"})),
            other => panic!("{path} has a part that is not described: {other:?}"),
        };
        json!({"name": name, "in": "path", "required": true, "description": what, "schema": schema})
    });
    described.collect()
}

const WORD: &str = "^[A-Za-z0-9_][A-Za-z0-9_.-]*$";

fn shape(shape: Shape) -> Value {
    match shape {
        Shape::Name => json!({"type": "string", "maxLength": NAME_BYTES_MAX, "pattern": NAME_PATTERN}),
        Shape::FilledName => {
            json!({"type": "string", "minLength": 1, "maxLength": NAME_BYTES_MAX, "pattern": NAME_PATTERN})
        }
        Shape::TaskStates => {
            listed_words(Status::ALL.map(Status::label).into_iter().chain(Status::ALL.map(timer_word)))
        }
        Shape::RunStates => listed_words(RunStatus::ALL.map(RunStatus::label).into_iter()),
        Shape::StartedBy => json!({"type": "string", "enum": StartedBy::ALL.map(StartedBy::label)}),
        Shape::Label => json!({"type": "string", "pattern": LABEL_PATTERN}),
        Shape::Instant => json!({"anyOf": [
            {"type": "string", "format": "date-time"},
            {"type": "integer", "minimum": 0, "maximum": 253_402_300_799_u64},
        ]}),
        Shape::Number { min, max, default } => {
            let mut all = json!({"type": "integer", "minimum": min, "maximum": max});
            if let Some(default) = default {
                all["default"] = default.into();
            }
            all
        }
        Shape::Integer => {
            json!({"type": "integer", "minimum": i64::MIN, "maximum": i64::MAX, "not": {"const": 0}})
        }
        Shape::SearchText => {
            json!({"type": "string", "minLength": 1, "maxLength": 1_000, "pattern": "^[^\\r\\n]+$"})
        }
        Shape::Flag => json!({"type": "boolean", "default": false}),
        Shape::Words(words) => json!({"type": "string", "enum": words}),
        Shape::Pattern(pattern) => json!({"type": "string", "pattern": pattern}),
        Shape::Wait => json!({"type": "string", "pattern": "^([0-9]{1,4}ms|[1-5]?[0-9]s|60s|1m)$"}),
        Shape::HeaderName => json!({
            "type": "string", "minLength": 1, "maxLength": NAME_BYTES_MAX, "pattern": "^[!-~]([ -~]*[!-~])?$",
        }),
        Shape::HeaderText => json!({
            "type": "string", "maxLength": NAME_BYTES_MAX, "pattern": "^([!-~]([ -~]*[!-~])?)?$",
        }),
        Shape::Text => json!({"type": "string"}),
    }
}

/// One or several, with commas; or nothing.
fn listed_words(words: impl Iterator<Item = &'static str>) -> Value {
    let one = words.collect::<Vec<_>>().join("|");
    json!({"type": "string", "pattern": format!("^(({one})(,({one}))*)?$")})
}
