//! Every error code has a page that says what to do, and every page has a code.

use super::Finding;
use super::tree::Tree;

/// What the rules refuse, and what the edge refuses by itself.
const SOURCES: [&str; 2] = ["crates/core/src/decision/rejection.rs", "crates/api/src/problem/mod.rs"];
const PAGES: &str = "docs/errors/";
const SECTIONS: [&str; 2] = ["## What it means", "## What to do"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut known: Vec<&str> = Vec::new();
    for source in SOURCES {
        let codes = codes(tree.text(source).unwrap_or_default());
        if codes.is_empty() {
            let what = "has no array `const CODES`; list every error code there";
            findings.push(Finding::new(source, 1, what));
        }
        for (line, code) in codes {
            let path = format!("{PAGES}{code}.md");
            if let Some(text) = tree.text(&path) {
                findings.extend(check_page(&path, code, text));
            } else {
                let what = format!("`{code}` has no page; write {path}");
                findings.push(Finding::new(source, line, what));
            }
            if known.contains(&code) {
                findings.push(Finding::new(source, line, format!("`{code}` is listed twice; keep one")));
            }
            known.push(code);
        }
    }
    for (path, _) in tree.with_ending(".md").filter(|(path, _)| path.starts_with(PAGES)) {
        let name = path.trim_start_matches(PAGES).trim_end_matches(".md");
        if !known.contains(&name) {
            let sources = SOURCES.join(" or ");
            let what =
                format!("no error has the code `{name}`; delete the page, or list the code in {sources}");
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

    const EDGE: &str = "# EDGE\n\n## What it means\nx\n\n## What to do\ny\n";

    type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [&'a str]);

    fn found(source: &str, pages: &[(&str, &str)]) -> Vec<String> {
        let mut texts = vec![(SOURCES[0], source), (SOURCES[1], "const CODES: [&str; 1] = [\"EDGE\"];")];
        texts.push(("docs/errors/EDGE.md", EDGE));
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
