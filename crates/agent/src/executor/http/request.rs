//! From a payload to a request.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HOST, HeaderName, HeaderValue, USER_AGENT};
use http::{HeaderMap, Method, Request, Uri};
use http_body_util::Full;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::sign::WebhookSecret;
use crate::attempt::Attempt;

const TIMEOUT_DEFAULT: Duration = Duration::from_secs(30);
const AGENT: HeaderValue = HeaderValue::from_static(concat!("mainspring/", env!("CARGO_PKG_VERSION")));
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// These say where a message ends or whom it is for; a payload that sets them could smuggle a second one.
const OURS: [&str; 6] = ["host", "content-length", "transfer-encoding", "connection", "upgrade", "te"];

/// A task's payload.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Payload {
    url: String,
    method: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// A text goes out as it is, anything else as JSON.
    #[serde(default)]
    body: Value,
    timeout_ms: Option<u64>,
}

pub struct Call {
    pub request: Request<Full<Bytes>>,
    pub timeout: Duration,
}

pub fn build(attempt: &Attempt, secret: Option<&WebhookSecret>) -> Result<Call, String> {
    let payload: Payload = serde_json::from_slice(&attempt.payload)
        .map_err(|error| format!("not a payload of `http`: {error}"))?;
    let (uri, host) = target(&payload.url)?;
    let name = payload.method.as_deref().unwrap_or("POST").to_ascii_uppercase();
    let method = Method::from_bytes(name.as_bytes())
        .ok()
        .filter(|method| *method != Method::CONNECT)
        .ok_or_else(|| format!("`{name}` is not a method of a webhook"))?;

    let mut headers = given_headers(&payload.headers)?;
    let body = match payload.body {
        Value::Null => Bytes::new(),
        Value::String(text) => text.into(),
        other => {
            headers.entry(CONTENT_TYPE).or_insert(JSON);
            other.to_string().into()
        }
    };
    headers.insert(HOST, host);
    headers.entry(USER_AGENT).or_insert(AGENT);
    tell(&mut headers, attempt);
    if let Some(secret) = secret {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        secret.sign(&mut headers, &attempt.key.task.to_string(), now.as_secs(), &body);
    }

    let mut request = Request::new(Full::new(body));
    *request.method_mut() = method;
    *request.uri_mut() = uri;
    *request.headers_mut() = headers;
    let timeout = payload.timeout_ms.map_or(TIMEOUT_DEFAULT, Duration::from_millis);
    Ok(Call { request, timeout })
}

/// Where to, and the `Host` header of it. The URL parser turns every spelling of an address into the plain one.
fn target(text: &str) -> Result<(Uri, HeaderValue), String> {
    let url = Url::parse(text).map_err(|error| format!("`{text}` is not a URL: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("webhooks are http or https, not `{}`", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a URL must not carry a user name or password; use an `Authorization` header".to_owned());
    }
    let bad = || format!("`{text}` cannot be called");
    let host = url.host_str().ok_or_else(bad)?;
    let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
    let uri = Uri::builder()
        .scheme(url.scheme())
        .authority(host.as_str())
        .path_and_query(path)
        .build()
        .map_err(|_| bad())?;
    Ok((uri, HeaderValue::from_str(&host).map_err(|_| bad())?))
}

fn given_headers(given: &BTreeMap<String, String>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::with_capacity(given.len() + 8);
    for (name, value) in given {
        let parsed = HeaderName::from_bytes(name.as_bytes())
            .ok()
            .filter(|parsed| !OURS.contains(&parsed.as_str()))
            .ok_or_else(|| format!("a webhook may not set the header `{name}`"))?;
        // The value may be a secret: it is not repeated.
        let value = HeaderValue::from_str(value)
            .map_err(|_| format!("the header `{name}` has a value that cannot be sent"))?;
        headers.insert(parsed, value);
    }
    Ok(headers)
}

/// What the target may know of the attempt; set last, so that no payload can forge it.
fn tell(headers: &mut HeaderMap, attempt: &Attempt) {
    let mut set = |name: &'static str, value: String| {
        // Ids and numbers: always fit for a header.
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    };
    set("idempotency-key", attempt.key.task.to_string());
    set("mainspring-task-id", attempt.key.task.to_string());
    set("mainspring-attempt", attempt.number.to_string());
    set("mainspring-fence", attempt.key.fence.bits().to_string());
    if let Some(deadline) = attempt.deadline_unix_ms {
        set("mainspring-deadline-ms", deadline.to_string());
    }
}
