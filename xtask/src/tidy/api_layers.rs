//! Which folders of the api crate may use which others, and that `wire` is pure.
//! Paths are found where they are written: `crate::rest`, `crate::{rest, wire}`, `super::super::rest`.

use super::Finding;
use super::rust_text::{braces, code_only, is_name, line_of, words};
use super::tree::Tree;

const API: &str = "crates/api/src/";

struct Rule {
    /// A folder or a file of the crate.
    place: &'static str,
    /// Modules at the root of the crate.
    modules: &'static [&'static str],
    /// Whole words, or paths.
    words: &'static [&'static str],
    advice: &'static str,
}

const RULES: [Rule; 4] = [
    Rule {
        place: "wire/",
        modules: &["rest", "grpc", "operation"],
        words: &[],
        advice: "`wire` is below them; move what both need into `wire`",
    },
    Rule {
        place: "wire/",
        modules: &["gateway"],
        words: &["SystemTime", "Instant", "mint", "TaskId::new", "random"],
        advice: "`wire` makes no ids and reads no clock; take the id or the time as an argument",
    },
    Rule {
        place: "grpc/",
        modules: &["rest"],
        words: &[],
        advice: "the two edges do not know each other; move what both need into `wire`, `server` or `operation`",
    },
    Rule {
        place: "sessions/mod.rs",
        modules: &["metrics", "feed", "logs"],
        words: &[],
        advice: "the router only finds sessions; `effects` owns the rest",
    },
];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let sources = tree.with_ending(".rs").filter_map(|(path, text)| Some((path.strip_prefix(API)?, text)));
    sources.flat_map(|(path, text)| check_file(path, text)).collect()
}

fn check_file(path: &str, text: &str) -> Vec<Finding> {
    let mut rules = RULES.iter().filter(|rule| path.starts_with(rule.place)).peekable();
    if rules.peek().is_none() {
        return Vec::new();
    }
    let code = code_only(text);
    let used = used_modules(&code, depth(path));
    let mut findings = Vec::new();
    for rule in rules {
        let modules = used.iter().filter(|(_, module)| rule.modules.contains(module));
        let modules = modules.map(|(offset, module)| (*offset, format!("crate::{module}")));
        let found = rule
            .words
            .iter()
            .flat_map(|word| words(&code, word).map(move |offset| (offset, (*word).to_owned())));
        findings.extend(modules.chain(found).map(|(offset, what)| {
            let what = format!("`{what}` may not be used in `{}`; {}", rule.place, rule.advice);
            Finding::new(&format!("{API}{path}"), line_of(&code, offset), what)
        }));
    }
    findings
}

/// How many modules deep the file lies: `wire/mod.rs` one, `wire/time.rs` two.
fn depth(path: &str) -> usize {
    let names = path.split('/').count();
    if path.ends_with("/mod.rs") { names - 1 } else { names }
}

/// Modules at the root of the crate that the code names, each with its place.
fn used_modules(code: &str, depth: usize) -> Vec<(usize, &str)> {
    let from_crate = words(code, "crate").map(|offset| offset + "crate".len());
    let from_super = super_paths(code, depth);
    from_crate.chain(from_super).flat_map(|end| named_after(code, end)).collect()
}

/// Where chains of `super::` end that reach the root; inside modules of a file they may be longer than its depth.
fn super_paths(code: &str, depth: usize) -> Vec<usize> {
    const STEP: &str = "super::";
    let mut ends = Vec::new();
    let mut at = 0;
    while let Some(found) = code[at..].find(STEP) {
        let start = at + found;
        // An empty text stands before the first step and between each two.
        let steps = code[start..].split(STEP).take_while(|between| between.is_empty()).count();
        at = start + steps * STEP.len();
        if steps >= depth {
            ends.push(at - "::".len());
        }
    }
    ends
}

/// The first names of the path, or of each path of the group, that follows behind `::`.
fn named_after(code: &str, end: usize) -> Vec<(usize, &str)> {
    let Some(rest) = code[end..].strip_prefix("::") else { return Vec::new() };
    let start = end + "::".len();
    if !rest.starts_with('{') {
        return vec![(start, first_name(rest))];
    }
    let Some(group) = braces(code, start) else { return Vec::new() };
    let mut inner = 0_usize;
    let mut names = Vec::new();
    let mut begins = true;
    for (offset, byte) in code.bytes().enumerate().take(group.end).skip(group.start + 1) {
        match byte {
            b'{' => inner += 1,
            b'}' => inner = inner.saturating_sub(1),
            b',' if inner == 0 => begins = true,
            byte if begins && is_name(byte) => {
                names.push((offset, first_name(&code[offset..])));
                begins = false;
            }
            _ => {}
        }
    }
    names
}

fn first_name(text: &str) -> &str {
    let length = text.bytes().take_while(|byte| is_name(*byte)).count();
    &text[..length]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn finds(name: &str, path: &str, text: &str, count: usize) {
        let path = format!("{API}{path}");
        let findings = check(&Tree::of(&[(&path, text)]));
        assert_eq!(findings.len(), count, "{name}: {findings:?}");
    }

    #[test]
    fn wire_is_below_the_edges_and_the_operations() {
        let rows = [
            ("rest", "use crate::rest::body;", 1),
            ("grpc", "use crate::grpc;", 1),
            ("operation", "fn f() { crate::operation::submit() }", 1),
            ("grouped", "use crate::{\n    operation::{self, Caller},\n    problem::Problem, rest,\n};", 2),
            ("relative", "use super::super::rest::body;", 1),
            ("relative, in a module of the file", "mod tests { use super::super::super::grpc; }", 1),
            ("its own parts", "use super::names::name; use super::rest;", 0),
            ("others", "use crate::problem::Problem; use crate::{config, profiles::Profiles};", 0),
            ("a longer name", "use crate::rest_of_it; use mycrate::rest;", 0),
            ("a comment", "// see crate::rest\nlet s = \"crate::grpc\";", 0),
        ];
        for (name, text, count) in rows {
            finds(name, "wire/time.rs", text, count);
        }
        finds("from its mod.rs", "wire/mod.rs", "use super::rest;", 1);
        finds("elsewhere", "server/mod.rs", "use crate::rest;", 0);
    }

    #[test]
    fn wire_makes_no_ids_and_reads_no_clock() {
        let rows = [
            ("clock", "let at = SystemTime::now();", 1),
            ("another clock", "use std::time::Instant;", 1),
            ("the edge's clock", "use crate::gateway::now;", 1),
            ("minting", "fn f(ids: &Ids) { ids.mint(None); }", 1),
            ("making", "let id = TaskId::new(0, slot, 1);", 1),
            ("reading one", "let id = TaskId::from_bits(1); let minted = id.minted_ms();", 0),
        ];
        for (name, text, count) in rows {
            finds(name, "wire/submission.rs", text, count);
        }
    }

    #[test]
    fn grpc_does_not_go_through_rest() {
        finds("rest", "grpc/call.rs", "use crate::rest;", 1);
        finds("deep", "grpc/tasks/body.rs", "let keys = crate::rest::body::keys(headers);", 1);
        finds("deep and relative", "grpc/tasks/body.rs", "use super::super::super::rest;", 1);
        finds("its own", "grpc/tasks/body.rs", "use super::super::rest_time; use crate::wire::Keys;", 0);
    }

    #[test]
    fn the_router_of_sessions_owns_no_metrics() {
        finds("metrics", "sessions/mod.rs", "use crate::metrics::Metrics;", 1);
        finds("feed", "sessions/mod.rs", "use super::feed::Feed;", 1);
        finds("the service may", "sessions/service.rs", "use crate::metrics::Metrics;", 0);
    }

    #[test]
    fn names_the_place() {
        let findings = check(&Tree::of(&[("crates/api/src/grpc/call.rs", "\nuse crate::{\n    rest,\n};")]));
        let shown = findings[0].to_string();
        assert!(shown.starts_with("crates/api/src/grpc/call.rs:3: `crate::rest` may not"), "{shown}");
    }
}
