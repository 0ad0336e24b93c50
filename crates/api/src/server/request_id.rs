//! A name for each request, given by the caller or by us, in every answer and every error.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http::{HeaderMap, HeaderValue};

pub(super) const HEADER: &str = "x-request-id";
const BYTES_MAX: usize = 64;

#[derive(Clone, Debug)]
pub(crate) struct RequestId(Arc<str>);

impl Default for RequestId {
    fn default() -> Self {
        Self("req_unknown".into())
    }
}

impl RequestId {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn value(&self) -> HeaderValue {
        HeaderValue::from_str(&self.0).unwrap_or(HeaderValue::from_static("req_unknown"))
    }
}

/// Gives out ids that no other process gives out.
pub(super) struct RequestIds {
    keys: RandomState,
    count: AtomicU64,
}

impl RequestIds {
    pub(super) fn new() -> Self {
        Self { keys: RandomState::new(), count: AtomicU64::new(0) }
    }

    pub(super) fn next(&self, headers: &HeaderMap) -> RequestId {
        let given = headers.get(HEADER).and_then(|value| value.to_str().ok());
        if let Some(given) = given.filter(|text| !text.is_empty() && text.len() <= BYTES_MAX) {
            return RequestId(given.into());
        }
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        RequestId(format!("req_{:016x}", self.keys.hash_one(count)).into())
    }
}
