//! The canonical form of a job: JSON with sorted names, except that tasks keep their order.
//! - CJ-1 reading it again gives the same job, and the same canonical form

use serde_json::Value as Json;

use super::tree::{Entry, Node, Value};

pub fn json(node: &Node) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::Bool(flag) => Json::Bool(*flag),
        Value::Whole(number, _) => whole(*number),
        Value::Real(number, _) => Json::from(*number),
        Value::Text(text) => Json::String(text.clone()),
        Value::List(items) => Json::Array(items.iter().map(json).collect()),
        Value::Map(entries) => {
            Json::Object(entries.iter().map(|entry| (entry.key.clone(), json(&entry.node))).collect())
        }
    }
}

/// The tree has only numbers of 64 bits.
fn whole(number: i128) -> Json {
    match i64::try_from(number) {
        Ok(number) => Json::from(number),
        Err(_) => Json::from(number as u64),
    }
}

/// With the tenant written out, so that the text alone says whose job it is.
pub fn canonical(job: &Node, tenant: &str) -> String {
    let Value::Map(entries) = &job.value else { return String::new() };
    let tenant = Node { at: job.at, value: Value::Text(tenant.to_owned()) };
    let tenant = Entry { key: "tenant".to_owned(), at: job.at, node: tenant };
    let given = entries.iter().filter(|entry| entry.key != "tenant" && entry.node.value != Value::Null);
    let mut sorted: Vec<&Entry> = given.chain([&tenant]).collect();
    sorted.sort_by(|a, b| a.key.cmp(&b.key));
    let mut text = String::new();
    object(&sorted, &mut text, |entry, text| match entry.key.as_str() {
        "tasks" | "parameters" => ordered(&entry.node, text),
        _ => write(&entry.node, text),
    });
    text
}

fn ordered(node: &Node, text: &mut String) {
    match &node.value {
        Value::Map(entries) => {
            object(&entries.iter().collect::<Vec<_>>(), text, |entry, text| write(&entry.node, text));
        }
        _ => write(node, text),
    }
}

fn write(node: &Node, text: &mut String) {
    match &node.value {
        Value::Map(entries) => {
            let mut sorted: Vec<&Entry> = entries.iter().collect();
            sorted.sort_by(|a, b| a.key.cmp(&b.key));
            object(&sorted, text, |entry, text| write(&entry.node, text));
        }
        Value::List(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        _ => text.push_str(&json(node).to_string()),
    }
}

fn object(entries: &[&Entry], text: &mut String, mut value: impl FnMut(&Entry, &mut String)) {
    text.push('{');
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&Json::String(entry.key.clone()).to_string());
        text.push(':');
        value(entry, text);
    }
    text.push('}');
}
