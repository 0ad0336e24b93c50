//! Which addresses a webhook may not reach, and ranges that are allowed all the same.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// An address or a block of them: `10.1.2.3`, `10.0.0.0/8`, `fd00::/8`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AddressRange {
    first: IpAddr,
    prefix: u8,
}

impl AddressRange {
    /// What `mainspring dev` allows.
    pub fn loopback() -> Vec<super::Allowed> {
        vec![
            Self { first: IpAddr::V4(Ipv4Addr::new(127, 0, 0, 0)), prefix: 8 }.into(),
            Self { first: IpAddr::V6(Ipv6Addr::LOCALHOST), prefix: 128 }.into(),
        ]
    }

    pub fn contains(self, address: IpAddr) -> bool {
        match (self.first, address) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.prefix)).unwrap_or(0);
                first.to_bits() & mask == address.to_bits() & mask
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.prefix)).unwrap_or(0);
                first.to_bits() & mask == address.to_bits() & mask
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

/// Why a text is not a range of addresses.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a range of addresses; write `10.1.2.3`, `10.0.0.0/8` or `fd00::/8`")]
pub struct BadRange(String);

impl FromStr for AddressRange {
    type Err = BadRange;

    fn from_str(text: &str) -> Result<Self, BadRange> {
        let bad = || BadRange(text.to_owned());
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix.parse::<u8>().map_err(|_| bad())?)),
            None => (text, None),
        };
        let first: IpAddr = address.parse().map_err(|_| bad())?;
        let longest = if first.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.unwrap_or(longest);
        (prefix <= longest).then_some(Self { first, prefix }).ok_or_else(bad)
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.prefix)
    }
}

/// What makes the address unfit for a webhook; None when it is an ordinary public one.
pub fn why_forbidden(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => why_forbidden_v4(address),
        IpAddr::V6(address) => why_forbidden_v6(address),
    }
}

fn why_forbidden_v4(address: Ipv4Addr) -> Option<&'static str> {
    let found = match address.octets() {
        [0, ..] => "this network",
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => "private (RFC 1918)",
        [100, 64..=127, ..] => "carrier-grade NAT",
        [127, ..] => "loopback",
        [169, 254, ..] => "link-local",
        // Azure answers metadata here although the address looks public.
        [168, 63, 129, 16] => "cloud metadata",
        [192, 0, 0, _] => "protocol assignment",
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => "documentation",
        [192, 88, 99, _] => "6to4 relay",
        [198, 18..=19, ..] => "benchmarking",
        [224..=239, ..] => "multicast",
        [240..=255, ..] => "reserved",
        _ => return None,
    };
    Some(found)
}

fn why_forbidden_v6(address: Ipv6Addr) -> Option<&'static str> {
    if address.is_loopback() {
        return Some("loopback");
    }
    if let Some(inner) = inner_v4(address) {
        return why_forbidden_v4(inner);
    }
    let found = match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => "unspecified",
        [0x0064, 0xff9b, ..] => "local NAT64",
        [0x2001, 0, ..] => "Teredo",
        [0x2001, 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => "documentation",
        [0xfc00..=0xfdff, ..] => "unique local",
        [0xfe80..=0xfebf, ..] => "link-local",
        [0xfec0..=0xfeff, ..] => "site-local",
        [0xff00..=0xffff, ..] => "multicast",
        [0x2000..=0x3fff, ..] => return None,
        // Global unicast is 2000::/3; what lies outside is assigned to something else or to nothing.
        _ => "not global unicast",
    };
    Some(found)
}

/// The IPv4 address that a packet to `address` would reach in the end: mapped, compatible, NAT64 or 6to4.
pub fn inner_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let low = || Ipv4Addr::from_bits(address.to_bits() as u32);
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0..=1] => None,
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => Some(low()),
        [0x0064, 0xff9b, 0, 0, 0, 0, ..] => Some(low()),
        [0x2002, high, next, ..] => Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(next))),
        _ => None,
    }
}
