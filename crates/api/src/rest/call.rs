//! One request that changes something, read as a whole, and the idempotency key it may come under.

use axum::extract::Request;
use bytes::Bytes;
use http::{HeaderMap, Uri};
use mainspring_core::command::{Command, Keyed};
use mainspring_core::key::{KeyClaim, KeyFact};
use mainspring_core::time::Millis;

use super::body;
use crate::edge::Edge;
use crate::gateway::now;
use crate::problem::Problem;
use crate::wire::{request_hash, request_key};

pub(super) struct Call {
    headers: HeaderMap,
    pub(super) uri: Uri,
    pub(super) bytes: Bytes,
}

impl Call {
    pub(super) async fn read(edge: &Edge, request: Request) -> Result<Self, Problem> {
        let (parts, content) = request.into_parts();
        let bytes = body::read(content, edge.config.body_bytes_max).await?;
        Ok(Self { headers: parts.headers, uri: parts.uri, bytes })
    }

    pub(super) fn is_keyed(&self) -> bool {
        self.headers.contains_key("idempotency-key")
    }

    /// The command under the caller's key, if there is one. Its scope is (tenant, operation, key); `entity` (what is
    /// acted on), query and body make the request.
    pub(super) fn keyed(
        &self,
        edge: &Edge,
        operation: &str,
        entity: &str,
        command: Command,
    ) -> Result<Command, Problem> {
        let keys = body::keys(&self.headers)?;
        let Some(key) = keys.key else { return Ok(command) };
        let scope = request_key(keys.tenant.unwrap_or("default"), operation, key)?;
        let query = self.uri.query().unwrap_or_default().as_bytes();
        // The lowest byte is where the core keeps the first answer.
        let request = request_hash(&[entity.as_bytes(), query, self.bytes.trim_ascii()]) & !0xff;
        let expires = now() + Millis::new(edge.config.key_life.as_millis() as u64);
        let claim = KeyClaim { scope, request, expires };
        Ok(Command::Keyed(Box::new(Keyed { key: (claim, KeyFact::Absent), command })))
    }
}
