//! Modules of the core stand in one order, and each imports only modules above it: so there is no cycle.
//! The order is the table between `core-modules` marks in `docs/ARCHITECTURE.md`. Its first column names modules as
//! paths under `crates/core/src`; a module inside another one (`task/decide`) has a place of its own. Tests may import
//! everything.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::exceptions::{Measure, Rule};
use super::rust_text::{is_name, is_test_file, line_of, name_at, product_code, words};
use super::tree::Tree;

const CORE: &str = "crates/core/src/";
const TABLE: &str = "docs/ARCHITECTURE.md";
const BEGIN: &str = "<!-- core-modules:begin -->";
const END: &str = "<!-- core-modules:end -->";
const ABOVE: Rule = Rule {
    unit: "files that import from below",
    advice: "move what is needed to a module above both, or the decision to one below",
};

/// Findings about the table itself, and one measure for each pair of modules in the wrong order.
pub fn check(tree: &Tree) -> (Vec<Finding>, Vec<Measure>) {
    let order = order(tree.text(TABLE).unwrap_or_default());
    if order.is_empty() {
        let what = format!("has no table of the core's modules between `{BEGIN}` and `{END}`; write it");
        return (vec![Finding::new(TABLE, 1, what)], Vec::new());
    }
    let mut findings = check_table(tree, &order);
    let mut pairs: BTreeMap<(&str, &str), BTreeMap<&str, usize>> = BTreeMap::new();
    let sources = tree.with_ending(".rs").filter(|(path, _)| path.starts_with(CORE) && !is_test_file(path));
    for (path, text) in sources.filter(|(path, _)| *path != "crates/core/src/lib.rs") {
        let Some(from) = module_of(&order, &segments(path)) else {
            let what = format!("its module has no place in the table of {TABLE}; give it one");
            findings.push(Finding::new(path, 1, what));
            continue;
        };
        for (to, line) in imports(&order, path, text) {
            if place(&order, to) > place(&order, from) {
                pairs.entry((from, to)).or_default().entry(path).or_insert(line);
            }
        }
    }
    let measures = pairs.into_iter().filter_map(|((from, to), files)| {
        let (place, line) = files.iter().next().map(|(place, line)| ((*place).to_owned(), *line))?;
        let (what, path) = (format!("uses:{to}"), format!("{CORE}{from}"));
        Some(Measure { rule: &ABOVE, place, path, line, what, size: files.len(), max: 0 })
    });
    (findings, measures.collect())
}

/// The modules of the table, the uppermost first, with their lines.
fn order(text: &str) -> Vec<(String, usize)> {
    let table = text.lines().enumerate().skip_while(|(_, line)| *line != BEGIN);
    let mut order = Vec::new();
    for (index, line) in table.take_while(|(_, line)| *line != END) {
        let cell = line.trim_start_matches('|').split('|').next().unwrap_or_default();
        let names = cell.split('`').skip(1).step_by(2);
        order.extend(names.map(|name| (name.trim_end_matches('/').to_owned(), index + 1)));
    }
    order
}

fn check_table(tree: &Tree, order: &[(String, usize)]) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for (module, line) in order {
        let there = tree.has(&format!("{CORE}{module}")) || tree.has(&format!("{CORE}{module}.rs"));
        if !there {
            let what = format!("the core has no module `{module}`; correct or delete its row");
            findings.push(Finding::new(TABLE, *line, what));
        }
        if !seen.insert(module) {
            findings.push(Finding::new(TABLE, *line, format!("`{module}` has two places; keep one")));
        }
    }
    findings
}

fn place(order: &[(String, usize)], module: &str) -> usize {
    order.iter().position(|(known, _)| known == module).unwrap_or(usize::MAX)
}

/// The path of the module that a file holds.
fn segments(path: &str) -> Vec<&str> {
    let inner = path.trim_start_matches(CORE).trim_end_matches(".rs");
    let mut segments: Vec<&str> = inner.split('/').collect();
    if matches!(segments.last(), Some(&("mod" | "lib"))) {
        segments.pop();
    }
    segments
}

/// The innermost module of the table that holds this path.
fn module_of<'a>(order: &'a [(String, usize)], path: &[&str]) -> Option<&'a str> {
    (1..=path.len()).rev().find_map(|length| {
        let name = path[..length].join("/");
        order.iter().find(|(known, _)| *known == name).map(|(known, _)| known.as_str())
    })
}

/// Modules that a file names, with the line. Paths begin with `crate`, `super`, `self`, or with a module inside
/// the file's own that has a place in the table.
fn imports<'a>(order: &'a [(String, usize)], path: &str, text: &str) -> Vec<(&'a str, usize)> {
    let code = product_code(text);
    let own = segments(path);
    let mut found = Vec::new();
    let mut add = |target: &[&str], offset: usize| {
        found.extend(module_of(order, target).map(|module| (module, line_of(&code, offset))));
    };
    for offset in words(&code, "crate").filter(|offset| begins_path(&code, *offset)) {
        follow(&code, offset + "crate".len(), &[], &mut |target| add(target, offset));
    }
    for offset in words(&code, "self").filter(|offset| begins_path(&code, *offset)) {
        follow(&code, offset + "self".len(), &own, &mut |target| add(target, offset));
    }
    for offset in words(&code, "super").filter(|offset| begins_path(&code, *offset)) {
        let outer = own[..own.len().saturating_sub(1)].to_vec();
        follow(&code, offset + "super".len(), &outer, &mut |target| add(target, offset));
    }
    let prefix = format!("{}/", own.join("/"));
    for inner in order.iter().filter_map(|(module, _)| module.strip_prefix(prefix.as_str())) {
        let used = |offset: &usize| {
            begins_path(&code, *offset) && code[offset + inner.len()..].trim_start().starts_with("::")
        };
        for offset in words(&code, inner).filter(used) {
            follow(&code, offset, &own, &mut |target| add(target, offset));
        }
    }
    found
}

/// Not in the middle of a path, and no macro variable (`$crate`).
fn begins_path(code: &str, offset: usize) -> bool {
    !code[..offset].trim_end().ends_with("::") && !code[..offset].ends_with('$')
}

/// Calls `each` with every full path that goes on at `from`: one, or several behind `{`.
fn follow<'a>(code: &'a str, from: usize, outer: &[&'a str], each: &mut dyn FnMut(&[&str])) {
    let mut path = outer.to_vec();
    let from = code.len() - code[from..].trim_start().len();
    let mut at = from;
    loop {
        let rest = code[at..].trim_start();
        at = code.len() - rest.len();
        if let Some(after) = rest.strip_prefix("::") {
            at += rest.len() - after.len();
        } else if rest.starts_with('{') && code[..at].trim_end().ends_with("::") {
            return group(code, at, &path, each);
        } else if rest.bytes().next().is_some_and(is_name)
            && (at == from || code[..at].trim_end().ends_with("::"))
        {
            let name = name_at(code, at);
            match name {
                "super" => {
                    path.pop();
                }
                "self" => {}
                _ => path.push(name),
            }
            at += name.len();
        } else {
            return each(&path);
        }
    }
}

/// The paths of `{a, b::{c, d}}`, which opens at `open`.
fn group<'a>(code: &'a str, open: usize, outer: &[&'a str], each: &mut dyn FnMut(&[&str])) {
    let mut depth = 0_usize;
    for (offset, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        let begins = byte == b',' || byte == b'{';
        if begins && depth == 1 {
            follow(code, offset + 1, outer, each);
        }
        if depth == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDER: &str = "x\n<!-- core-modules:begin -->\n| module | owns |\n|---|---|\n| `values/` | `Name` |\n\
        | `task/` `job/` | rows |\n| `state/` | all |\n| `task/decide/` | rules |\n<!-- core-modules:end -->\n";
    const ALL: [(&str, &str); 5] = [
        (TABLE, ORDER),
        ("crates/core/src/values/mod.rs", ""),
        ("crates/core/src/job.rs", ""),
        ("crates/core/src/state/mod.rs", ""),
        ("crates/core/src/task/decide/mod.rs", ""),
    ];

    fn found(path: &str, text: &str) -> Vec<String> {
        let path = format!("{CORE}{path}");
        let mut texts = ALL.to_vec();
        texts.push((&path, text));
        let (findings, measures) = check(&Tree::of(&texts));
        assert_eq!(findings, []);
        measures.iter().map(|m| format!("{} {}", &m.path[CORE.len()..], m.what)).collect()
    }

    #[test]
    fn a_module_imports_only_from_above() {
        let rows: [(&str, &str, &str, &[&str]); 16] = [
            ("above", "job.rs", "use crate::values::Name; use crate::task::Task;", &[]),
            ("below", "task/mod.rs", "use crate::job::Job;", &["task uses:job"]),
            ("itself", "task/a.rs", "use crate::task::Task; use super::b;", &[]),
            ("a path", "task/a.rs", "fn f() { crate::state::apply() }", &["task uses:state"]),
            ("a group", "task/a.rs", "use crate::{values, state::{State, x}};", &["task uses:state"]),
            ("spaces", "task/a.rs", "use crate\n    ::state\n    ::State;", &["task uses:state"]),
            ("super", "job.rs", "use super::state::State;", &["job uses:state"]),
            ("super twice", "task/a.rs", "use super::super::{job::Job};", &["task uses:job"]),
            ("inner, from outside", "state/a.rs", "crate::task::decide::f()", &["state uses:task/decide"]),
            ("inner, by self", "task/mod.rs", "use self::{a, decide::f};", &["task uses:task/decide"]),
            ("inner, by name", "task/mod.rs", "pub use decide::f;", &["task uses:task/decide"]),
            ("declared", "task/mod.rs", "pub mod decide;", &[]),
            ("inner sees outer", "task/decide/a.rs", "use super::super::Task; use crate::state::X;", &[]),
            ("tests", "task/a.rs", "#[cfg(test)]\nmod tests { use crate::state::State; }", &[]),
            ("file of tests", "task/tests/a.rs", "use crate::state::State;", &[]),
            ("a comment", "task/a.rs", "// crate::state::State", &[]),
        ];
        for (name, path, text, wanted) in rows {
            assert_eq!(found(path, text), wanted, "{name}");
        }
    }

    #[test]
    fn a_cycle_is_found_at_one_of_its_ends() {
        let mut texts = ALL.to_vec();
        texts.push(("crates/core/src/task/a.rs", "use crate::values::Name;"));
        texts.push(("crates/core/src/values/a.rs", "\nuse crate::task::Task;"));
        let (_, measures) = check(&Tree::of(&texts));
        assert_eq!(measures.len(), 1);
        assert_eq!((measures[0].what.as_str(), measures[0].line), ("uses:task", 2));
    }

    #[test]
    fn the_table_and_the_folders_agree() {
        let (findings, _) = check(&Tree::of(&ALL[..4]));
        let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts.iter().all(|text| text.contains("the core has no module `task")), "{texts:?}");
        let extra = [ALL[0], ALL[1], ALL[2], ALL[3], ALL[4], ("crates/core/src/news.rs", "")];
        let (findings, _) = check(&Tree::of(&extra));
        assert_eq!(findings.len(), 1);
        assert!(findings[0].to_string().starts_with("crates/core/src/news.rs:1: its module has no place"));
        assert_eq!(check(&Tree::of(&ALL[1..])).0.len(), 1);
    }
}
