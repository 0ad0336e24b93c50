//! Names of a server, as `Host`, `:authority` and `Origin` have them.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

const BYTES_MAX: usize = 260;

/// A host and perhaps a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Authority<'a> {
    host: Host<'a>,
    /// `None` also for the usual port of the scheme.
    port: Option<u16>,
}

#[derive(Clone, Copy, Debug)]
enum Host<'a> {
    Address(IpAddr),
    Name(&'a str),
}

impl PartialEq for Host<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Address(a), Self::Address(b)) => a == b,
            (Self::Name(a), Self::Name(b)) => a.eq_ignore_ascii_case(b),
            _ => false,
        }
    }
}

impl Eq for Host<'_> {}

impl<'a> Authority<'a> {
    /// `host`, `host:port`, `[address]` or `[address]:port`; nothing before it, as `user@`.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        if text.len() > BYTES_MAX {
            return None;
        }
        let (host, port) = if let Some(rest) = text.strip_prefix('[') {
            let (address, port) = rest.split_once(']')?;
            let address = address.parse::<Ipv6Addr>().ok()?;
            (Host::Address(IpAddr::V6(address).to_canonical()), port)
        } else {
            let (host, port) = text.split_at(text.find(':').unwrap_or(text.len()));
            (Host::parse(host)?, port)
        };
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => None,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(digits.parse().ok()?),
            _ => return None,
        };
        // It is not known whether a proxy in front speaks TLS.
        Some(Self { host, port: port.filter(|port| *port != 80 && *port != 443) })
    }

    /// A name that only leads to this machine, or the address that the connection arrived at. No page can lead an
    /// address elsewhere, so the one that stands for all of this machine's is harmless too.
    pub(super) fn is_ours(&self, local: Option<IpAddr>) -> bool {
        match self.host {
            Host::Address(address) => {
                address.is_loopback()
                    || address.is_unspecified()
                    || local.is_some_and(|local| local.to_canonical() == address)
            }
            Host::Name(name) => name.eq_ignore_ascii_case("localhost"),
        }
    }

    pub(super) fn is_same(&self, other: &Authority<'_>) -> bool {
        self == other
    }
}

impl<'a> Host<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return Some(Self::Address(address.into()));
        }
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        (!text.is_empty() && text.bytes().all(fits)).then_some(Self::Name(text))
    }
}

/// `None` also for `null` and for schemes that are not the web's.
pub(super) fn authority_of_origin(text: &str) -> Option<Authority<'_>> {
    Authority::parse(text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"))?)
}

/// A name by which the server may be called, as `name`, `name:port` or an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AllowedHost(String);

/// Why a text is not the name of a host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadHost(String);

impl fmt::Display for BadHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a host; write it as `sched.example` or `sched.example:7070`", self.0)
    }
}

impl std::error::Error for BadHost {}

impl FromStr for AllowedHost {
    type Err = BadHost;

    fn from_str(text: &str) -> Result<Self, BadHost> {
        match Authority::parse(text) {
            Some(_) => Ok(Self(text.to_owned())),
            None => Err(BadHost(text.chars().take(100).collect())),
        }
    }
}

impl AllowedHost {
    /// Without a port it stands for all of them.
    pub(super) fn is_host(&self, named: &Authority<'_>) -> bool {
        Authority::parse(&self.0).is_some_and(|allowed| {
            allowed.host == named.host && (allowed.port.is_none() || allowed.port == named.port)
        })
    }

    /// Without a port it stands for the usual one: another program on the same machine is another origin.
    pub(super) fn is_origin(&self, origin: &Authority<'_>) -> bool {
        Authority::parse(&self.0).is_some_and(|allowed| allowed.is_same(origin))
    }
}
