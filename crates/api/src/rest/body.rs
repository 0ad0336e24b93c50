//! Reading bodies and queries.

use std::collections::BTreeMap;
use std::time::Duration;

use http::Uri;
use serde::Deserialize;

use crate::operation::checked_wait;
use crate::problem::Problem;
pub(crate) use crate::server::read_body as read;
use crate::wire::{json_problem, parse_span};

pub(crate) fn parse<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes).map_err(|error| json_problem(&error))
}

/// Like [`parse`], and no body at all is an empty object.
pub(crate) fn parse_optional<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Problem> {
    match bytes.trim_ascii() {
        [] => parse(b"{}"),
        // It would be read as the fields in their order, which nobody means.
        [b'[', ..] => {
            parse::<serde::de::IgnoredAny>(bytes)?;
            Err(Problem::field("body", "an object is needed, not a list"))
        }
        _ => parse(bytes),
    }
}

/// The query's parameters; ones that are not in `known` are refused.
pub(crate) fn query(uri: &Uri, known: &[&str]) -> Result<BTreeMap<String, String>, Problem> {
    let query = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(uri);
    let axum::extract::Query(pairs) =
        query.map_err(|_| Problem::query("?", "the query is not in the usual form"))?;
    let mut parameters = BTreeMap::new();
    for (key, value) in pairs {
        if !known.contains(&key.as_str()) {
            return Err(Problem::query(&key, format!("unknown; known are {}", known.join(", "))));
        }
        if parameters.insert(key.clone(), value).is_some() {
            return Err(Problem::query(&key, "given twice"));
        }
    }
    Ok(parameters)
}

/// `true` or `false`; false without it.
pub(crate) fn flag(query: &BTreeMap<String, String>, name: &str) -> Result<bool, Problem> {
    match query.get(name).map(String::as_str) {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(Problem::query(name, "it is `true` or `false`")),
    }
}

/// How long to wait for an end: `wait=30s`.
pub(crate) fn wait(query: &BTreeMap<String, String>) -> Result<Duration, Problem> {
    let span = |text: &String| parse_span(text).map_err(|what| Problem::query("wait", what));
    checked_wait(query.get("wait").map(span).transpose()?)
}
