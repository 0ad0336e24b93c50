//! Source files that our pages name exist. A page may leave out the front of a path: `engine/follow.rs` is enough.

use super::Finding;
use super::tree::Tree;

pub fn check(tree: &Tree) -> Vec<Finding> {
    let pages = tree.with_ending(".md").filter(|(page, _)| *page != "CHANGELOG.md");
    pages.flat_map(|(page, text)| check_page(tree, page, text)).collect()
}

fn check_page(tree: &Tree, page: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for path in named(line).filter(|path| !exists(tree, path)) {
            let what = format!("there is no source file `{path}`; correct the path");
            findings.push(Finding::new(page, index + 1, what));
        }
    }
    findings
}

/// Code spans that are the path of a Rust file.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let is_path = |span: &&str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
        span.strip_suffix(".rs").is_some_and(|stem| !stem.is_empty() && stem.chars().all(plain))
    };
    line.split('`').skip(1).step_by(2).filter(is_path)
}

fn exists(tree: &Tree, path: &str) -> bool {
    tree.with_ending(path)
        .any(|(file, _)| file.len() == path.len() || file[..file.len() - path.len()].ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_files_exist() {
        let rows = [
            ("whole", "see `core/src/engine/follow.rs`", 0),
            ("end of a path", "see `engine/follow.rs` and `follow.rs`", 0),
            ("moved", "see `engine/settle.rs`", 1),
            ("end of a name", "see `low.rs`", 1),
            ("two on a line", "`a.rs`, `b.rs`", 2),
            ("a command", "`cargo run x.rs`", 0),
            ("an ending", "all `.rs` files", 0),
            ("several at once", "`engine/{a,b}.rs`", 0),
        ];
        for (name, text, count) in rows {
            let tree = Tree::of(&[("docs/a.md", text), ("core/src/engine/follow.rs", "")]);
            assert_eq!(check(&tree).len(), count, "{name}");
        }
    }
}
