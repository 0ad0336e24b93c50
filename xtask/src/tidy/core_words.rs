//! Words that may not occur in the core: each stands for I/O, a clock, chance, or an order that differs
//! from run to run. Clippy bans some of the types; this also sees modules, keywords and imports.

use super::Finding;
use super::rust_text::{braces, code_only, is_name, line_of, words};
use super::tree::Tree;

const CORE: &str = "crates/core/src/";
/// Wraps hashbrown's map in a type that cannot be iterated.
const INDEX: &str = "crates/core/src/collections/id_index.rs";

const IO: &str = "the core does no I/O; order an effect from the shell";
const THREAD: &str = "the core is single-threaded; this belongs to the runtime";
const CLOCK: &str = "the core receives time as an argument";
const CHANCE: &str = "chance comes in as an argument; use `values::Chance`";
const ORDER: &str = "hashing has no order; use BTreeMap or BTreeSet, or `collections::KeyIndex` for lookups";
const WIRE: &str = "core types have no wire form; convert in `store` or `api`";
const FLOAT: &str = "floats differ between machines; use whole numbers with a unit";

const WORDS: [(&str, &str); 10] = [
    ("std::fs", IO),
    ("std::net", IO),
    ("std::thread", THREAD),
    ("async", THREAD),
    ("SystemTime", CLOCK),
    ("Instant", CLOCK),
    ("HashMap", ORDER),
    ("HashSet", ORDER),
    ("f32", FLOAT),
    ("f64", FLOAT),
];
/// Whole families of crates: the beginning of a name is enough.
const BEGINNINGS: [(&str, &str); 3] = [("rand::", CHANCE), ("serde", WIRE), ("prost", WIRE)];
/// The same modules as in `WORDS`, in an import like `use std::{fs, mem}`.
const STD_MODULES: [(&str, &str); 3] = [("fs", IO), ("net", IO), ("thread", THREAD)];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let sources = tree.with_ending(".rs").filter(|(path, _)| path.starts_with(CORE));
    sources.flat_map(|(path, text)| check_file(path, text)).collect()
}

fn check_file(path: &str, text: &str) -> Vec<Finding> {
    let code = code_only(text);
    let mut hits: Vec<(usize, &str, &str)> = Vec::new();
    for (word, advice) in WORDS {
        if !(word == "HashMap" && path == INDEX) {
            hits.extend(words(&code, word).map(|offset| (offset, word, advice)));
        }
    }
    for (beginning, advice) in BEGINNINGS {
        let begins_name = |offset: &usize| *offset == 0 || !is_name(code.as_bytes()[offset - 1]);
        let found = code.match_indices(beginning).map(|(offset, _)| offset).filter(begins_name);
        hits.extend(found.map(|offset| (offset, beginning, advice)));
    }
    hits.extend(grouped_imports(&code));
    hits.extend(float_literals(&code));
    let finding = |(offset, word, advice)| {
        Finding::new(path, line_of(&code, offset), format!("`{word}` may not occur in the core; {advice}"))
    };
    hits.into_iter().map(finding).collect()
}

fn grouped_imports(code: &str) -> Vec<(usize, &'static str, &'static str)> {
    let mut hits = Vec::new();
    for (start, _) in code.match_indices("std::{") {
        let Some(group) = braces(code, start) else { continue };
        for (module, advice) in STD_MODULES {
            let found =
                words(&code[group.clone()], module).map(|offset| (group.start + offset, module, advice));
            hits.extend(found);
        }
    }
    hits
}

/// `1f64` and `2_f32`, where the type is the tail of a number.
fn float_literals(code: &str) -> Vec<(usize, &'static str, &'static str)> {
    let mut hits = Vec::new();
    for kind in ["f32", "f64"] {
        for (offset, _) in code.match_indices(kind) {
            let before =
                code[..offset].trim_end_matches(|c: char| c == '_' || c == '.' || c.is_ascii_digit());
            let number = &code[before.len()..offset];
            let starts_fresh = !before.bytes().last().is_some_and(is_name);
            if starts_fresh && number.starts_with(|c: char| c.is_ascii_digit()) {
                hits.push((offset, kind, FLOAT));
            }
        }
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_words_in_code_only() {
        let rows: [(&str, &str, usize); 14] = [
            ("path", "use std::fs::File;", 1),
            ("grouped", "use std::{\n    fs,\n    mem,\n};", 1),
            ("grouped, nothing wrong", "use std::{fmt, mem}; mod fs {}", 0),
            ("clock", "let t = Instant::now();", 1),
            ("comment", "// SystemTime is not for us\n/// nor HashMap", 0),
            ("string", "let s = \"std::net\";", 0),
            ("longer name", "struct InstantRow; fn observed() {}", 0),
            ("async", "pub async fn f() {}", 1),
            ("chance", "rand::random()", 1),
            ("another word", "operand::new()", 0),
            ("derive", "#[derive(serde::Serialize)]", 1),
            ("crate of the family", "use serde_json::Value;", 1),
            ("float type", "fn f(x: f64) {}", 1),
            ("float literal", "let x = 1f64 + 2.5_f32; let y = 0x1f64a;", 2),
        ];
        for (name, text, count) in rows {
            let findings = check_file("crates/core/src/a.rs", text);
            assert_eq!(findings.len(), count, "{name}: {findings:?}");
        }
    }

    #[test]
    fn the_index_may_use_a_hash_map() {
        let text = "use hashbrown::HashMap;";
        assert_eq!(check_file(INDEX, text).len(), 0);
        assert_eq!(check_file("crates/core/src/worker/index.rs", text).len(), 1);
    }

    #[test]
    fn names_the_line() {
        let findings = check_file("crates/core/src/a.rs", "\nuse std::{\n    fs,\n};");
        assert_eq!(findings[0].line, 3);
    }
}
