//! Who calls, and the idempotency key under which a call is done once.
//! - OP-2 the scope of a key is (tenant, operation, key); what is acted on and the request as it was written make the
//!   request. So one key works over REST and gRPC alike, but the second call must come the way the first one came.

use mainspring_core::command::{Command, Keyed};
use mainspring_core::key::{KeyClaim, KeyFact};
use mainspring_core::time::Millis;

use crate::edge::Edge;
use crate::gateway::now;
use crate::problem::Problem;
use crate::wire::{Keys, request_hash, request_key};

const TENANT_DEFAULT: &str = "default";

#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller<'a> {
    pub keys: Keys<'a>,
    /// What makes two calls under one key the same, beside what they act on: query and body as they came.
    pub request: [&'a [u8]; 2],
}

impl Caller<'_> {
    pub(super) fn is_keyed(&self) -> bool {
        self.keys.key.is_some()
    }

    /// The command under the caller's key, if there is one. `entity` is what is acted on.
    pub(super) fn keyed(
        &self,
        edge: &Edge,
        operation: &str,
        entity: &str,
        command: Command,
    ) -> Result<Command, Problem> {
        let Some(key) = self.keys.key else { return Ok(command) };
        let scope = request_key(self.keys.tenant.unwrap_or(TENANT_DEFAULT), operation, key)?;
        let [query, body] = self.request;
        // The lowest byte is where the core keeps the first answer.
        let request = request_hash(&[entity.as_bytes(), query, body]) & !0xff;
        let expires = now() + Millis::new(edge.config.key_life.as_millis() as u64);
        let claim = KeyClaim { scope, request, expires };
        Ok(Command::Keyed(Box::new(Keyed { key: (claim, KeyFact::Absent), command })))
    }
}
