//! An invariant has one number in the whole repository, so that a number in a message leads to one sentence.
//! A definition is a line `//! - XX-1 text` of a module's documentation, or what follows `; ` in such a line or in
//! the lines that continue it (`//! - XX-1 text; XX-2 text`). Numbers of the simulator's list are `I` and digits.
//! Every other number is a reference.

use std::collections::BTreeMap;

use super::exceptions::{Measure, Rule};
use super::tree::Tree;

const ONCE: Rule = Rule { unit: "definitions", advice: "give one of them another number" };

/// Each number that is defined more than once, at its last place.
pub fn measure(tree: &Tree) -> Vec<Measure> {
    let mut places: BTreeMap<String, Vec<(&str, usize)>> = BTreeMap::new();
    for (path, text) in tree.with_ending(".rs") {
        for (number, line) in definitions(text) {
            places.entry(number).or_default().push((path, line));
        }
    }
    let measure = |(number, places): (String, Vec<(&str, usize)>)| {
        let (place, line) = places.last().copied()?;
        let (what, path) = (format!("invariant:{number}"), "crates/".to_owned());
        Some(Measure { rule: &ONCE, place: place.to_owned(), path, line, what, size: places.len(), max: 1 })
    };
    places.into_iter().filter_map(measure).filter(|measure| measure.size > 1).collect()
}

fn definitions(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut in_list = false;
    for (index, line) in text.lines().enumerate() {
        let Some(doc) = line.strip_prefix("//!") else { break };
        if let Some(item) = doc.strip_prefix(" - ") {
            in_list = leading_number(item).is_some();
            found.extend(leading_number(item).map(|number| (number.to_owned(), index + 1)));
        } else {
            in_list &= doc.starts_with("   ");
        }
        if in_list {
            let more = doc.split("; ").skip(1).filter_map(leading_number);
            found.extend(more.map(|number| (number.to_owned(), index + 1)));
        }
    }
    found
}

/// `XX-1` or `I1`, followed by a space.
fn leading_number(text: &str) -> Option<&str> {
    let (word, _) = text.split_once(' ')?;
    let digits = match word.split_once('-') {
        Some((letters, digits)) => {
            let short = (2..=3).contains(&letters.len()) && letters.bytes().all(|b| b.is_ascii_uppercase());
            short.then_some(digits)?
        }
        None => word.strip_prefix('I')?,
    };
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_definitions_not_references() {
        let rows: [(&str, &str, &[&str]); 7] = [
            ("two lines", "//! Role.\n//! - AB-1 x\n//! - AB-2 y", &["AB-1", "AB-2"]),
            ("one line", "//! - AB-1 x; AB-2 y", &["AB-1", "AB-2"]),
            ("continued", "//! - I31 an event\n//!   once; I32 a window", &["I31", "I32"]),
            ("references", "//! Keeps AB-1; AB-2 too\n//! - AB-3 as AB-1 (AB-2) says", &["AB-3"]),
            ("no list any more", "//! - AB-1 x\n//! Not here: y; AB-2 z", &["AB-1"]),
            ("no number", "//! - a-1 x\n//! - A-1 x\n//! - UTF-x y\n//! - In a run", &[]),
            ("not at the top", "use x;\n//! - AB-1 x", &[]),
        ];
        for (name, text, wanted) in rows {
            let found: Vec<String> = definitions(text).into_iter().map(|(number, _)| number).collect();
            assert_eq!(found, wanted, "{name}");
        }
    }

    #[test]
    fn a_number_defined_twice_is_found() {
        let texts = [("crates/a/src/lib.rs", "//! - AB-1 x"), ("crates/b/src/c.rs", "//! x\n//! - AB-1 y")];
        let measures = measure(&Tree::of(&texts));
        assert_eq!(measures.len(), 1);
        assert_eq!((measures[0].what.as_str(), measures[0].line, measures[0].size), ("invariant:AB-1", 2, 2));
        assert_eq!(measure(&Tree::of(&texts[..1])), []);
    }
}
