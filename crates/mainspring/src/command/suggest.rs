//! Names that a person may have meant when the server knows no such job, schedule, trigger, pool or worker.

use mainspring_client::{Client, ClientError, query};
use serde_json::Value;

/// Names that are compared, and that are shown.
const NAMES_MAX: &str = "1000";
const SHOWN_MAX: usize = 3;

/// Where the names of a kind are listed.
struct Kind {
    /// Where one is found by its name.
    path: &'static str,
    list: &'static str,
    key: &'static str,
    fields: &'static [&'static str],
}

const KINDS: [Kind; 4] = [
    Kind { path: "/v1/jobs/", list: "/v1/jobs", key: "jobs", fields: &["job"] },
    Kind { path: "/v1/schedules/", list: "/v1/schedules", key: "schedules", fields: &["job", "name"] },
    Kind { path: "/v1/triggers/", list: "/v1/triggers", key: "triggers", fields: &["job", "name"] },
    Kind { path: "/v1/pools/", list: "/v1/pools", key: "pools", fields: &["pool"] },
];

/// The nearest names to one that was not found; none if nothing is near, or the server cannot be asked.
pub(super) async fn names(client: &Client, error: &ClientError) -> Vec<String> {
    let ClientError::Refused { path, .. } = error else { return Vec::new() };
    if !error.is_not_found() {
        return Vec::new();
    }
    let Some((kind, name, tenant)) = wanted(path) else { return Vec::new() };
    // Pools are few: their list has no limit.
    let limit = (kind.key != "pools").then_some(NAMES_MAX);
    let list = query(kind.list, &[("tenant", tenant.as_deref()), ("limit", limit)]);
    let Ok(answer) = client.get(&list).await else { return Vec::new() };
    let rows = answer.get(kind.key).and_then(Value::as_array).into_iter().flatten();
    let live = rows.filter(|row| row.get("deleted_at").is_none());
    let known = live.filter_map(|row| {
        let parts: Option<Vec<&str>> = kind.fields.iter().map(|field| row.get(field)?.as_str()).collect();
        parts.map(|parts| parts.join("/"))
    });
    let known: Vec<String> = known.collect();
    // It is there; something that belongs to it is not.
    if known.contains(&name) { Vec::new() } else { nearest(&name, known) }
}

/// The kind of thing that a path names, its name, and its tenant.
fn wanted(path: &str) -> Option<(&'static Kind, String, Option<String>)> {
    let (path, parameters) = path.split_once('?').unwrap_or((path, ""));
    let (kind, rest) = KINDS.iter().find_map(|kind| Some((kind, path.strip_prefix(kind.path)?)))?;
    let parts = rest.split('/').take(kind.fields.len());
    // A verb is the last part of a path: `etl:trigger`.
    let names: Vec<String> = parts.map(|part| unescaped(part.split(':').next().unwrap_or(part))).collect();
    let tenant = parameters.split('&').find_map(|pair| pair.strip_prefix("tenant="));
    Some((kind, names.join("/"), tenant.map(unescaped)))
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut left = text.as_bytes();
    while let [first, rest @ ..] = left {
        let code =
            rest.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = code.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        left = if byte.is_some() { &rest[2..] } else { rest };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Names that are a few letters away, or that begin so; the nearest first.
pub(super) fn nearest(name: &str, known: Vec<String>) -> Vec<String> {
    let far = (name.chars().count() / 3).clamp(1, 4);
    let mut near: Vec<(usize, String)> = known
        .into_iter()
        .filter_map(|other| {
            let begins = name.len() >= 2 && (other.starts_with(name) || name.starts_with(&*other));
            let away = distance(name, &other);
            (begins || away <= far).then_some((if begins { away.min(far) } else { away }, other))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.truncate(SHOWN_MAX);
    near.into_iter().map(|(_, name)| name).collect()
}

/// Letters to change, insert, leave out or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &from) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &to) in b.iter().enumerate() {
            let change = last[j] + usize::from(from != to);
            let mut least = change.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && from == b[j - 1] && a[i - 1] == to {
                least = least.min(before_last[j - 1] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// As `a`, `b` or `c`.
pub(super) fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [some @ .., last] => format!("{} or {last}", some.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_are_offered() {
        let known =
            || ["nightly-report", "nightly-reports-eu", "etl", "hello", "help"].map(str::to_owned).to_vec();
        let rows: [(&str, &[&str]); 6] = [
            ("nightly-reprot", &["nightly-report"]),
            ("nightly", &["nightly-report", "nightly-reports-eu"]),
            ("etk", &["etl"]),
            ("helo", &["hello", "help"]),
            ("e", &[]),
            ("zebra", &[]),
        ];
        for (name, offered) in rows {
            assert_eq!(nearest(name, known()), offered, "{name}");
        }
        assert_eq!(listed(&["a".to_owned(), "b".to_owned(), "c".to_owned()]), "`a`, `b` or `c`");
    }

    #[test]
    fn a_path_tells_what_was_wanted() {
        let rows = [
            ("/v1/jobs/etk?tenant=acme", Some(("etk", Some("acme")))),
            ("/v1/jobs/a%20b:trigger", Some(("a b", None))),
            ("/v1/jobs/etk/versions?limit=1", Some(("etk", None))),
            ("/v1/schedules/etl/nightli:pause?tenant=x", Some(("etl/nightli", Some("x")))),
            ("/v1/pools/gpi", Some(("gpi", None))),
            ("/v1/tasks/task_1", None),
        ];
        for (path, expected) in rows {
            let found = wanted(path).map(|(_, name, tenant)| (name, tenant));
            let expected = expected.map(|(name, tenant)| (name.to_owned(), tenant.map(str::to_owned)));
            assert_eq!(found, expected, "{path}");
        }
    }

    #[test]
    fn swapped_letters_are_one_step() {
        for (a, b, steps) in [("abc", "acb", 1), ("", "ab", 2), ("größe", "grösse", 2), ("same", "same", 0)]
        {
            assert_eq!(distance(a, b), steps, "{a} {b}");
        }
    }
}
