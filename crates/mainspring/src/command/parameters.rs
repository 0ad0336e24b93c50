//! `-p NAME=VALUE`: values as the job declares them, so that `-p order=1` is a text where the job wants a text.

use mainspring_client::{Client, ClientError};
use serde_json::{Map, Value};

/// The parameters as the job, or the version of it, at this path declares them.
pub(super) async fn typed(
    client: &Client,
    job: &str,
    given: &[(String, String)],
) -> Result<Map<String, Value>, ClientError> {
    if given.is_empty() {
        return Ok(Map::new());
    }
    let job = client.get(job).await?;
    let declared = job.pointer("/definition/parameters").cloned().unwrap_or_default();
    Ok(given.iter().map(|(name, text)| (name.clone(), value(&declared, name, text))).collect())
}

/// By the declared type. A text that does not fit it is sent as it is: the server says what is wrong with it. What is not
/// declared is JSON if it can be, else text.
fn value(declared: &Value, name: &str, text: &str) -> Value {
    let field = |field: &str| declared.get(name)?.get(field);
    let is_text = match field("type").and_then(Value::as_str) {
        Some(kind) => kind == "string",
        None => field("default").is_some_and(Value::is_string),
    };
    if is_text {
        return Value::from(text);
    }
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_has_the_type_that_the_job_declares() {
        let declared = json!({
            "order": {"type": "string"}, "count": {"type": "integer"}, "on": {"type": "boolean"},
            "list": {"type": "list"}, "day": {"default": "x"},
        });
        let rows = [
            ("order", "1", json!("1")),
            ("order", "true", json!("true")),
            ("order", "\"x\"", json!("\"x\"")),
            ("count", "1", json!(1)),
            ("count", "many", json!("many")),
            ("on", "true", json!(true)),
            ("list", "[1]", json!([1])),
            ("day", "1", json!("1")),
            ("other", "1", json!(1)),
            ("other", "2026-01-01", json!("2026-01-01")),
        ];
        for (name, text, expected) in rows {
            assert_eq!(value(&declared, name, text), expected, "{name}={text}");
        }
    }
}
