//! Names and texts as Rust wants them.

use std::fmt::Write;

use serde_json::{Map, Value};

/// Those that a property may have as its name.
const KEYWORDS: [&str; 17] = [
    "as", "async", "const", "continue", "else", "for", "if", "in", "let", "loop", "match", "move", "ref",
    "type", "use", "where", "while",
];

/// `nextCursor` and `next-cursor` as `next_cursor`.
pub fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        match letter {
            '-' | '.' | '$' => snake.push('_'),
            upper if upper.is_ascii_uppercase() => {
                if !snake.is_empty() && !snake.ends_with('_') {
                    snake.push('_');
                }
                snake.push(upper.to_ascii_lowercase());
            }
            other => snake.push(other),
        }
    }
    snake
}

/// `run_task` and `listTasks` as `RunTask` and `ListTasks`.
pub fn pascal(name: &str) -> String {
    snake(name)
        .split('_')
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters)
        })
        .collect()
}

/// A name that may be a keyword.
pub fn raw(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("r#{name}") } else { name.to_owned() }
}

/// The lines of a comment, each with this indent.
pub fn comment(text: Option<&str>, indent: &str) -> String {
    text.unwrap_or_default().lines().fold(String::new(), |mut lines, line| {
        // Writing to memory cannot fail.
        let _ = writeln!(lines, "{indent}/// {}", line.trim());
        lines
    })
}

/// What a `$ref` names.
pub fn referred(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.rsplit('/').next()
}

pub fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

pub fn items<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_form_that_rust_wants() {
        for (name, as_snake, as_pascal) in [
            ("listTasks", "list_tasks", "ListTasks"),
            ("webhook-id", "webhook_id", "WebhookId"),
            ("run_task", "run_task", "RunTask"),
        ] {
            assert_eq!((snake(name).as_str(), pascal(name).as_str()), (as_snake, as_pascal), "{name}");
        }
        assert_eq!(raw("type"), "r#type");
    }
}
