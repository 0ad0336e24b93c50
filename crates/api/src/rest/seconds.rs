//! `Prefer: times=unix`: instants of an answer as whole seconds since 1970 instead of RFC 3339 text.
//! - TU-1 only fields of ours are written anew, those that end in `_at` and a few by name; what a caller gave (payloads,
//!   outputs, parameters) stays as it was, to the byte

use std::fmt::{self, Write};

use axum::body::Body;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use http_body_util::BodyExt;
use jiff::Timestamp;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

const PREFER: HeaderName = HeaderName::from_static("prefer");
const APPLIED: HeaderName = HeaderName::from_static("preference-applied");
const UNIX: &str = "times=unix";

/// What callers gave, or what is theirs by name.
const THEIRS: [&str; 10] =
    ["payload", "output", "parameters", "labels", "definition", "data", "value", "notes", "outputs", "error"];
/// Instants that do not say so at their end.
const INSTANTS: [&str; 5] = ["at", "since", "next", "last", "first"];

pub(super) fn are_wanted(headers: &HeaderMap) -> bool {
    let values = headers.get_all(PREFER).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split([',', ';'])).any(|word| {
        let word: String = word.chars().filter(|c| !matches!(c, ' ' | '\t' | '"')).collect();
        word.eq_ignore_ascii_case(UNIX)
    })
}

/// The answer with its instants so. What is no JSON stays as it is.
pub(super) async fn written(response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE);
    if kind.is_none_or(|kind| kind.as_bytes() != b"application/json") {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // Bodies of this kind lie in memory as a whole.
    let Ok(bytes) = body.collect().await.map(http_body_util::Collected::to_bytes) else {
        return Response::from_parts(parts, Body::empty());
    };
    let Ok(raw) = serde_json::from_slice::<&RawValue>(&bytes) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    let mut text = String::with_capacity(bytes.len());
    rewrite("", raw.get(), &mut text);
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(APPLIED, HeaderValue::from_static(UNIX));
    Response::from_parts(parts, Body::from(text))
}

fn rewrite(name: &str, text: &str, out: &mut String) {
    match text.as_bytes().first() {
        Some(b'{') if !THEIRS.contains(&name) => each_field(text, out),
        Some(b'[') if !THEIRS.contains(&name) => {
            let items: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                rewrite(name, item.get(), out);
            }
            out.push(']');
        }
        Some(b'"') if name.ends_with("_at") || INSTANTS.contains(&name) => match seconds(text) {
            // Writing to memory cannot fail.
            Some(seconds) => drop(write!(out, "{seconds}")),
            None => out.push_str(text),
        },
        _ => out.push_str(text),
    }
}

fn each_field(text: &str, out: &mut String) {
    let Ok(Fields(fields)) = serde_json::from_str(text) else { return out.push_str(text) };
    out.push('{');
    for (at, (name, value)) in fields.iter().enumerate() {
        out.push_str(if at == 0 { "" } else { "," });
        let _ = write!(out, "{}:", serde_json::Value::from(name.as_str()));
        rewrite(name, value.get(), out);
    }
    out.push('}');
}

fn seconds(text: &str) -> Option<i64> {
    let at: Timestamp = text.trim_matches('"').parse().ok()?;
    Some(at.as_second())
}

/// The fields of an object in their order.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_of_ours_become_seconds_and_nothing_else_changes() {
        let rows = [
            (r#"{"created_at":"2025-01-15T14:40:00.250Z"}"#, r#"{"created_at":1736952000}"#),
            (r#"{"a":[{"ended_at":"2025-01-15T14:40:00Z"},{}]}"#, r#"{"a":[{"ended_at":1736952000},{}]}"#),
            (r#"{"next":null,"at":["2025-01-15T14:40:00Z"]}"#, r#"{"next":null,"at":[1736952000]}"#),
            (
                r#"{"payload":{"created_at" : "2025-01-15T14:40:00Z", "n": 1.50}}"#,
                r#"{"payload":{"created_at" : "2025-01-15T14:40:00Z", "n": 1.50}}"#,
            ),
            (r#"{"message":"2025-01-15T14:40:00Z"}"#, r#"{"message":"2025-01-15T14:40:00Z"}"#),
            (r#"{"last":"no time","b\"c":1}"#, r#"{"last":"no time","b\"c":1}"#),
            ("7", "7"),
        ];
        for (text, wanted) in rows {
            let mut out = String::new();
            rewrite("", text, &mut out);
            assert_eq!(out, wanted);
        }
    }

    #[test]
    fn the_preference_is_read_in_every_form_that_it_may_have() {
        let rows = [
            ("times=unix", true),
            ("respond-async, times=\"unix\"", true),
            ("Times = Unix; x=1", true),
            ("times=rfc3339", false),
            ("return=minimal", false),
        ];
        for (value, wanted) in rows {
            let mut headers = HeaderMap::new();
            headers.insert(PREFER, value.parse().expect("a header"));
            assert_eq!(are_wanted(&headers), wanted, "{value}");
        }
        assert!(!are_wanted(&HeaderMap::new()));
    }
}
