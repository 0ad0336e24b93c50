//! What an operator allows webhooks to reach although the guard forbids it: addresses, or a host by its name.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use super::address::AddressRange;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Allowed {
    Range(AddressRange),
    /// Whatever address the name has; who controls the name controls what is reached.
    Host {
        name: String,
        /// `None`: every port.
        port: Option<u16>,
    },
}

impl Allowed {
    pub(super) fn address(&self, address: IpAddr) -> bool {
        matches!(self, Self::Range(range) if range.contains(address))
    }

    pub(super) fn host(&self, host: &str, port: u16) -> bool {
        match self {
            Self::Range(_) => false,
            Self::Host { name, port: only } => {
                name.eq_ignore_ascii_case(host.trim_end_matches('.')) && only.is_none_or(|only| only == port)
            }
        }
    }
}

impl From<AddressRange> for Allowed {
    fn from(range: AddressRange) -> Self {
        Self::Range(range)
    }
}

/// Why a text names nothing that can be allowed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{0}` is neither a range of addresses nor a host; write `10.0.0.0/8`, `fd00::/8`, `host.example` or `host.example:8080`"
)]
pub struct BadAllowed(String);

impl FromStr for Allowed {
    type Err = BadAllowed;

    fn from_str(text: &str) -> Result<Self, BadAllowed> {
        if let Ok(range) = text.parse() {
            return Ok(Self::Range(range));
        }
        let bad = || BadAllowed(text.chars().take(100).collect());
        let (name, port) = match text.split_once(':') {
            Some((name, port)) => (name, Some(port.parse().map_err(|_| bad())?)),
            None => (text, None),
        };
        let label = |label: &str| {
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
            (1..=63).contains(&label.len()) && label.bytes().all(fits)
        };
        let last = name.rsplit('.').next().unwrap_or_default();
        // The last label of a name is never a number: what looks so is an address that was written wrongly.
        let named =
            name.len() <= 253 && name.split('.').all(label) && !last.bytes().all(|b| b.is_ascii_digit());
        named.then(|| Self::Host { name: name.to_ascii_lowercase(), port }).ok_or_else(bad)
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range(range) => range.fmt(f),
            Self::Host { name, port: None } => f.write_str(name),
            Self::Host { name, port: Some(port) } => write!(f, "{name}:{port}"),
        }
    }
}
