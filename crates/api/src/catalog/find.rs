//! The operation that a request asks for.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::{Operation, operations};

/// Made once: every request is looked up.
struct Lookup {
    /// By path and method; those without `{…}`.
    exact: BTreeMap<(&'static str, &'static str), &'static Operation>,
    /// The others, with the number of their parts; those that end with a verb first.
    templates: Vec<(usize, &'static Operation)>,
}

static LOOKUP: LazyLock<Lookup> = LazyLock::new(|| {
    let (exact, mut templates): (Vec<&'static Operation>, Vec<&'static Operation>) =
        operations().partition(|operation| !operation.path().contains('{'));
    templates.sort_by_key(|operation| !ends_with_verb(operation.path()));
    Lookup {
        exact: exact
            .into_iter()
            .map(|operation| ((operation.path(), operation.method()), operation))
            .collect(),
        templates: templates.into_iter().map(|operation| (parts(operation.path()), operation)).collect(),
    }
});

/// `HEAD` asks for what `GET` does. A path that ends with a verb is taken by the entry with that verb; to all others a
/// colon is a character like any other, because names may have one.
pub fn find(method: &str, path: &str) -> Option<&'static Operation> {
    let method = if method == "HEAD" { super::GET } else { method };
    if let Some(operation) = LOOKUP.exact.get(&(path, method)) {
        return Some(operation);
    }
    let parts = parts(path);
    let mut same = LOOKUP.templates.iter().filter(|(wanted, one)| *wanted == parts && one.method() == method);
    same.find(|(_, operation)| matches(operation.path(), path)).map(|(_, operation)| *operation)
}

fn parts(path: &str) -> usize {
    path.bytes().filter(|byte| *byte == b'/').count()
}

/// Whether the last part is `{…}:verb`.
fn ends_with_verb(template: &str) -> bool {
    template.rsplit('/').next().is_some_and(|last| last.contains("}:"))
}

fn matches(template: &str, path: &str) -> bool {
    let (mut wanted, mut given) = (template.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(wanted), Some(given)) if part_matches(wanted, given) => {}
            _ => return false,
        }
    }
}

fn part_matches(wanted: &str, given: &str) -> bool {
    match wanted.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        // Something must stand in its place.
        Some((_, verb)) => given.strip_suffix(verb).is_some_and(|rest| !rest.is_empty()),
        None => wanted == given,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_one_operation() {
        let rows = [
            ("GET", "/v1/tasks", Some("listTasks")),
            ("HEAD", "/v1/tasks", Some("listTasks")),
            ("POST", "/v1/tasks", Some("submitTask")),
            ("POST", "/v1/tasks:batch", Some("submitTasks")),
            ("GET", "/v1/tasks/task_1", Some("getTask")),
            ("POST", "/v1/tasks/task_1:cancel", Some("cancelTask")),
            ("POST", "/v1/tasks/task_1:dance", None),
            ("POST", "/v1/tasks/task_1", None),
            ("POST", "/v1/tasks/:cancel", None),
            ("GET", "/v1/jobs/a:b", Some("getJob")),
            ("GET", "/v1/jobs/a:pause", Some("getJob")),
            ("POST", "/v1/jobs/a:b:pause", Some("pauseJob")),
            ("GET", "/v1/schedules:upcoming", Some("listUpcomingWindows")),
            ("GET", "/v1/schedules/j/n/history", Some("listScheduleWindows")),
            ("POST", "/v1/schedules/j/n:resume", Some("resumeSchedule")),
            ("GET", "/v1/tasks/", None),
            ("GET", "/v1/nothing", None),
        ];
        for (method, path, wanted) in rows {
            assert_eq!(find(method, path).map(|operation| operation.id), wanted, "{method} {path}");
        }
    }
}
