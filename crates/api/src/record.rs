//! `Mainspring-Record`: which record of the journal an answer reflects, and readers that want to see at least that one.
//! Entry: [`stamp`], [`stamp_seen`], [`reach`]. The headers are the same on gRPC, as metadata.
//! - RC-1 everything that the answer tells of, and everything that anybody was told before it, is in the record that the
//!   header names, or in one before it
//! - RC-2 a request that brings the header is answered with at least that record, or refused with `STORE_BEHIND`
//! - RC-3 everything that was durable up to the record that `Mainspring-Record-Seen` names is in the answer, as far as the
//!   answer tells of such things: who listens to the feed may leave out news of those records
//!
//! Not here: how lists follow what is durable (`gateway::Gateway::tables_follow`).

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::edge::Edge;
use crate::problem::Problem;

pub(crate) const RECORD: HeaderName = HeaderName::from_static("mainspring-record");
const SEEN: HeaderName = HeaderName::from_static("mainspring-record-seen");

/// Puts the header on an answer.
pub(crate) fn stamp(edge: &Edge, headers: &mut HeaderMap) {
    headers.insert(RECORD, HeaderValue::from(edge.gateway.record()));
}

/// `seen`: the newest record when the request came, before anything was read.
pub(crate) fn stamp_seen(seen: u64, headers: &mut HeaderMap) {
    headers.insert(SEEN, HeaderValue::from(seen));
}

/// The record that a request brings.
pub(crate) fn wanted(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(value) = headers.get(RECORD) else { return Ok(None) };
    let wanted = value.to_str().ok().and_then(|text| text.parse().ok());
    let what = "it is a number, as an answer of this server had it";
    wanted.map(Some).ok_or_else(|| Problem::query("Mainspring-Record", what))
}

/// Waits for the record that a request brings; one without the header does not wait.
pub(crate) async fn reach(edge: &Edge, headers: &HeaderMap) -> Result<(), Problem> {
    match wanted(headers)? {
        Some(record) => edge.gateway.reach(record).await,
        None => Ok(()),
    }
}
