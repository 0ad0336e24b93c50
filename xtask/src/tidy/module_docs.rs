//! Every module opens with what it is for.

use super::Finding;
use super::tree::Tree;

pub fn check(tree: &Tree) -> Vec<Finding> {
    let undocumented = tree.with_ending(".rs").filter(|(path, text)| {
        let is_door = path.ends_with("/mod.rs") || path.ends_with("/lib.rs");
        path.starts_with("crates/") && path.contains("/src/") && is_door && !text.starts_with("//!")
    });
    let advice = "does not begin with `//!`; say its role, entry, invariants, and what is not here";
    undocumented.map(|(path, _)| Finding::new(path, 1, advice)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doors_begin_with_their_role() {
        let rows = [
            ("documented", "crates/a/src/lib.rs", "//! Role.\n", 0),
            ("plain comment", "crates/a/src/lib.rs", "// Role.\n", 1),
            ("late", "crates/a/src/b/mod.rs", "use x;\n//! Role.\n", 1),
            ("not a door", "crates/a/src/b/c.rs", "use x;\n", 0),
            ("not a source", "crates/a/tests/mod.rs", "use x;\n", 0),
        ];
        for (name, path, text, count) in rows {
            assert_eq!(check(&Tree::of(&[(path, text)])).len(), count, "{name}");
        }
    }
}
