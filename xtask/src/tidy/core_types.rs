//! A type name means one thing inside the core.

use std::collections::BTreeMap;

use super::exceptions::{Measure, Rule};
use super::rust_text::{braces, is_test_file, line_of, name_at, product_code, words};
use super::tree::Tree;

const CORE: &str = "crates/core/src/";
const KEYWORDS: [&str; 5] = ["struct", "enum", "union", "trait", "type"];
const UNIQUE: Rule =
    Rule { unit: "definitions in the core", advice: "rename it: put its folder or file before its name" };

/// Each name that has more than one definition, at its last place.
pub fn measure(tree: &Tree) -> Vec<Measure> {
    let mut places: BTreeMap<String, Vec<(&str, usize)>> = BTreeMap::new();
    let sources = tree.with_ending(".rs").filter(|(path, _)| path.starts_with(CORE) && !is_test_file(path));
    for (path, text) in sources {
        for (name, line) in definitions(text) {
            places.entry(name).or_default().push((path, line));
        }
    }
    let measure = |(name, places): (String, Vec<(&str, usize)>)| {
        let (place, line) = places.last().copied()?;
        let (what, path) = (format!("type:{name}"), CORE.to_owned());
        Some(Measure { rule: &UNIQUE, place: place.to_owned(), path, line, what, size: places.len(), max: 1 })
    };
    places.into_iter().filter_map(measure).filter(|measure| measure.size > 1).collect()
}

fn definitions(text: &str) -> Vec<(String, usize)> {
    let code = product_code(text);
    let mut found = Vec::new();
    for keyword in KEYWORDS {
        for offset in words(&code, keyword) {
            let name = name_at(&code, offset + keyword.len());
            let is_type = name.starts_with(|first: char| first.is_ascii_uppercase());
            if is_type && !(keyword == "type" && is_associated(&code, offset)) {
                found.push((name.to_owned(), line_of(&code, offset)));
            }
        }
    }
    found
}

/// `type Item = …` of an `impl` or a `trait` defines no name of its own.
fn is_associated(code: &str, offset: usize) -> bool {
    ["impl", "trait"].into_iter().any(|keyword| {
        words(&code[..offset], keyword)
            .filter_map(|start| braces(code, start))
            .any(|body| body.contains(&offset))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(texts: &[(&str, &str)]) -> Vec<(String, usize)> {
        let measures = measure(&Tree::of(texts));
        measures.into_iter().map(|measure| (measure.what, measure.size)).collect()
    }

    #[test]
    fn a_name_used_twice_is_found() {
        let (a, b) = ("crates/core/src/a.rs", "crates/core/src/b/mod.rs");
        let rows = [
            ("two names", "pub struct A;", "enum B {}", 0),
            ("one name", "pub struct A;", "pub(crate) enum A {}", 2),
            ("an alias", "struct A<T>(T);", "type A = u8;", 2),
            ("a trait", "trait A {}", "struct A;", 2),
            ("twice in a file", "struct A; mod x { struct A; }", "", 2),
            ("associated", "impl T for X { type A = u8; }", "trait T { type A; }", 0),
            ("a variant", "enum E { A }", "struct A;", 0),
            ("in tests", "struct A;", "#[cfg(test)]\nmod tests { struct A; }", 0),
            ("in a text", "struct A;", "// struct A\nconst X: &str = \"struct A\";", 0),
        ];
        for (name, first, second, count) in rows {
            let wanted: Vec<(String, usize)> =
                if count == 0 { Vec::new() } else { vec![("type:A".into(), count)] };
            assert_eq!(found(&[(a, first), (b, second)]), wanted, "{name}");
        }
        assert_eq!(found(&[(a, "struct A;"), ("crates/api/src/a.rs", "struct A;")]), []);
        assert_eq!(found(&[(a, "struct A;"), ("crates/core/src/b/tests.rs", "struct A;")]), []);
    }
}
