//! What callers build on: operations, fields and types of the `OpenAPI` document and of the protos, against a list of what
//! was promised (`crates/api/contract.txt`).
//! - KP-1 what was promised stays: an operation, a parameter, a field with its type, a value of an enum
//! - KP-2 what was optional for callers is not required later
//! - KP-3 what is new needs nobody's leave
//!
//! Entry: [`broken`], [`accept`]. A promise that is broken on purpose is accepted with `cargo xtask contract --accept`.

mod openapi;
mod proto;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

const DOCUMENT: &str = "crates/api/src/docs/openapi.json";
const PROTOS: &str = "crates/proto/proto/mainspring/v1";
pub const PROMISED: &str = "crates/api/contract.txt";
/// Begins a line that says what callers must give.
const REQUIRES: &str = "requires ";

/// One line a fact, so that a difference can be read.
type Facts = BTreeSet<String>;

/// What is promised and no longer holds, one line each.
pub fn broken(root: &Path) -> Result<Vec<String>> {
    let path = root.join(PROMISED);
    let promised = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let promised = promised.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(compare(&promised.map(str::to_owned).collect(), &facts(root)?))
}

/// Takes what there is now as promised.
pub fn accept(root: &Path) -> Result<()> {
    let mut text =
        "# Written by `cargo xtask contract --accept`: what callers of the API can build on.\n".to_owned();
    for fact in facts(root)? {
        text.push_str(&fact);
        text.push('\n');
    }
    fs::write(root.join(PROMISED), text).context("cannot write what is promised")
}

fn facts(root: &Path) -> Result<Facts> {
    let document =
        fs::read_to_string(root.join(DOCUMENT)).with_context(|| format!("cannot read {DOCUMENT}"))?;
    let mut facts = openapi::facts(&serde_json::from_str(&document).context(DOCUMENT)?);
    for entry in fs::read_dir(root.join(PROTOS)).with_context(|| format!("cannot list {PROTOS}"))? {
        facts.extend(proto::facts(&fs::read_to_string(entry?.path())?));
    }
    Ok(facts)
}

fn compare(promised: &Facts, present: &Facts) -> Vec<String> {
    let gone = promised.difference(present).filter(|fact| !fact.starts_with(REQUIRES));
    let gone = gone.map(|fact| format!("removed or changed: {fact}"));
    let asked = present.difference(promised).filter_map(|fact| {
        let subject = fact.strip_prefix(REQUIRES)?.split(' ').next()?;
        // What is new as a whole may ask for anything.
        let known = promised.iter().any(|old| old.split(' ').nth(1) == Some(subject));
        known.then(|| format!("newly required: {fact}"))
    });
    gone.chain(asked).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(promised: &[&str], present: &[&str], expected: &[&str]) {
        let facts = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        assert_eq!(compare(&facts(promised), &facts(present)), expected);
    }

    #[test]
    fn what_was_promised_stays_and_what_is_new_passes() {
        check(&["operation a"], &["operation a", "operation b", "requires b body"], &[]);
        check(&["operation a", "operation b"], &["operation a"], &["removed or changed: operation b"]);
        check(&["field T x string"], &["field T x integer"], &["removed or changed: field T x string"]);
        check(
            &["field T x string"],
            &["field T x string", "requires T x"],
            &["newly required: requires T x"],
        );
        check(&["field T x string", "requires T x"], &["field T x string"], &[]);
    }

    #[test]
    fn this_tree_keeps_its_promises() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the root");
        let broken = broken(root).expect("it can be checked");
        assert!(broken.is_empty(), "{broken:#?}\nif that is wanted: cargo xtask contract --accept");
    }
}
