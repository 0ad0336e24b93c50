//! A call: an operation with its path, query and body, before it is sent.
//! - RQ-3 what changes something is sent under an idempotency key: the caller's, else one of the client's
//!
//! Entry: [`crate::operations`], then [`Client::send`].

use std::marker::PhantomData;
use std::ops::Deref;

use bytes::Bytes;
use http::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::resolve::query;
use crate::{Client, ClientError, Incoming, KEY};

const IF_MATCH: &str = "if-match";

/// An answer that is not JSON and is read as it comes.
pub enum Text {}

/// A request that has not been sent, answered with a `T`.
#[must_use = "a call does nothing before it is sent"]
pub struct Call<T> {
    method: Method,
    path: String,
    body: Bytes,
    headers: Vec<(&'static str, String)>,
    /// The operation takes an idempotency key.
    takes_key: bool,
    answer: PhantomData<fn() -> T>,
}

impl<T> Call<T> {
    pub(crate) fn new(method: Method, path: impl Into<String>) -> Self {
        let (body, headers) = (Bytes::new(), Vec::new());
        Self { method, path: path.into(), body, headers, takes_key: false, answer: PhantomData }
    }

    pub(crate) fn json<B: Serialize + ?Sized>(self, body: &B) -> Self {
        // Text keys and no values of our own that could fail: it can always be written.
        let body = serde_json::to_vec(body).unwrap_or_default();
        self.bytes(body.into())
    }

    pub(crate) fn json_or_none<B: Serialize + ?Sized>(self, body: Option<&B>) -> Self {
        match body {
            Some(body) => self.json(body),
            None => self,
        }
    }

    pub(crate) fn bytes(mut self, body: Bytes) -> Self {
        self.body = body;
        self
    }

    pub(crate) fn keyed(mut self) -> Self {
        self.takes_key = true;
        self
    }

    /// Under this idempotency key: sent again by anybody, it is done once and answered alike.
    pub fn with_key(mut self, key: &str) -> Self {
        self.headers.push((KEY, key.to_owned()));
        self
    }

    /// Only if what it changes still has this revision; 0: only if it is not there.
    pub fn if_revision(mut self, revision: Option<u64>) -> Self {
        self.headers.extend(revision.map(|revision| (IF_MATCH, format!("\"{revision}\""))));
        self
    }

    /// With a body in another form than the operation's type, as YAML.
    pub fn with_body(self, body: Bytes) -> Self {
        self.bytes(body)
    }

    /// Path and query, as a person would type them.
    pub fn path(&self) -> &str {
        &self.path
    }

    fn has_key(&self) -> bool {
        self.headers.iter().any(|(name, _)| *name == KEY)
    }
}

/// What a call was answered with: typed, and as it came.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer<T> {
    value: T,
    json: Value,
}

impl<T> Answer<T> {
    pub fn into_value(self) -> T {
        self.value
    }

    /// As the server wrote it, with what this client does not know.
    pub fn json(&self) -> &Value {
        &self.json
    }

    pub fn into_json(self) -> Value {
        self.json
    }
}

impl<T> Deref for Answer<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl Client {
    /// Sends a call and reads its answer.
    pub async fn send<T: DeserializeOwned>(&self, call: Call<T>) -> Result<Answer<T>, ClientError> {
        let own = (call.takes_key && !call.has_key()).then(|| self.new_key());
        let given = call.headers.iter().map(|(name, value)| (*name, value.as_str()));
        let headers: Vec<(&str, &str)> = given.chain(own.as_deref().map(|key| (KEY, key))).collect();
        let json = self.answered(call.method, &call.path, call.body, &headers).await?;
        let value = T::deserialize(&json)
            .map_err(|error| ClientError::BadAnswer { why: format!("{}: {error}", call.path) })?;
        Ok(Answer { value, json })
    }

    /// Sends a call whose answer is read as it comes.
    pub async fn open(&self, call: Call<Text>) -> Result<Incoming, ClientError> {
        self.stream(&call.path).await
    }
}

/// A path with those parameters that have a value.
pub(crate) fn with_query(path: impl AsRef<str>, parameters: &[(&str, Option<String>)]) -> String {
    let parameters: Vec<(&str, Option<&str>)> =
        parameters.iter().map(|(name, value)| (*name, value.as_deref())).collect();
    query(path.as_ref(), &parameters)
}

/// How a query has a value.
pub(crate) fn text<T: ToString>(value: Option<&T>) -> Option<String> {
    value.map(ToString::to_string)
}

#[cfg(test)]
mod tests {
    use crate::operations::{self, GetTaskQuery, ListTasksQuery};
    use crate::types::{ClearBody, Task};

    #[test]
    fn a_call_has_path_query_and_body() {
        let query = ListTasksQuery {
            state: Some("failed".to_owned()),
            limit: Some(5),
            label: Some("team=a b".to_owned()),
            ..ListTasksQuery::default()
        };
        assert_eq!(
            operations::list_tasks(&query).path(),
            "/v1/tasks?state=failed&label=team%3Da%20b&limit=5"
        );
        let none = GetTaskQuery::default();
        assert_eq!(operations::get_task("task_1/x", &none).path(), "/v1/tasks/task_1%2Fx");
        let body = ClearBody { tasks: vec!["each".to_owned()], items: vec![7], ..ClearBody::default() };
        let call = operations::clear_run("run_1", Some(&body));
        assert_eq!(&call.body[..], br#"{"items":[7],"tasks":["each"]}"#);
        assert!(call.takes_key && !call.has_key() && call.with_key("mine").has_key());
    }

    #[test]
    fn what_is_unknown_or_absent_does_no_harm() {
        let text = r#"{"task_id":"task_1","news":1}"#;
        let refused = serde_json::from_str::<Task>(text);
        assert!(refused.is_err(), "what is always there is required");
    }
}
