//! No junk drawers: a name says which capability is inside.

use super::Finding;
use super::tree::Tree;

const DRAWERS: [&str; 5] = ["common", "utils", "util", "helpers", "misc"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let drawers = tree.paths().filter(|path| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.split('.').next().unwrap_or(name);
        DRAWERS.contains(&stem.to_ascii_lowercase().as_str())
    });
    let advice = "this name says nothing; name the capability that is inside";
    drawers.map(|path| Finding::new(path, 1, advice)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_junk_drawers() {
        let rows = [
            ("file", "crates/a/src/utils.rs", 1),
            ("folder", "crates/a/src/common/time.rs", 1),
            ("script", "web/src/Helpers.test.ts", 1),
            ("longer name", "crates/a/src/common_words.rs", 0),
        ];
        for (name, path, count) in rows {
            assert_eq!(check(&Tree::of(&[(path, "")])).len(), count, "{name}");
        }
    }
}
