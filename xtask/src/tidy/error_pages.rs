//! Every error code has a page that says what to do, and every page has a code.

use super::Finding;
use super::tree::Tree;

const SOURCE: &str = "crates/core/src/command/rejection.rs";
const PAGES: &str = "docs/errors/";
const SECTIONS: [&str; 2] = ["## What it means", "## What to do"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let codes = codes(tree.text(SOURCE).unwrap_or_default());
    if codes.is_empty() {
        return vec![Finding::new(SOURCE, 1, "has no array `const CODES`; list every error code there")];
    }
    let mut findings = Vec::new();
    for (line, code) in &codes {
        let path = format!("{PAGES}{code}.md");
        match tree.text(&path) {
            Some(text) => findings.extend(check_page(&path, code, text)),
            None => findings.push(Finding::new(SOURCE, *line, format!("`{code}` has no page; write {path}"))),
        }
    }
    for (path, _) in tree.with_ending(".md").filter(|(path, _)| path.starts_with(PAGES)) {
        let name = path.trim_start_matches(PAGES).trim_end_matches(".md");
        if !codes.iter().any(|(_, code)| *code == name) {
            let what =
                format!("no error has the code `{name}`; delete the page, or list the code in {SOURCE}");
            findings.push(Finding::new(path, 1, what));
        }
    }
    findings
}

/// The strings of the array, each with its line.
fn codes(source: &str) -> Vec<(usize, &str)> {
    let mut codes = Vec::new();
    let array = source.lines().enumerate().skip_while(|(_, line)| !line.contains("const CODES"));
    for (index, line) in array {
        let values = line.split_once("= ").map_or(line, |(_, values)| values);
        codes.extend(values.split('"').skip(1).step_by(2).map(|code| (index + 1, code)));
        if values.contains("];") {
            break;
        }
    }
    codes
}

fn check_page(path: &str, code: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    if text.lines().next() != Some(format!("# {code}").as_str()) {
        findings.push(Finding::new(path, 1, format!("does not begin with `# {code}`; make it the title")));
    }
    let missing = SECTIONS.iter().filter(|section| !has_section(text, section));
    findings.extend(missing.map(|section| {
        Finding::new(path, 1, format!("has no text under `{section}`; a reader of an error needs it"))
    }));
    findings
}

fn has_section(text: &str, section: &str) -> bool {
    let body = text.lines().skip_while(|line| line.trim_end() != section).skip(1);
    body.take_while(|line| !line.starts_with('#')).any(|line| !line.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# A\n\n## What it means\nx\n\n## What to do\ny\n";

    type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [&'a str]);

    fn found(source: &str, pages: &[(&str, &str)]) -> Vec<String> {
        let mut texts = vec![(SOURCE, source)];
        texts.extend(pages);
        check(&Tree::of(&texts)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn codes_and_pages_belong_together() {
        let source =
            "x => \"NOT_A_CODE\"\n    pub const CODES: [&'static str; 1] = [\n        \"A\",\n    ];\n\"B\"";
        let page = "docs/errors/A.md";
        let empty = "# A\n## What it means\n\n## What to do\ny\n";
        let rows: [Row; 5] = [
            ("both there", &[(page, GOOD)], &[]),
            ("no page", &[], &["rejection.rs:3: `A` has no page; write docs/errors/A.md"]),
            ("no code", &[(page, GOOD), ("docs/errors/B.md", GOOD)], &["no error has the code `B`"]),
            ("other title", &[(page, &GOOD[1..])], &["does not begin with `# A`"]),
            ("empty section", &[(page, empty)], &["no text under `## What it means`"]),
        ];
        for (name, pages, wanted) in rows {
            let findings = found(source, pages);
            assert_eq!(findings.len(), wanted.len(), "{name}: {findings:?}");
            assert!(
                findings.iter().zip(wanted).all(|(finding, part)| finding.contains(part)),
                "{findings:?}"
            );
        }
    }

    #[test]
    fn an_array_on_one_line_and_none_at_all() {
        assert_eq!(codes("const CODES: [&str; 2] = [\"A\", \"B\"];\n\"C\""), [(1, "A"), (1, "B")]);
        assert_eq!(found("", &[]).len(), 1);
    }
}
