//! Links between our pages lead somewhere.

use super::Finding;
use super::tree::Tree;

pub fn check(tree: &Tree) -> Vec<Finding> {
    tree.with_ending(".md").flat_map(|(path, text)| check_page(tree, path, text)).collect()
}

fn check_page(tree: &Tree, page: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, target) in targets(text) {
        let wanted = resolve(page, &target);
        if !wanted.is_some_and(|path| tree.has(&path)) {
            let what = format!("the link `{target}` leads nowhere; correct or remove it");
            findings.push(Finding::new(page, line, what));
        }
    }
    findings
}

/// Files that the page links to, each with its line; code is not searched.
fn targets(text: &str) -> Vec<(usize, String)> {
    let mut targets = Vec::new();
    let mut fence: Option<&str> = None;
    for (index, line) in text.lines().enumerate() {
        let start = line.trim_start();
        let marker = ["```", "~~~"].into_iter().find(|marker| start.starts_with(marker));
        if marker.is_some() && (fence.is_none() || fence == marker) {
            fence = if fence.is_none() { marker } else { None };
            continue;
        }
        if fence.is_none() {
            let found = targets_of_line(line).into_iter().filter_map(|link| file_of(&link));
            targets.extend(found.map(|target| (index + 1, target)));
        }
    }
    targets
}

/// `[text](target)`, `![text](target)`, and `[name]: target`.
fn targets_of_line(line: &str) -> Vec<String> {
    let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let inline = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let mut found: Vec<String> = inline.map(|(target, _)| target.to_owned()).collect();
    if let Some((name, target)) = prose.split_once("]: ")
        && name.starts_with('[')
        && !name.starts_with("[^")
    {
        found.push(target.to_owned());
    }
    found
}

/// Without title and anchor; none for a link to elsewhere or within the page.
fn file_of(link: &str) -> Option<String> {
    let link = link.split_whitespace().next()?.trim_matches(['<', '>']);
    let file = link.split(['#', '?']).next()?;
    let scheme = file.split_once(':').is_some_and(|(scheme, _)| !scheme.contains('/'));
    (!file.is_empty() && !scheme).then(|| file.replace("%20", " "))
}

/// The path from the root; none if it leaves the repository.
fn resolve(page: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    if !target.starts_with('/') {
        parts.extend(page.split('/'));
        parts.pop();
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_files() {
        let rows = [
            ("beside", "[b](b.md)", 0),
            ("with anchor and title", "[b](b.md#part \"title\")", 0),
            ("above", "![x](../README.md)", 0),
            ("from the root", "[b](/docs/b.md)", 0),
            ("folder", "[all](../docs/)", 0),
            ("missing", "see [b](b.md) and [c](c.md)", 1),
            ("out of the repository", "[x](../../x.md)", 1),
            ("definition", "[b]: b.md\n[c]: c.md", 1),
            ("footnote", "[^1]: nothing here", 0),
            ("elsewhere", "[x](https://example.org/c.md) [m](mailto:a@example.org)", 0),
            ("within the page", "[x](#part)", 0),
            ("code", "`[c](c.md)`\n```md\n[c](c.md)\n~~~\n```\n[c](c.md)", 1),
        ];
        for (name, text, count) in rows {
            let tree = Tree::of(&[("docs/a.md", text), ("docs/b.md", ""), ("README.md", "")]);
            assert_eq!(check(&tree).len(), count, "{name}");
        }
    }

    #[test]
    fn names_the_line() {
        let tree = Tree::of(&[("a.md", "\n\n[c](c.md)")]);
        assert_eq!(
            check(&tree)[0].to_string(),
            "a.md:3: the link `c.md` leads nowhere; correct or remove it"
        );
    }
}
