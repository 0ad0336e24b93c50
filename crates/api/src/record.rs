//! `Mainspring-Record`: which record of the journal an answer reflects, and readers that want to see at least that one.
//! Entry: [`Record`]. The header is the same on gRPC, as metadata.
//! - RC-1 everything that the answer tells of, and everything that anybody was told before it, is in the record that the
//!   header names, or in one before it
//! - RC-2 a request that brings the header is answered with at least that record, or refused with `STORE_BEHIND`
//!
//! Not here: how lists follow what is durable (`gateway::Gateway::tables_follow`).

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::edge::Edge;
use crate::problem::Problem;

pub(crate) const RECORD: HeaderName = HeaderName::from_static("mainspring-record");

/// Puts the header on an answer.
pub(crate) fn stamp(edge: &Edge, headers: &mut HeaderMap) {
    headers.insert(RECORD, HeaderValue::from(edge.gateway.record()));
}

/// Waits for the record that a request brings; one without the header does not wait.
pub(crate) async fn reach(edge: &Edge, headers: &HeaderMap) -> Result<(), Problem> {
    let Some(value) = headers.get(RECORD) else { return Ok(()) };
    let wanted = value.to_str().ok().and_then(|text| text.parse().ok());
    let wanted: u64 = wanted.ok_or_else(|| {
        Problem::query("Mainspring-Record", "it is a number, as an answer of this server had it")
    })?;
    edge.gateway.reach(wanted).await
}
