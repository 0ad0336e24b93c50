//! Reading bodies, headers and queries, each within its bound.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, Uri};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Deserialize;

use crate::problem::Problem;
use crate::wire::{Keys, check_key, name};

/// A body that takes longer keeps its connection busy for nothing.
const BODY_TIMEOUT: Duration = Duration::from_mins(1);

pub(crate) async fn read(body: Body, max: usize) -> Result<Bytes, Problem> {
    match tokio::time::timeout(BODY_TIMEOUT, Limited::new(body, max).collect()).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Problem::BodyTooLarge { max }),
        Ok(Err(_)) | Err(_) => Err(Problem::BodyUnreadable),
    }
}

/// A document that does not fit says whether it is no JSON at all or where it is wrong.
pub(crate) fn parse<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes).map_err(|error| problem(&error))
}

pub(crate) fn problem(error: &serde_json::Error) -> Problem {
    let what = error.to_string();
    match error.classify() {
        serde_json::error::Category::Data => Problem::field("body", what),
        _ => Problem::InvalidJson { what },
    }
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

pub(crate) fn keys(headers: &HeaderMap) -> Result<Keys<'_>, Problem> {
    let tenant = text(headers, "x-mainspring-tenant", "tenant")?;
    let key = text(headers, "idempotency-key", "idempotency_key")?;
    // Here and not with each task: one header, one refusal, also where a body has its own.
    if tenant.is_some_and(str::is_empty) {
        return Err(Problem::field("tenant", "header `x-mainspring-tenant` may not be empty"));
    }
    tenant.map(|tenant| name("tenant", tenant)).transpose()?;
    key.map(check_key).transpose()?;
    Ok(Keys { tenant, key, place: None })
}

fn text<'a>(headers: &'a HeaderMap, name: &str, field: &'static str) -> Result<Option<&'a str>, Problem> {
    let value = headers.get(name).map(|value| value.to_str());
    value
        .transpose()
        .map_err(|_| Problem::field(field, format!("header `{name}` has characters beyond ASCII")))
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
