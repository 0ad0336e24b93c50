//! Polls once whether something is there: an address that answers, or a file. If not, the task gives its place back until
//! the next poll.
//! `{"http": {"url": …, "status": [200], "contains": …}, "every_ms": 30000, "timeout_ms": 604800000}`, or `{"file": {"path": …}}`.
//! - LX-1 between two polls the task holds nothing here
//! - LX-2 a poll that fails is a poll that found nothing; only what can never be polled at fails the task
//! - LX-3 the deadline counts from the first poll, which a checkpoint remembers
//!
//! Not here: waiting for an instant or a run, for which no worker is needed.

mod address;
mod file;
#[cfg(test)]
mod tests;

use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Deserialize;

use super::Executor;
use super::http::Http;
use crate::attempt::{Attempt, Outcome};

/// Between two polls, unless the payload says otherwise.
const EVERY_DEFAULT_MS: u64 = 30_000;
const EVERY_MIN_MS: u64 = 100;
const TIMEOUT_DEFAULT_MS: u64 = 7 * 86_400_000;

pub struct Poll {
    http: Http,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Payload {
    http: Option<address::Wanted>,
    file: Option<file::Wanted>,
    every_ms: Option<u64>,
    timeout_ms: Option<u64>,
}

/// What one poll showed.
enum Seen {
    There(Vec<u8>),
    NotYet,
    /// It makes no sense to poll again, or somebody told us to stop.
    Over(Outcome),
}

impl Poll {
    pub fn new(http: Http) -> Self {
        Self { http }
    }
}

impl Executor for Poll {
    fn run(&self, attempt: Attempt) -> BoxFuture<'static, Outcome> {
        poll(self.http.clone(), attempt).boxed()
    }
}

async fn poll(http: Http, attempt: Attempt) -> Outcome {
    let payload: Payload = match serde_json::from_slice(&attempt.payload) {
        Ok(payload) => payload,
        Err(error) => return Outcome::permanent(format!("not a payload of `poll`: {error}")),
    };
    let now = now_ms();
    let since = since(attempt.checkpoint.as_deref());
    let (reporter, every) = (attempt.reporter.clone(), payload.every_ms.unwrap_or(EVERY_DEFAULT_MS));
    let seen = match (payload.http, payload.file) {
        (Some(wanted), None) => address::poll(&http, wanted, attempt).await,
        (None, Some(wanted)) => file::poll(wanted).await,
        _ => return Outcome::permanent("`poll` needs one of `http` and `file`"),
    };
    match seen {
        Seen::There(output) => Outcome::Success { output: Some(output) },
        Seen::Over(outcome) => outcome,
        Seen::NotYet => {
            let timeout = payload.timeout_ms.unwrap_or(TIMEOUT_DEFAULT_MS);
            let waited = now.saturating_sub(since.unwrap_or(now));
            if waited >= timeout {
                return Outcome::permanent(format!("it was not there within {timeout} ms"));
            }
            if since.is_none() {
                reporter.checkpoint(now.to_be_bytes().to_vec());
            }
            Outcome::Deferred { after_ms: every.clamp(EVERY_MIN_MS, (timeout - waited).max(EVERY_MIN_MS)) }
        }
    }
}

fn since(checkpoint: Option<&[u8]>) -> Option<u64> {
    checkpoint?.try_into().ok().map(u64::from_be_bytes)
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}
