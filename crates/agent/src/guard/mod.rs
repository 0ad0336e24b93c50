//! The guard of webhook calls: which machines a task may reach.
//! Entry: [`Guard::resolve`], the only way by which the HTTP executor gets an address.
//! - GA-1 a name is looked up once per connection, and the connection goes to an address that was checked
//! - GA-2 one forbidden address among those of a name refuses the name
//! - GA-3 an IPv6 address is judged by the IPv4 address inside it, where there is one
//!
//! Not here: the URL (parsed, and numbers in odd forms made plain, by `url`), redirects (never followed).

mod address;
mod allowed;
#[cfg(test)]
mod tests;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;

pub use self::address::{AddressRange, BadRange, why_forbidden};
pub use self::allowed::{Allowed, BadAllowed};

#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    #[error(
        "`{host}` is {address}, which webhooks may not reach ({why}); an operator can allow it on the worker"
    )]
    Forbidden { host: String, address: IpAddr, why: &'static str },
    #[error("cannot look up `{host}`: {source}")]
    Lookup { host: String, source: io::Error },
    #[error("`{host}` has no address")]
    NoAddress { host: String },
    #[error("cannot connect to `{host}` at {address}: {source}")]
    Connect { host: String, address: SocketAddr, source: io::Error },
}

/// Names to addresses; a test's own in tests.
pub type Lookup = Arc<dyn Fn(String, u16) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync>;

pub struct Guard {
    allow: Vec<Allowed>,
    lookup: Lookup,
}

impl Guard {
    pub fn new(allow: Vec<Allowed>) -> Self {
        Self::with_lookup(allow, Arc::new(system_lookup))
    }

    pub fn with_lookup(allow: Vec<Allowed>, lookup: Lookup) -> Self {
        Self { allow, lookup }
    }

    /// The checked addresses of a host, which is a name or an address (IPv6 in brackets).
    pub async fn resolve(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, GuardError> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let found = match bare.parse::<IpAddr>() {
            Ok(address) => vec![SocketAddr::new(address, port)],
            Err(_) => (self.lookup)(bare.to_owned(), port)
                .await
                .map_err(|source| GuardError::Lookup { host: host.to_owned(), source })?,
        };
        if found.is_empty() {
            return Err(GuardError::NoAddress { host: host.to_owned() });
        }
        if self.allow.iter().any(|allowed| allowed.host(bare, port)) {
            return Ok(found);
        }
        for address in &found {
            self.check(host, address.ip())?;
        }
        Ok(found)
    }

    fn check(&self, host: &str, address: IpAddr) -> Result<(), GuardError> {
        let Some(why) = why_forbidden(address) else {
            return Ok(());
        };
        let inner = match address {
            IpAddr::V4(_) => None,
            IpAddr::V6(outer) => address::inner_v4(outer).map(IpAddr::V4),
        };
        let allowed =
            |allowed: &Allowed| allowed.address(address) || inner.is_some_and(|inner| allowed.address(inner));
        if self.allow.iter().any(allowed) {
            return Ok(());
        }
        Err(GuardError::Forbidden { host: host.to_owned(), address, why })
    }
}

fn system_lookup(host: String, port: u16) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> {
    Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
}
