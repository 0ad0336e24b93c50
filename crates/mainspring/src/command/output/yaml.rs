//! JSON values as YAML, in block style.

use std::fmt::Write;

use serde_json::Value;

pub(super) fn of(value: &Value) -> String {
    let mut text = String::new();
    block(&mut text, value, 0);
    text
}

/// Lines of an object or list; anything else is one line.
fn block(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                indent(out, depth);
                out.push_str(&scalar_text(name));
                out.push(':');
                entry(out, value, depth + 1);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                indent(out, depth);
                out.push('-');
                item_lines(out, item, depth);
            }
        }
        Value::Object(_)
        | Value::Array(_)
        | Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_) => {
            indent(out, depth);
            out.push_str(&scalar(value));
            out.push('\n');
        }
    }
}

/// What follows `name:`.
fn entry(out: &mut String, value: &Value, depth: usize) {
    if is_block(value) {
        out.push('\n');
        block(out, value, depth);
    } else {
        // Writing to memory cannot fail.
        let _ = writeln!(out, " {}", scalar(value));
    }
}

/// What follows `-`: the first line of a block stands beside it.
fn item_lines(out: &mut String, item: &Value, depth: usize) {
    if !is_block(item) {
        return entry(out, item, depth + 1);
    }
    let mut inner = String::new();
    block(&mut inner, item, depth + 1);
    out.push(' ');
    out.push_str(inner.trim_start_matches(' '));
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n("  ", depth));
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => scalar_text(text),
        Value::Object(_) => "{}".to_owned(),
        Value::Array(_) => "[]".to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// In double quotes, as JSON has it, unless every reader of YAML takes it for the same text without.
fn scalar_text(text: &str) -> String {
    let first = text.chars().next();
    let starts_plain = first.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '.' | '_'));
    let starts_option = text.starts_with("--") && text.len() > 2 && !text.starts_with("---");
    let inside = text.chars().all(|c| c.is_ascii_alphanumeric() || " _-./@+,=()".contains(c));
    let is_word = matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n" | ".nan" | ".inf"
    );
    let is_number = text.parse::<f64>().is_ok();
    let plain = (starts_plain || starts_option) && inside && !is_word && !is_number && !text.ends_with(' ');
    if plain { text.to_owned() } else { Value::from(text).to_string() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn yaml_is_what_a_person_would_write() {
        let value = json!({
            "job": "etl", "version": 2, "paused": false, "note": null, "tags": [], "labels": {},
            "tasks": [{"name": "load", "needs": ["a", "b"]}, {"name": "7"}, "x: y", [1, [2]]],
        });
        let expected = "job: etl\nlabels: {}\nnote: null\npaused: false\ntags: []\n\
             tasks:\n  - name: load\n    needs:\n      - a\n      - b\n  - name: \"7\"\n  - \"x: y\"\n  - - 1\n    - - 2\n\
             version: 2\n";
        assert_eq!(sorted_lines(&of(&value)), sorted_lines(expected));
        assert!(
            of(&value)
                .contains("tasks:\n  - name: load\n    needs:\n      - a\n      - b\n  - name: \"7\"\n")
        );
        assert!(of(&value).contains("  - - 1\n    - - 2\n"));
    }

    fn sorted_lines(text: &str) -> Vec<&str> {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines
    }

    #[test]
    fn text_that_yaml_would_take_for_something_else_is_quoted() {
        for text in [
            "", "true", "No", "1", "1.5", "1e3", "a: b", "- x", "#c", "a\nb", "ä", "{", "*x", "&x", "x ",
            "~", ".inf",
        ] {
            assert!(scalar_text(text).starts_with('"'), "{text}");
        }
        for text in ["etl", "a b", "/usr/bin", "./x.sh", "--day", "run_019a", "2h".trim_start_matches('2')] {
            assert_eq!(scalar_text(text), text);
        }
    }
}
