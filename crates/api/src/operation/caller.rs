//! Who calls, and the idempotency key under which a call is done once.
//! - OP-2 the scope of a key is (tenant, operation, key); what is acted on and the request as it was written make the
//!   request. So one key works over REST and gRPC alike, but the second call must come the way the first one came.

use mainspring_core::engine::{Answer, Command, Keyed};
use mainspring_core::key::{KeyClaim, KeyFact};
use mainspring_core::values::Revision;

use crate::edge::Edge;
use crate::gateway::Route;
use crate::problem::Problem;
use crate::wire::{Keys, TENANT_DEFAULT, request_hash, request_key};

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Caller<'a> {
    pub keys: Keys<'a>,
    /// What makes two calls under one key the same, beside what they act on: query and body as they came.
    pub request: [&'a [u8]; 2],
    /// The revision that was seen of what is to be changed; with another one it is refused.
    pub seen: Option<Revision>,
}

impl Caller<'_> {
    fn tenant(&self) -> &str {
        self.keys.tenant.unwrap_or(TENANT_DEFAULT)
    }

    fn is_keyed(&self) -> bool {
        self.keys.key.is_some()
    }

    /// The command under the caller's key, if there is one. `entity` is what is acted on. The key lives where the
    /// command goes, so that the repeated request, which goes there too, finds it.
    pub(super) fn keyed(
        &self,
        edge: &Edge,
        route: Route,
        (operation, entity): (&str, &str),
        command: Command,
    ) -> Result<Command, Problem> {
        let Some(key) = self.keys.key else { return Ok(command) };
        let scope = request_key(self.tenant(), operation, key)?;
        let [query, body] = self.request;
        // The lowest byte is where the core keeps the first answer.
        let request = request_hash(&[entity.as_bytes(), query, body]) & !0xff;
        let expires = edge.key_expires();
        let group = route.group().unwrap_or(edge.gateway.home(self.tenant()).group());
        let claim = KeyClaim { scope, request, expires, group };
        Ok(Command::Keyed(Box::new(Keyed { key: (claim, KeyFact::Absent), command })))
    }

    /// What the same request was answered with before under this key. For operations that look at more than the shard
    /// does: what they would look at may be gone by now.
    pub(super) async fn first_answer(
        &self,
        edge: &Edge,
        route: Route,
        (operation, entity): (&str, &str),
    ) -> Result<Option<Answer>, Problem> {
        if !self.is_keyed() {
            return Ok(None);
        }
        let ask = self.keyed(edge, route, (operation, entity), Command::Remember { number: None })?;
        match edge.gateway.ask(route, ask).await? {
            Answer::Remembered(None) => Ok(None),
            answer => Ok(Some(answer)),
        }
    }

    /// An operation of several commands, answered with a number. If the server is killed in the middle, the repeated
    /// request does the rest and is answered with what was left to do.
    pub(super) async fn once(
        &self,
        edge: &Edge,
        (operation, entity): (&str, &str),
        work: impl AsyncFnOnce() -> Result<u64, Problem>,
    ) -> Result<u64, Problem> {
        let route = edge.gateway.tenant(self.tenant());
        let first = self.first_answer(edge, route, (operation, entity)).await?;
        if let Some(Answer::Remembered(Some(number))) = first {
            return Ok(number);
        }
        let number = work().await?;
        if self.is_keyed() {
            let remember = Command::Remember { number: Some(number) };
            let remember = self.keyed(edge, route, (operation, entity), remember)?;
            edge.gateway.ask(route, remember).await?;
        }
        Ok(number)
    }

    /// Binds the key to this request before its parts are done, each of which is done once by itself. Another request
    /// under the key is refused.
    pub(super) async fn claim(&self, edge: &Edge, operation: &str) -> Result<(), Problem> {
        self.once(edge, (operation, ""), async || Ok(0)).await.map(drop)
    }
}
