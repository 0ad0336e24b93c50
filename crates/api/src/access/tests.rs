use http::Request;

use super::*;

const LOCAL: &str = "10.1.2.3";

fn check(access: &Access, version: http::Version, method: &str, headers: &[(&str, &str)]) -> &'static str {
    let mut request = Request::builder().method(method).version(version).uri("/v1/tasks");
    for (name, value) in headers {
        request = match *name {
            ":authority" => request.uri(format!("http://{value}/v1/tasks")),
            name => request.header(name, *value),
        };
    }
    let (parts, ()) = request.body(()).expect("a request").into_parts();
    let local = LOCAL.parse().ok();
    access.check(&parts, local).err().map_or("", |problem| problem.code())
}

fn allowing(hosts: &[&str]) -> Access {
    let hosts = hosts.iter().map(|host| host.parse().expect("a host")).collect();
    Access { hosts, ..Access::default() }
}

#[test]
fn only_names_of_the_server_are_answered() {
    let rows: [(&str, &[&str], bool); 28] = [
        ("localhost", &[], true),
        ("LocalHost:7070", &[], true),
        ("127.0.0.1:7070", &[], true),
        ("127.8.0.1", &[], true),
        ("[::1]:7070", &[], true),
        ("[0:0:0:0:0:0:0:1]", &[], true),
        ("10.1.2.3:7070", &[], true),
        ("[::ffff:10.1.2.3]:7070", &[], true),
        ("0.0.0.0:7070", &[], true),
        ("10.1.2.4:7070", &[], false),
        ("evil.example", &[], false),
        ("localhost.evil.example", &[], false),
        ("localhost.", &[], false),
        ("a.localhost", &[], false),
        ("localhost@evil.example", &[], false),
        ("evil.example@localhost", &[], false),
        ("localhost:evil", &[], false),
        ("localhost:", &[], false),
        ("localhost:7070:1", &[], false),
        ("localhost, evil.example", &[], false),
        ("", &[], false),
        ("[::1", &[], false),
        ("::1", &[], false),
        ("sched.example", &["sched.example"], true),
        ("SCHED.example:7070", &["a", "sched.Example"], true),
        ("sched.example:7070", &["sched.example:7070"], true),
        ("sched.example:7071", &["sched.example:7070"], false),
        ("sched.example.evil", &["sched.example"], false),
    ];
    for (host, hosts, allowed) in rows {
        let wanted = if allowed { "" } else { "HOST_NOT_ALLOWED" };
        let access = allowing(hosts);
        assert_eq!(check(&access, http::Version::HTTP_11, "POST", &[("host", host)]), wanted, "{host}");
    }
}

#[test]
fn every_name_in_a_request_counts() {
    type Headers = &'static [(&'static str, &'static str)];
    let rows: [(&str, Headers, bool); 7] = [
        ("no name", &[], false),
        ("of HTTP/2", &[(":authority", "localhost:7070")], true),
        ("another one of HTTP/2", &[(":authority", "evil.example")], false),
        ("with a user", &[(":authority", "evil@localhost")], false),
        ("target and header", &[(":authority", "localhost"), ("host", "evil.example")], false),
        ("header and target", &[(":authority", "evil.example"), ("host", "localhost")], false),
        ("two headers", &[("host", "localhost"), ("host", "localhost")], false),
    ];
    for (name, headers, allowed) in rows {
        let wanted = if allowed { "" } else { "HOST_NOT_ALLOWED" };
        assert_eq!(check(&Access::default(), http::Version::HTTP_2, "POST", headers), wanted, "{name}");
    }
}

#[test]
fn only_pages_of_the_server_itself_may_call_it() {
    let rows: [(&str, &str, &[&str], bool); 15] = [
        ("localhost:7070", "http://localhost:7070", &[], true),
        ("127.0.0.1:7070", "http://127.0.0.1:7070", &[], true),
        ("[::1]:7070", "http://[::1]:7070", &[], true),
        ("localhost:7070", "http://localhost:3000", &[], false),
        ("localhost:7070", "http://localhost", &[], false),
        ("localhost:7070", "http://127.0.0.1:7070", &[], false),
        ("localhost:7070", "http://evil.example", &[], false),
        ("localhost:7070", "http://evil.example:7070", &[], false),
        ("localhost:7070", "null", &[], false),
        ("localhost:7070", "", &[], false),
        ("localhost:7070", "file://localhost:7070", &[], false),
        ("localhost:7070", "chrome-extension://localhost:7070", &[], false),
        ("sched.example", "https://sched.example", &["sched.example"], true),
        ("localhost:7070", "https://sched.example", &["sched.example"], true),
        ("localhost:7070", "https://sched.example:8443", &["sched.example"], false),
    ];
    for (host, origin, hosts, allowed) in rows {
        let wanted = if allowed { "" } else { "ORIGIN_NOT_ALLOWED" };
        let headers = [("host", host), ("origin", origin)];
        assert_eq!(check(&allowing(hosts), http::Version::HTTP_11, "POST", &headers), wanted, "{origin}");
    }
}

#[test]
fn another_site_may_link_here_and_nothing_else() {
    let link = [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
    let frame = [("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")];
    let fetch = [("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "empty")];
    let rows = [
        ("GET", "none", link, true),
        ("POST", "same-origin", fetch, true),
        ("GET", "cross-site", link, true),
        ("HEAD", "same-site", link, true),
        ("POST", "cross-site", link, false),
        ("GET", "cross-site", frame, false),
        ("GET", "cross-site", fetch, false),
        ("GET", "same-site", fetch, false),
        ("DELETE", "same-site", fetch, false),
        ("GET", "something-new", fetch, false),
    ];
    for (method, site, with, allowed) in rows {
        let wanted = if allowed { "" } else { "ORIGIN_NOT_ALLOWED" };
        let headers = [[("host", "localhost"), ("sec-fetch-site", site)], with].concat();
        let found = check(&Access::default(), http::Version::HTTP_11, method, &headers);
        assert_eq!(found, wanted, "{method} {site} {with:?}");
    }
}

#[test]
fn names_that_cannot_be_names_are_told_at_the_start() {
    for bad in ["", "a b", "http://a", "a/b", "a:", "a:99999", "*.example", "a,b", "user@a"] {
        assert!(bad.parse::<AllowedHost>().is_err(), "{bad}");
    }
}

#[test]
fn a_token_is_checked_and_not_shown() {
    let good = "0123456789abcdef01234567";
    for bad in
        ["", "short", &good[1..], "0123456789abcdef 1234567", "0123456789abcdef0123456é", &good.repeat(50)]
    {
        assert_eq!(bad.parse::<Token>().err(), Some(BadToken), "{bad}");
    }
    let token: Token = good.parse().expect("a token");
    assert_eq!(format!("{token:?}"), "Token(…)");
}

#[test]
fn only_the_whole_token_counts() {
    let token: Token = "0123456789abcdef01234567".parse().expect("a token");
    let rows: [(&[&str], bool); 14] = [
        (&["Bearer 0123456789abcdef01234567"], true),
        (&["bearer 0123456789abcdef01234567"], true),
        (&[], false),
        (&[""], false),
        (&["Bearer"], false),
        (&["Bearer "], false),
        (&["Bearer nothing"], false),
        (&["0123456789abcdef01234567"], false),
        (&["Basic 0123456789abcdef01234567"], false),
        (&["Bearer 0123456789abcdef0123456"], false),
        (&["Bearer 0123456789abcdef012345678"], false),
        (&["Bearer  0123456789abcdef01234567"], false),
        (&["Bearer 0123456789ABCDEF01234567"], false),
        (&["Bearer 0123456789abcdef01234567", "Bearer 0123456789abcdef01234567"], false),
    ];
    for (values, allowed) in rows {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, value.parse().expect("a header"));
        }
        assert_eq!(token.is_in(&headers), allowed, "{values:?}");
    }
}
