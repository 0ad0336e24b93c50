//! Writes the `OpenAPI` document from the table of operations and the wire types. The product embeds the stored file, so
//! that its build compiles no generator; the test below compares the two.

mod examples;
mod paths;
mod schemas;

use std::{env, fs};

use mainspring_core::decision::Rejection;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::OPENAPI;
use crate::catalog::operations;
use crate::problem::Problem;

const ADVICE: &str =
    "run `UPDATE_GOLDEN=1 cargo test -p mainspring-api --lib openapi` and commit what it writes";

/// Every code, sorted.
pub(crate) fn error_code(_: &mut SchemaGenerator) -> Schema {
    let mut codes: Vec<&str> = Problem::CODES.into_iter().chain(Rejection::CODES).collect();
    codes.sort_unstable();
    json_schema!({"type": "string", "enum": codes})
}

fn document() -> Value {
    let tags: Vec<&str> = operations().map(|operation| operation.tag).fold(Vec::new(), |mut tags, tag| {
        if !tags.contains(&tag) {
            tags.push(tag);
        }
        tags
    });
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Mainspring",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "A job scheduler: submit tasks, watch them, change them. gRPC is on the same port.",
            "license": {"name": env!("CARGO_PKG_LICENSE")},
        },
        "tags": tags.iter().map(|tag| json!({"name": tag})).collect::<Vec<_>>(),
        "paths": paths::paths(),
        "components": {
            "schemas": schemas::all(),
            "responses": paths::refusals(),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Only if the server was started with a token; /healthz, /readyz and signed \
                        webhooks never need it",
                },
            },
        },
    })
}

#[test]
fn the_stored_document_is_what_table_and_types_say() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/docs/openapi.json");
    if env::var_os("UPDATE_GOLDEN").is_some() {
        let made = serde_json::to_string_pretty(&document()).expect("JSON") + "\n";
        fs::write(path, &made).expect("the document can be written");
        return;
    }
    // Not as texts: the order of fields depends on features of other crates in the build.
    let stored: Value = serde_json::from_str(OPENAPI).expect("JSON");
    assert!(stored == document(), "src/docs/openapi.json is old; {ADVICE}");
}

#[test]
fn every_reference_leads_somewhere_and_every_part_is_used() {
    let document = document();
    let mut found = std::collections::BTreeSet::new();
    references(&document, &mut found);
    let mut named = std::collections::BTreeSet::new();
    for kind in ["schemas", "responses"] {
        let parts = document["components"][kind].as_object().expect("parts");
        named.extend(parts.keys().map(|name| format!("{kind}/{name}")));
    }
    assert_eq!(found, named);
}

fn references(part: &Value, found: &mut std::collections::BTreeSet<String>) {
    match part {
        Value::Object(fields) => {
            if let Some(target) = fields.get("$ref").and_then(Value::as_str) {
                found
                    .insert(target.strip_prefix("#/components/").expect("a part of the document").to_owned());
            }
            fields.values().for_each(|field| references(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}
