use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// As a webhook's URL is read: by the URL parser first, so that odd spellings become addresses.
fn address_in(url: &str) -> Option<IpAddr> {
    match url::Url::parse(url).expect(url).host()? {
        url::Host::Ipv4(address) => Some(IpAddr::V4(address)),
        url::Host::Ipv6(address) => Some(IpAddr::V6(address)),
        url::Host::Domain(_) => None,
    }
}

#[test]
fn every_spelling_of_a_forbidden_address_is_seen_through() {
    let rows = [
        ("http://127.0.0.1/", "loopback"),
        ("http://127.255.255.254/", "loopback"),
        ("http://2130706433/", "loopback"),
        ("http://0x7f000001/", "loopback"),
        ("http://0x7f.1/", "loopback"),
        ("http://0177.0.0.1/", "loopback"),
        ("http://127.1/", "loopback"),
        ("http://%31%32%37.0.0.1/", "loopback"),
        ("http://127。0。0。1/", "loopback"),
        ("http://0/", "this network"),
        ("http://0.0.0.0/", "this network"),
        ("http://10.0.0.1/", "private (RFC 1918)"),
        ("http://172.16.0.1/", "private (RFC 1918)"),
        ("http://172.31.255.255/", "private (RFC 1918)"),
        ("http://192.168.1.1/", "private (RFC 1918)"),
        ("http://100.64.0.1/", "carrier-grade NAT"),
        ("http://100.100.100.200/latest/meta-data", "carrier-grade NAT"),
        ("http://169.254.169.254/latest/meta-data", "link-local"),
        ("http://2852039166/", "link-local"),
        ("http://168.63.129.16/", "cloud metadata"),
        ("http://192.0.0.192/", "protocol assignment"),
        ("http://192.0.2.1/", "documentation"),
        ("http://198.51.100.7/", "documentation"),
        ("http://203.0.113.7/", "documentation"),
        ("http://192.88.99.1/", "6to4 relay"),
        ("http://198.18.0.1/", "benchmarking"),
        ("http://224.0.0.1/", "multicast"),
        ("http://255.255.255.255/", "reserved"),
        ("http://[::1]/", "loopback"),
        ("http://[::]/", "unspecified"),
        ("http://[::ffff:127.0.0.1]/", "loopback"),
        ("http://[::ffff:a9fe:a9fe]/", "link-local"),
        ("http://[::ffff:0:10.0.0.1]/", "private (RFC 1918)"),
        ("http://[::127.0.0.1]/", "loopback"),
        ("http://[64:ff9b::127.0.0.1]/", "loopback"),
        ("http://[64:ff9b::a9fe:a9fe]/", "link-local"),
        ("http://[64:ff9b:1::1]/", "local NAT64"),
        ("http://[2002:7f00:1::]/", "loopback"),
        ("http://[2002:c0a8:101::1]/", "private (RFC 1918)"),
        ("http://[2001::1]/", "Teredo"),
        ("http://[2001:db8::1]/", "documentation"),
        ("http://[fc00::1]/", "unique local"),
        ("http://[fd00:ec2::254]/", "unique local"),
        ("http://[fe80::1]/", "link-local"),
        ("http://[fec0::1]/", "site-local"),
        ("http://[ff02::1]/", "multicast"),
        ("http://[100::1]/", "not global unicast"),
        ("http://[4000::1]/", "not global unicast"),
    ];
    for (url, why) in rows {
        let address = address_in(url).expect(url);
        assert_eq!(why_forbidden(address), Some(why), "{url} is {address}");
    }
}

#[test]
fn public_addresses_pass() {
    for url in [
        "http://1.1.1.1/",
        "http://172.15.0.1/",
        "http://172.32.0.1/",
        "http://100.63.255.255/",
        "http://100.128.0.1/",
        "http://168.63.129.17/",
        "http://[2606:4700:4700::1111]/",
        "http://[::ffff:1.1.1.1]/",
        "http://[64:ff9b::1.1.1.1]/",
        "http://[2002:101:101::]/",
    ] {
        assert_eq!(why_forbidden(address_in(url).expect(url)), None, "{url}");
    }
}

#[test]
fn ranges_hold_what_they_say() {
    let rows = [
        ("10.0.0.0/8", "10.255.0.1", true),
        ("10.0.0.0/8", "11.0.0.1", false),
        ("10.1.2.3", "10.1.2.3", true),
        ("10.1.2.3", "10.1.2.4", false),
        ("0.0.0.0/0", "8.8.8.8", true),
        ("0.0.0.0/0", "::1", false),
        ("::/0", "::1", true),
        ("fd00::/8", "fd12::1", true),
        ("fd00::/8", "fe12::1", false),
    ];
    for (range, address, inside) in rows {
        let range: AddressRange = range.parse().expect(range);
        assert_eq!(range.contains(address.parse().expect(address)), inside, "{range} {address}");
    }
    for bad in ["", "10.0.0.0/33", "::/129", "localhost", "10.0.0.0/", "10.0.0.0/-1"] {
        assert!(bad.parse::<AddressRange>().is_err(), "{bad}");
    }
}

/// A name server that answers the nth question with the nth row.
fn answers(rows: &'static [&'static [&'static str]]) -> (Lookup, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = asked.clone();
    let lookup: Lookup = Arc::new(move |_, port| {
        let row = rows[counter.fetch_add(1, Ordering::Relaxed).min(rows.len() - 1)];
        let found = row.iter().map(|ip| SocketAddr::new(ip.parse().expect("an address"), port)).collect();
        Box::pin(async move { Ok(found) })
    });
    (lookup, asked)
}

#[tokio::test]
async fn a_name_is_asked_once_and_one_bad_address_refuses_it() {
    let (lookup, asked) = answers(&[&["1.1.1.1"], &["127.0.0.1"], &["1.1.1.1", "10.0.0.1"], &[]]);
    let guard = Guard::with_lookup(Vec::new(), lookup);
    let first = guard.resolve("rebind.test", 80).await.expect("a public address");
    assert_eq!(first, ["1.1.1.1:80".parse().expect("an address")]);
    assert_eq!(asked.load(Ordering::Relaxed), 1, "checked and used are the same answer");
    for expected in ["loopback", "private (RFC 1918)"] {
        match guard.resolve("rebind.test", 80).await {
            Err(GuardError::Forbidden { why, .. }) => assert_eq!(why, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
    assert!(matches!(guard.resolve("rebind.test", 80).await, Err(GuardError::NoAddress { .. })));
}

#[tokio::test]
async fn the_allow_list_opens_exactly_what_it_names() {
    let guard = Guard::new(vec!["127.0.0.1".parse().expect("a range")]);
    let rows = [
        ("127.0.0.1", true),
        ("[::ffff:127.0.0.1]", true),
        ("127.0.0.2", false),
        ("[::1]", false),
        ("10.0.0.1", false),
    ];
    for (host, allowed) in rows {
        assert_eq!(guard.resolve(host, 80).await.is_ok(), allowed, "{host}");
    }
    let guard = Guard::new(AddressRange::loopback());
    assert!(guard.resolve("[::1]", 80).await.is_ok());
    assert!(guard.resolve("localhost", 80).await.is_ok());
}

#[tokio::test]
async fn an_allowed_host_is_reached_by_its_name_and_port_only() {
    let lookup: Lookup =
        Arc::new(|_, port| Box::pin(async move { Ok(vec![SocketAddr::from(([10, 0, 0, 5], port))]) }));
    let allow = ["internal.example:8080", "Any.example"].map(|text| text.parse().expect("a host")).to_vec();
    let guard = Guard::with_lookup(allow, lookup);
    let rows = [
        ("internal.example", 8080, true),
        ("INTERNAL.example.", 8080, true),
        ("internal.example", 8081, false),
        ("other.internal.example", 8080, false),
        ("any.example", 1, true),
        ("10.0.0.5", 8080, false),
    ];
    for (host, port, allowed) in rows {
        assert_eq!(guard.resolve(host, port).await.is_ok(), allowed, "{host}:{port}");
    }
    for bad in
        ["", "a b", "host:", "host:99999", "10.0.0.256", "10.0.0.0/33", "http://x", "a..b", "*.example"]
    {
        assert!(bad.parse::<Allowed>().is_err(), "{bad}");
    }
}
