//! Facts of the `OpenAPI` document.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::Facts;

const METHODS: [&str; 5] = ["get", "put", "post", "patch", "delete"];

pub fn facts(document: &Value) -> Facts {
    let mut facts = Facts::new();
    let mut sent = BTreeSet::new();
    for (path, item) in entries(&document["paths"]) {
        for method in METHODS {
            if let Some(operation) = item.get(method) {
                add_operation(&mut facts, (method, path), operation);
                each_reference(&operation["requestBody"], &mut |name| {
                    sent.insert(name.to_owned());
                });
            }
        }
    }
    let schemas = &document["components"]["schemas"];
    let mut open: Vec<String> = sent.iter().cloned().collect();
    while let Some(name) = open.pop() {
        each_reference(&schemas[&name], &mut |inner| {
            if sent.insert(inner.to_owned()) {
                open.push(inner.to_owned());
            }
        });
    }
    for (name, schema) in entries(schemas) {
        add_fields(&mut facts, name, "", schema, sent.contains(name));
    }
    facts
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn items<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

fn add_operation(facts: &mut Facts, (method, path): (&str, &str), operation: &Value) {
    let id = operation["operationId"].as_str().unwrap_or("?");
    facts.insert(format!("operation {id} {} {path}", method.to_uppercase()));
    for parameter in items(operation, "parameters") {
        let (place, name) =
            (parameter["in"].as_str().unwrap_or("?"), parameter["name"].as_str().unwrap_or("?"));
        facts.insert(format!("parameter {id} {place} {name} {}", kind(&parameter["schema"])));
        if parameter["required"] == true {
            facts.insert(format!("requires {id} {place} {name}"));
        }
        for value in values(&parameter["schema"]) {
            facts.insert(format!("value {id} {name} {value}"));
        }
    }
    for (media, content) in entries(&operation["requestBody"]["content"]) {
        facts.insert(format!("body {id} {media} {}", kind(&content["schema"])));
        add_fields(facts, id, "body", &content["schema"], true);
    }
    if operation["requestBody"]["required"] == true {
        facts.insert(format!("requires {id} body"));
    }
    for (status, answer) in entries(&operation["responses"]) {
        for (media, content) in entries(&answer["content"]) {
            facts.insert(format!("answer {id} {status} {media} {}", kind(&content["schema"])));
        }
    }
}

/// Fields of a schema and of what is inside of it. `sent`: callers send it, so what it requires counts.
fn add_fields(facts: &mut Facts, schema: &str, path: &str, value: &Value, sent: bool) {
    let at = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for (name, field) in entries(&value["properties"]) {
        facts.insert(format!("field {schema} {} {}", at(name), kind(field)));
        for value in values(field) {
            facts.insert(format!("value {schema} {} {value}", at(name)));
        }
        add_fields(facts, schema, &at(name), field, sent);
    }
    for name in items(value, "required").filter_map(Value::as_str).filter(|_| sent) {
        facts.insert(format!("requires {schema} {}", at(name)));
    }
    for inner in ["items", "additionalProperties"].iter().filter_map(|field| value.get(field)) {
        add_fields(facts, schema, &at("[]"), inner, sent);
    }
    // Of alternatives nothing is required in all cases.
    for inner in ["anyOf", "oneOf"].iter().flat_map(|field| items(value, field)) {
        add_fields(facts, schema, path, inner, false);
    }
    for inner in items(value, "allOf") {
        add_fields(facts, schema, path, inner, sent);
    }
}

/// A name, or the types that it can have, in one word.
fn kind(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap_or(reference).to_owned();
    }
    let mut kinds: Vec<String> = match &schema["type"] {
        Value::String(one) => vec![one.clone()],
        Value::Array(many) => many.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    kinds.extend(["anyOf", "oneOf", "allOf"].iter().flat_map(|field| items(schema, field)).map(kind));
    kinds.sort_unstable();
    kinds.dedup();
    let mut word = if kinds.is_empty() { "any".to_owned() } else { kinds.join("|") };
    if let Some(items) = schema.get("items") {
        word = format!("{word}<{}>", kind(items));
    }
    word
}

fn values(schema: &Value) -> impl Iterator<Item = String> {
    items(schema, "enum").map(ToString::to_string)
}

fn each_reference(value: &Value, found: &mut impl FnMut(&str)) {
    match value {
        Value::Object(fields) => {
            if let Some(name) = fields.get("$ref").and_then(Value::as_str) {
                found(name.rsplit('/').next().unwrap_or(name));
            }
            fields.values().for_each(|inner| each_reference(inner, found));
        }
        Value::Array(items) => items.iter().for_each(|inner| each_reference(inner, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn operations_and_fields_are_facts() {
        let document = json!({
            "paths": {"/v1/x": {"post": {
                "operationId": "makeX",
                "parameters": [{"in": "query", "name": "n", "required": true, "schema": {"type": "integer"}}],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Body"}}}},
                "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/X"}}}}},
            }}},
            "components": {"schemas": {
                "Body": {"properties": {"inner": {"$ref": "#/components/schemas/Inner"}}, "required": ["inner"]},
                "Inner": {"properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]},
                "X": {"properties": {"state": {"type": "string", "enum": ["on"]}, "rows": {"type": "array", "items": {"properties": {"b": {"type": "boolean"}}}}}, "required": ["state"]},
            }},
        });
        let expected = [
            "answer makeX 200 application/json X",
            "body makeX application/json Body",
            "field Body inner Inner",
            "field Inner a null|string",
            "field X rows array<any>",
            "field X rows.[].b boolean",
            "field X state string",
            "operation makeX POST /v1/x",
            "parameter makeX query n integer",
            "requires Body inner",
            "requires Inner a",
            "requires makeX body",
            "requires makeX query n",
            "value X state \"on\"",
        ];
        assert_eq!(facts(&document).into_iter().collect::<Vec<_>>(), expected);
    }
}
