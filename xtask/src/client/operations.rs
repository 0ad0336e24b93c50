//! A function for each operation: it makes a call, which a client sends.

use std::fmt::Write;

use serde_json::Value;

use super::names::{comment, entries, items, pascal, raw, snake};
use super::types::Types;

const METHODS: [&str; 5] = ["get", "put", "post", "patch", "delete"];
const JSON: &str = "application/json";
/// Answers that are read as they come.
const STREAMS: [&str; 5] =
    ["text/plain", "application/x-ndjson", "text/html", "text/markdown", "application/openmetrics-text"];

/// The file.
pub fn text(document: &Value, types: &mut Types) -> String {
    let mut text = "// Written by `cargo xtask client` from the OpenAPI document.\n".to_owned();
    let mut operations = Vec::new();
    for (path, item) in entries(&document["paths"]) {
        for method in METHODS {
            if let Some(operation) = item.get(method) {
                operations.push((operation["operationId"].as_str().unwrap_or("?"), method, path, operation));
            }
        }
    }
    operations.sort_by_key(|(id, ..)| *id);
    for (id, method, path, operation) in operations {
        text.push('\n');
        text.push_str(&function(id, method, path, operation, types));
    }
    text
}

fn function(id: &str, method: &str, path: &str, operation: &Value, types: &mut Types) -> String {
    let mut arguments: Vec<String> = Vec::new();
    let mut location = format!("\"{path}\"");
    let inside: Vec<&str> = named(operation, "path").collect();
    if !inside.is_empty() {
        let pattern =
            inside.iter().fold(path.to_owned(), |path, name| path.replace(&format!("{{{name}}}"), "{}"));
        let values: Vec<String> = inside.iter().map(|name| format!("escaped({})", snake(name))).collect();
        location = format!("format!(\"{pattern}\", {})", values.join(", "));
        arguments.extend(inside.iter().map(|name| format!("{}: &str", snake(name))));
    }
    let (query, pairs) = query(id, operation, types);
    let mut parameters = String::new();
    if !pairs.is_empty() {
        arguments.push(format!("query: &{}Query", pascal(id)));
        let lines = pairs.iter().fold(String::new(), |lines, pair| format!("{lines}        {pair},\n"));
        parameters = format!("    let parameters = [\n{lines}    ];\n");
        location = format!("with_query({location}, &parameters)");
    }
    let (argument, body) = body(id, operation, types);
    arguments.extend(argument);
    let keyed =
        if named(operation, "header").any(|name| name == "Idempotency-Key") { ".keyed()" } else { "" };
    let answer = answer(id, operation, types);
    let mut text = query;
    text.push_str(&comment(operation["summary"].as_str(), ""));
    let _ = writeln!(text, "///\n/// `{} {path}`", method.to_uppercase());
    let _ = writeln!(text, "pub fn {}({}) -> Call<{answer}> {{", snake(id), arguments.join(", "));
    text.push_str(&parameters);
    let _ = writeln!(text, "    Call::new(Method::{}, {location}){body}{keyed}\n}}", method.to_uppercase());
    text
}

fn named<'a>(operation: &'a Value, place: &str) -> impl Iterator<Item = &'a str> {
    items(operation, "parameters")
        .filter(move |parameter| parameter["in"] == place)
        .filter_map(|parameter| parameter["name"].as_str())
}

/// The type of the query, and its parameters as pairs.
fn query(id: &str, operation: &Value, types: &mut Types) -> (String, Vec<String>) {
    let mut text = "#[derive(Clone, PartialEq, Debug, Default)]\n".to_owned();
    let _ = writeln!(text, "pub struct {}Query {{", pascal(id));
    let mut pairs = Vec::new();
    for parameter in items(operation, "parameters").filter(|parameter| parameter["in"] == "query") {
        let Some(name) = parameter["name"].as_str() else { continue };
        let field = raw(&snake(name));
        // A value of several forms is given as the text that stands in the query.
        let kind = match types.of(&parameter["schema"], "").as_str() {
            "Value" => "String".to_owned(),
            kind => kind.trim_start_matches("Option<").trim_end_matches('>').to_owned(),
        };
        text.push_str(&comment(parameter["description"].as_str(), "    "));
        let _ = writeln!(text, "    pub {field}: Option<{kind}>,");
        pairs.push(format!("(\"{name}\", text(query.{field}.as_ref()))"));
    }
    text.push_str("}\n\n");
    if pairs.is_empty() { (String::new(), pairs) } else { (text, pairs) }
}

/// The argument for the body, and how it is given to the call.
fn body(id: &str, operation: &Value, types: &mut Types) -> (Option<String>, String) {
    let Some(body) = operation.get("requestBody") else { return (None, String::new()) };
    let Some(schema) = body["content"].get(JSON).and_then(|content| content.get("schema")) else {
        return (Some("body: Bytes".to_owned()), ".bytes(body)".to_owned());
    };
    let kind = types.of(schema, &format!("{}Body", pascal(id)));
    let kind = match kind.strip_prefix("Vec<").and_then(|of| of.strip_suffix('>')) {
        Some(of) => format!("[{of}]"),
        None => kind,
    };
    if kind == "Value" {
        // A file as it is.
        return (Some("body: Bytes".to_owned()), ".bytes(body)".to_owned());
    }
    if body["required"] == true {
        (Some(format!("body: &{kind}")), ".json(body)".to_owned())
    } else {
        (Some(format!("body: Option<&{kind}>")), ".json_or_none(body)".to_owned())
    }
}

/// What a success is answered with.
fn answer(id: &str, operation: &Value, types: &mut Types) -> String {
    let mut schemas: Vec<&Value> = Vec::new();
    for (_, response) in entries(&operation["responses"]).filter(|(status, _)| status.starts_with('2')) {
        if STREAMS.iter().any(|media| response["content"].get(*media).is_some()) {
            return "Text".to_owned();
        }
        let schema = &response["content"][JSON]["schema"];
        if !schemas.contains(&schema) {
            schemas.push(schema);
        }
    }
    let name = format!("{}Answer", pascal(id));
    match schemas[..] {
        [one] => types.of(one, &name),
        _ => types.of(&serde_json::json!({ "anyOf": schemas }), &name),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_operation_becomes_a_function() {
        let parameter =
            |name: &str, place: &str| json!({ "name": name, "in": place, "schema": { "type": "string" } });
        let operation = json!({
            "operationId": "clearRun",
            "summary": "Run tasks again",
            "parameters": [parameter("id", "path"), parameter("wait", "query"), parameter("Idempotency-Key", "header")],
            "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/x/ClearBody" } } } },
            "responses": { "200": { "content": { "application/json": { "schema": { "$ref": "#/x/RunDone" } } } } },
        });
        let text = function("clearRun", "post", "/v1/runs/{id}:clear", &operation, &mut Types::default());
        for line in [
            "/// Run tasks again",
            "pub fn clear_run(id: &str, query: &ClearRunQuery, body: Option<&ClearBody>) -> Call<RunDone> {",
            "        (\"wait\", text(query.wait.as_ref())),",
            "    Call::new(Method::POST, with_query(format!(\"/v1/runs/{}:clear\", escaped(id)), &parameters)).json_or_none(body).keyed()",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
