//! What a task uses and may find broken: the program of a process, the host of a call. Tasks without a job share a
//! retry budget with others that use the same.

use mainspring_core::values::{NAME_BYTES_MAX, Name};
use serde::Deserialize;

#[derive(Deserialize)]
struct Process {
    argv: Vec<String>,
}

#[derive(Deserialize)]
struct Http {
    url: String,
}

#[derive(Deserialize)]
struct Poll {
    http: Option<Http>,
}

/// Empty if the executor uses nothing that has a name, or the payload cannot be read.
pub fn read(executor: &str, payload: &[u8]) -> Name {
    let found = match executor {
        "process" => {
            serde_json::from_slice(payload).ok().and_then(|Process { argv }| argv.into_iter().next())
        }
        "http" => serde_json::from_slice(payload).ok().map(|Http { url }| host(&url)),
        "poll" => {
            let poll = serde_json::from_slice(payload).ok();
            poll.and_then(|Poll { http }| http).map(|http| host(&http.url))
        }
        _ => None,
    };
    found.map_or_else(Name::default, |text| shortened(&text))
}

/// With its port, without user and password.
fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    host.to_ascii_lowercase()
}

/// Long ones are cut: two that begin alike share a budget.
fn shortened(text: &str) -> Name {
    let text: String = text.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    let end = (0..=NAME_BYTES_MAX.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    Name::new(&text[..end.unwrap_or_default()]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_the_program_or_the_host() {
        let long = "x".repeat(NAME_BYTES_MAX - 1);
        let rows = [
            ("process", r#"{"argv":["/usr/bin/curl","-s"],"env":{}}"#.to_owned(), "/usr/bin/curl"),
            ("process", r#"{"argv":[]}"#.to_owned(), ""),
            ("process", r#"{"argv":["a\nb"]}"#.to_owned(), "a?b"),
            ("process", format!(r#"{{"argv":["{long}éé"]}}"#), &*long),
            ("http", r#"{"url":"https://ann:pw@API.example:8443/v1?x=/"}"#.to_owned(), "api.example:8443"),
            ("http", r#"{"url":"http://[::1]:80"}"#.to_owned(), "[::1]:80"),
            ("poll", r#"{"http":{"url":"http://a.example/ready"}}"#.to_owned(), "a.example"),
            ("poll", r#"{"file":{"path":"/x"}}"#.to_owned(), ""),
            ("noop", "null".to_owned(), ""),
            ("http", "not JSON".to_owned(), ""),
        ];
        for (executor, payload, expected) in rows {
            assert_eq!(read(executor, payload.as_bytes()).as_str(), expected, "{executor} {payload}");
        }
    }
}
