//! `CloudEvents` 1.0 as they come in: structured and batched as JSON, binary as headers and a body.

use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::HeaderMap;
use mainspring_core::values::{ATTRIBUTE_BYTES_MAX, CloudEvent, DATA_BYTES_MAX, OWN_PREFIX, Wall};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::payload::too_deep;
use crate::problem::{EventProblem, Problem};

/// Events of one batch.
pub(crate) const BATCH_MAX: usize = 100;
/// Sources of what comes in by webhooks.
const WEBHOOK_SOURCES: &str = "/webhooks/";

/// Attributes beyond these are read over: they are extensions that nothing here looks at.
#[derive(Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Event", transform = super::schema::event_body))]
pub(crate) struct EventBody<'a> {
    #[cfg_attr(test, schemars(extend("enum" = ["1.0"])))]
    specversion: Option<String>,
    /// With `source` it names the event: one that came before is not taken again
    #[cfg_attr(test, schemars(length(min = 1, max = 256), extend("pattern" = super::schema::NAME_PATTERN)))]
    id: Option<String>,
    /// Where it happened; sources that begin with `/webhooks/` are not for callers
    #[cfg_attr(test, schemars(length(min = 1, max = 256), extend("pattern" = super::schema::NAME_PATTERN)))]
    source: Option<String>,
    /// What triggers are matched with; types that begin with `mainspring.` are not for callers
    #[cfg_attr(test, schemars(length(min = 1, max = 256), extend("pattern" = super::schema::NAME_PATTERN)))]
    r#type: Option<String>,
    #[cfg_attr(test, schemars(length(min = 1, max = 256), extend("pattern" = super::schema::NAME_PATTERN)))]
    subject: Option<String>,
    #[cfg_attr(test, schemars(schema_with = "super::schema::time_or_null"))]
    time: Option<String>,
    datacontenttype: Option<String>,
    /// At most 256 KiB
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::any"))]
    data: Option<&'a RawValue>,
    #[cfg_attr(test, schemars(skip))]
    data_base64: Option<String>,
}

pub(crate) fn structured(bytes: &[u8]) -> Result<CloudEvent, Problem> {
    let body: EventBody<'_> = serde_json::from_slice(bytes).map_err(|error| bad_json(&error))?;
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return Err(EventProblem::invalid("body", "an object is needed"));
    }
    notice(body)
}

pub(crate) fn batch(bytes: &[u8]) -> Result<Vec<CloudEvent>, Problem> {
    let bodies: Vec<&RawValue> = serde_json::from_slice(bytes).map_err(|error| bad_json(&error))?;
    check_count(bodies.len())?;
    let read = |(index, body): (usize, &&RawValue)| {
        structured(body.get().as_bytes()).map_err(|problem| EventProblem::at(problem, index))
    };
    bodies.iter().enumerate().map(read).collect()
}

/// How many come together.
pub(crate) fn check_count(count: usize) -> Result<(), Problem> {
    if count > BATCH_MAX {
        return Err(EventProblem::BatchTooLong { count, max: BATCH_MAX }.into());
    }
    Ok(())
}

fn bad_json(error: &serde_json::Error) -> Problem {
    match error.classify() {
        serde_json::error::Category::Data => EventProblem::invalid("body", error.to_string()),
        _ => Problem::InvalidJson { what: error.to_string() },
    }
}

/// Whether the attributes are in headers.
pub(crate) fn is_binary(headers: &HeaderMap) -> bool {
    headers.contains_key("ce-specversion")
}

pub(crate) fn binary(headers: &HeaderMap, body: &[u8]) -> Result<CloudEvent, Problem> {
    let header = |name: &'static str| -> Result<Option<String>, Problem> {
        let Some(value) = headers.get(format!("ce-{name}")) else { return Ok(None) };
        let text = value.to_str().ok().and_then(|text| decoded(text.trim_matches('"')));
        text.map(Some).ok_or_else(|| EventProblem::invalid("headers", format!("`ce-{name}` is no text")))
    };
    let kind = headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let notice = notice(EventBody {
        specversion: header("specversion")?,
        id: header("id")?,
        source: header("source")?,
        r#type: header("type")?,
        subject: header("subject")?,
        time: header("time")?,
        ..EventBody::default()
    })?;
    Ok(CloudEvent { data: data(kind, body)?, ..notice })
}

/// Header values spell what is beyond printable ASCII as `%` and two hexadecimal digits.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match after.split_at_checked(2).filter(|_| *first == b'%') {
            Some((digits, after)) => {
                let digits = std::str::from_utf8(digits).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = after;
            }
            None => bytes.push(*first),
        }
    }
    String::from_utf8(bytes).ok()
}

/// A body as JSON: itself, a text, or base64.
pub(crate) fn data(media_type: Option<&str>, body: &[u8]) -> Result<Option<Arc<[u8]>>, Problem> {
    if body.is_empty() {
        return Ok(None);
    }
    let media_type = media_type.unwrap_or("application/json");
    let name = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if name == "application/json" || name.ends_with("+json") {
        let json: &RawValue = serde_json::from_slice(body)
            .map_err(|error| EventProblem::invalid("data", format!("it is not JSON: {error}")))?;
        return document(json).map(Some);
    }
    let text = std::str::from_utf8(body).ok().filter(|_| name.starts_with("text/"));
    let text = text.map_or_else(|| BASE64_STANDARD.encode(body), str::to_owned);
    Ok(Some(serde_json::Value::from(text).to_string().into_bytes().into()))
}

fn document(json: &RawValue) -> Result<Arc<[u8]>, Problem> {
    match too_deep(json.get()) {
        Some(what) => Err(EventProblem::invalid("data", what)),
        None => Ok(json.get().as_bytes().into()),
    }
}

fn notice(body: EventBody<'_>) -> Result<CloudEvent, Problem> {
    match body.specversion.as_deref() {
        Some("1.0") => {}
        Some(_) => return Err(EventProblem::invalid("specversion", "only `1.0` is known")),
        None => return Err(EventProblem::invalid("specversion", "it is missing; it is `1.0`")),
    }
    let data = match (body.data, &body.data_base64) {
        (Some(_), Some(_)) => {
            return Err(EventProblem::invalid("data", "`data` and `data_base64` exclude each other"));
        }
        (Some(data), None) => Some(document(data)?),
        (None, Some(coded)) => {
            let bytes = BASE64_STANDARD.decode(coded);
            let bytes = bytes.map_err(|_| EventProblem::invalid("data_base64", "it is not base64"))?;
            data(Some(body.datacontenttype.as_deref().unwrap_or("application/octet-stream")), &bytes)?
        }
        (None, None) => None,
    };
    let time = |text: String| match text.parse::<jiff::Timestamp>() {
        Ok(at) => Ok(Wall::from_millis(u64::try_from(at.as_millisecond()).unwrap_or(0))),
        Err(_) => Err(EventProblem::invalid("time", "it is a time as RFC 3339 has it")),
    };
    Ok(CloudEvent {
        id: required("id", body.id)?,
        source: required("source", body.source)?,
        kind: required("type", body.r#type)?,
        subject: body.subject.map(|text| attribute("subject", text)).transpose()?,
        time: body.time.map(time).transpose()?,
        data,
    })
}

fn required(name: &'static str, text: Option<String>) -> Result<Arc<str>, Problem> {
    attribute(name, text.ok_or_else(|| EventProblem::invalid(name, "it is missing"))?)
}

pub(crate) fn attribute(name: &'static str, text: String) -> Result<Arc<str>, Problem> {
    let bytes = text.len();
    if bytes == 0 || bytes > ATTRIBUTE_BYTES_MAX {
        let what = format!("it has {bytes} bytes; it has 1 to {ATTRIBUTE_BYTES_MAX}");
        return Err(EventProblem::invalid(name, what));
    }
    if text.contains(char::is_control) {
        return Err(EventProblem::invalid(name, "it has control characters"));
    }
    Ok(text.into())
}

/// What everybody may send: not in our name, nor past the signature of a webhook, and not too much.
pub(crate) fn check(notice: &CloudEvent) -> Result<(), Problem> {
    if notice.bytes() > DATA_BYTES_MAX {
        let what = format!("it has {} bytes of at most {DATA_BYTES_MAX}", notice.bytes());
        return Err(EventProblem::invalid("data", what));
    }
    let rows = [("type", &notice.kind, OWN_PREFIX), ("source", &notice.source, WEBHOOK_SOURCES)];
    for (attribute, value, prefix) in rows {
        if value.starts_with(prefix) {
            return Err(EventProblem::Reserved { attribute, value: value.to_string() }.into());
        }
    }
    Ok(())
}
