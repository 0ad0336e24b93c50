//! One request that changes something, read as a whole.

use axum::extract::Request;
use bytes::Bytes;
use http::{HeaderMap, Uri};

use super::{body, revision};
use crate::edge::Edge;
use crate::operation::Caller;
use crate::problem::Problem;
use crate::wire::Keys;

pub(super) struct Call {
    headers: HeaderMap,
    pub(super) uri: Uri,
    pub(super) bytes: Bytes,
}

impl Call {
    pub(super) async fn read(edge: &Edge, request: Request) -> Result<Self, Problem> {
        Self::read_within(request, edge.config.body_bytes_max).await
    }

    pub(super) async fn read_within(request: Request, max: usize) -> Result<Self, Problem> {
        let (parts, content) = request.into_parts();
        let bytes = body::read(content, max).await?;
        Ok(Self { headers: parts.headers, uri: parts.uri, bytes })
    }

    pub(super) fn caller(&self) -> Result<Caller<'_>, Problem> {
        let query = self.uri.query().unwrap_or_default().as_bytes();
        let (keys, seen) = (Keys::of(&self.headers)?, revision::seen(&self.headers)?);
        Ok(Caller { keys, request: [query, self.bytes.trim_ascii()], seen })
    }
}
