//! A client of the REST API: JSON in, JSON out, errors as the server words them.
//! - RQ-1 a request that changes nothing, or comes under a key, is sent again with the same key when the server cannot serve
//!   it just now (503 with `retry_after_ms`), or when the connection was lost before its answer came. What changes something
//!   gets a key if it has none
//! - RQ-2 what this client was told it sees from then on: it sends the greatest record that it saw with every request
//!
//! Entry: [`Client::send`] with a call of [`operations`]. What goes over the wire are the [`types`] of the `OpenAPI` document,
//! from which both are written (`cargo xtask client`). Not here: TLS (it comes with the server's).

mod call;
mod error;
mod resolve;

/// Bodies and answers.
pub mod types {
    #![allow(clippy::all, clippy::pedantic)]

    use std::collections::BTreeMap;

    use serde::{Deserialize, Serialize};
    use serde_json::Value;

    include!("../generated/types.rs");
}

/// A function for each operation; it makes a [`Call`].
pub mod operations {
    #![allow(clippy::all, clippy::pedantic)]

    use bytes::Bytes;
    use http::Method;

    use crate::call::{Call, Text, text, with_query};
    use crate::escaped;
    use serde_json::Value;

    use crate::types::*;

    include!("../generated/operations.rs");
}

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming as Body;
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

/// Largest answer that is read.
const ANSWER_BYTES_MAX: usize = 64 << 20;
const TIMEOUT: Duration = Duration::from_mins(1);
/// How often a request is sent that the server cannot serve just now, and the longest pause between two.
const TRIES_MAX: u32 = 4;
const PAUSE_MAX: Duration = Duration::from_secs(3);
/// Which record of the journal an answer reflects.
const RECORD: &str = "mainspring-record";
/// Done once under it.
const KEY: &str = "idempotency-key";
/// After the first lost connection; longer after each further one.
const PAUSE_AFTER_LOSS: Duration = Duration::from_millis(100);

pub use self::call::{Answer, Call, Text};
pub use self::error::ClientError;
pub use self::resolve::{escaped, query};

#[derive(Clone)]
pub struct Client {
    server: String,
    /// `Bearer` and the token; marked as sensitive, so that nothing shows it.
    authorization: Option<HeaderValue>,
    /// Who acts and why, told with every request.
    actor: Option<HeaderValue>,
    reason: Option<HeaderValue>,
    /// The greatest record that an answer had; shared by the copies of a client, and sent with every request.
    record: Arc<AtomicU64>,
    /// Keys that were made; shared like the record.
    keys: Arc<AtomicU64>,
    http: HttpClient<HttpConnector, Full<Bytes>>,
}

impl Client {
    pub fn new(server: &str) -> Result<Self, ClientError> {
        let server = server.trim_end_matches('/').to_owned();
        let plain = server.parse::<http::Uri>().is_ok_and(|uri| uri.scheme_str() == Some("http"));
        if !plain {
            return Err(ClientError::BadAddress { server });
        }
        let http = HttpClient::builder(TokioExecutor::new()).build_http();
        let (record, keys) = (Arc::default(), Arc::default());
        Ok(Self { server, authorization: None, actor: None, reason: None, record, keys, http })
    }

    /// Shows this token with every request.
    pub fn with_token(mut self, token: &str) -> Result<Self, ClientError> {
        let mut value =
            HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| ClientError::BadToken)?;
        value.set_sensitive(true);
        self.authorization = Some(value);
        Ok(self)
    }

    /// Says with every request who acts, for the server's log and its notes.
    #[must_use]
    pub fn with_actor(mut self, actor: &str) -> Self {
        self.actor = in_words(actor);
        self
    }

    /// Says with every request why.
    #[must_use]
    pub fn with_reason(mut self, reason: Option<&str>) -> Self {
        self.reason = reason.and_then(in_words);
        self
    }

    pub async fn get(&self, path: &str) -> Result<Value, ClientError> {
        self.call(Method::GET, path, None, &[]).await
    }

    /// Under a key of its own, so that it is done once.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, ClientError> {
        self.call(Method::POST, path, Some(body), &[(KEY, &self.new_key())]).await
    }

    /// As [`Self::post`].
    pub async fn delete(&self, path: &str) -> Result<Value, ClientError> {
        self.call(Method::DELETE, path, None, &[(KEY, &self.new_key())]).await
    }

    /// A key that no other request has: the time in nanoseconds, this process, and a number.
    pub fn new_key(&self) -> String {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let number = self.keys.fetch_add(1, Ordering::Relaxed);
        format!("client-{:x}-{:x}-{number:x}", since.as_nanos(), std::process::id())
    }

    /// Bytes as they come, for logs: the answer may take as long as a task runs.
    pub async fn stream(&self, path: &str) -> Result<Incoming, ClientError> {
        let answer = self.request(Method::GET, path, Bytes::new(), &[]).await?;
        let status = answer.status();
        if status.is_success() {
            let (parts, body) = answer.into_parts();
            return Ok(Incoming { headers: parts.headers, body });
        }
        Err(refused(path, status, &whole(answer.into_body()).await?))
    }

    pub async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        headers: &[(&str, &str)],
    ) -> Result<Value, ClientError> {
        let body = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        self.answered(method, path, body, headers).await
    }

    /// A body that is text already, as the lines of a batch.
    pub async fn post_bytes(
        &self,
        path: &str,
        body: Bytes,
        headers: &[(&str, &str)],
    ) -> Result<Value, ClientError> {
        self.answered(Method::POST, path, body, headers).await
    }

    async fn answered(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
        headers: &[(&str, &str)],
    ) -> Result<Value, ClientError> {
        // What is done once under its key, or changes nothing, can be repeated.
        let is_keyed = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(KEY));
        let tries_max = if method == Method::GET || is_keyed { TRIES_MAX } else { 1 };
        for tried in 1.. {
            let (status, bytes) = match self.sent(method.clone(), path, body.clone(), headers).await {
                Err(ClientError::BrokenOff { .. }) if tried < tries_max => {
                    tokio::time::sleep(PAUSE_AFTER_LOSS * tried).await;
                    continue;
                }
                answer => answer?,
            };
            if status.is_success() {
                let answer = serde_json::from_slice(&bytes);
                return answer.map_err(|error| ClientError::BadAnswer { why: error.to_string() });
            }
            match retry_after(status, &bytes).filter(|_| tried < tries_max) {
                Some(span) => tokio::time::sleep(span).await,
                None => return Err(refused(path, status, &bytes)),
            }
        }
        Err(ClientError::BadAnswer { why: "there is none".to_owned() })
    }

    async fn sent(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
        headers: &[(&str, &str)],
    ) -> Result<(StatusCode, Bytes), ClientError> {
        let answer = self.request(method, path, body, headers).await?;
        let status = answer.status();
        Ok((status, whole(answer.into_body()).await?))
    }

    async fn request(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
        headers: &[(&str, &str)],
    ) -> Result<Response<Body>, ClientError> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.server));
        request = request.header("content-type", "application/json");
        if let Some(authorization) = &self.authorization {
            request = request.header(http::header::AUTHORIZATION, authorization.clone());
        }
        for (name, value) in [("mainspring-actor", &self.actor), ("mainspring-reason", &self.reason)] {
            if let Some(value) = value {
                request = request.header(name, value.clone());
            }
        }
        let record = self.record.load(Ordering::Relaxed);
        if record > 0 {
            request = request.header(RECORD, record);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let unreachable = |why: String| ClientError::Unreachable { server: self.server.clone(), why };
        let request = request.body(Full::new(body)).map_err(|error| unreachable(error.to_string()))?;
        let answer = tokio::time::timeout(TIMEOUT, self.http.request(request)).await;
        let answer = answer.map_err(|_| unreachable("no answer in 60 s".into()))?;
        // A request that was sent may have been carried out, one that found no server was not.
        let answer = answer.map_err(|error| {
            let why = root_cause(&error);
            if error.is_connect() { unreachable(why) } else { ClientError::BrokenOff { why } }
        })?;
        self.note_record(answer.headers());
        Ok(answer)
    }

    fn note_record(&self, headers: &HeaderMap) {
        let number = headers.get(RECORD).and_then(|value| value.to_str().ok()?.parse().ok());
        self.record.fetch_max(number.unwrap_or(0), Ordering::Relaxed);
    }
}

/// A header has one line.
fn in_words(text: &str) -> Option<HeaderValue> {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    HeaderValue::from_bytes(line.trim().as_bytes()).ok()
}

/// An answer that is read as it comes.
pub struct Incoming {
    headers: HeaderMap,
    body: Body,
}

impl Incoming {
    /// A header that is a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.headers.get(name)?.to_str().ok()?.parse().ok()
    }

    /// The next bytes; `None`: that was all. One that was broken off is an error.
    pub async fn next(&mut self) -> Result<Option<Bytes>, ClientError> {
        while let Some(frame) = self.body.frame().await {
            let frame = frame.map_err(|error| ClientError::BrokenOff { why: root_cause(&error) })?;
            if let Ok(bytes) = frame.into_data() {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }
}

async fn whole(body: Body) -> Result<Bytes, ClientError> {
    let bytes = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
    let bytes = bytes.map_err(|error| match error.downcast_ref::<hyper::Error>() {
        Some(error) => ClientError::BrokenOff { why: root_cause(error) },
        None => ClientError::BadAnswer { why: error.to_string() },
    })?;
    Ok(bytes.to_bytes())
}

/// When a server that cannot serve just now wants to be asked again.
fn retry_after(status: StatusCode, bytes: &[u8]) -> Option<Duration> {
    let body: Value =
        serde_json::from_slice(bytes).ok().filter(|_| status == StatusCode::SERVICE_UNAVAILABLE)?;
    let span = body.get("retry_after_ms").and_then(Value::as_u64)?;
    Some(Duration::from_millis(span).min(PAUSE_MAX))
}

fn refused(path: &str, status: StatusCode, bytes: &[u8]) -> ClientError {
    let body: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let text = |key: &str| body.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let message = match text("message") {
        message if message.is_empty() => format!("the server answered {status}"),
        message => message,
    };
    let message = format!("{message}{}", mistakes(&body));
    ClientError::Refused {
        status,
        code: text("error_code"),
        message,
        advice: text("advice"),
        path: path.to_owned(),
    }
}

/// Each mistake on a line of its own, as the server lists them.
fn mistakes(body: &Value) -> String {
    let list = body.get("mistakes").and_then(Value::as_array).into_iter().flatten();
    let line = |mistake: &Value| {
        let text = |key: &str| mistake.get(key).and_then(Value::as_str).unwrap_or_default();
        let help = Some(text("help")).filter(|help| !help.is_empty());
        let help = help.map(|help| format!(" ({help})")).unwrap_or_default();
        format!("\n  {}: {}{help}", text("path"), text("what"))
    };
    list.map(line).collect()
}

/// The innermost reason is the one a person can act on.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
