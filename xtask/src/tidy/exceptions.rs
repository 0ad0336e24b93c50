//! What breaks a rule today, and may only become less.
//! A line of the list: `path what size`, where `what` is `file`, `fn:name`, `uses:module`, `type:name` or
//! `invariant:number`.

use std::collections::BTreeMap;

use super::Finding;

pub const PATH: &str = "xtask/tidy-exceptions.txt";

/// What a rule counts, and what to do about too many.
#[derive(PartialEq, Eq, Debug)]
pub struct Rule {
    pub unit: &'static str,
    pub advice: &'static str,
}

pub const LENGTH: Rule = Rule { unit: "lines", advice: "split it" };

/// The size of one thing, and what it may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measure {
    pub rule: &'static Rule,
    /// The file to look at; `path` is what the exception names.
    pub place: String,
    pub path: String,
    pub line: usize,
    pub what: String,
    pub size: usize,
    pub max: usize,
}

pub fn check(measures: Vec<Measure>, list: &str) -> Vec<Finding> {
    let mut too_large = BTreeMap::new();
    for measure in measures.into_iter().filter(|measure| measure.size > measure.max) {
        let key = (measure.path.clone(), measure.what.clone());
        // Functions of one file can share a name: the longest counts.
        let largest = too_large.entry(key).or_insert_with(|| measure.clone());
        if measure.size > largest.size {
            *largest = measure;
        }
    }
    let mut findings = Vec::new();
    for (index, line) in list.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        findings.extend(check_exception(index + 1, line, &mut too_large));
    }
    findings.extend(too_large.into_values().map(|measure| {
        let Measure { rule: Rule { unit, advice }, place, line, what, size, max, .. } = measure;
        Finding::new(&place, line, format!("`{what}` has {size} {unit} of at most {max}; {advice}"))
    }));
    findings
}

/// Takes what the exception allows out of `too_large`.
fn check_exception(
    number: usize,
    line: &str,
    too_large: &mut BTreeMap<(String, String), Measure>,
) -> Option<Finding> {
    let wrong = |what: String| Some(Finding::new(PATH, number, what));
    let [path, what, size] = line.split_whitespace().collect::<Vec<_>>()[..] else {
        return wrong("not an exception; write `path what size`".into());
    };
    let Ok(allowed) = size.parse::<usize>() else {
        return wrong(format!("`{size}` is not a size; write a number"));
    };
    let Some(measure) = too_large.remove(&(path.to_owned(), what.to_owned())) else {
        return wrong(format!("`{what}` in {path} is not too large or not there; delete this line"));
    };
    let Rule { unit, advice } = measure.rule;
    match measure.size {
        size if size > allowed => Some(Finding::new(
            &measure.place,
            measure.line,
            format!("`{what}` grew from {allowed} to {size} {unit}; {advice}, an exception may only shrink"),
        )),
        size if size < allowed => wrong(format!("`{what}` in {path} has shrunk; lower {allowed} to {size}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(size: usize, list: &str) -> Vec<String> {
        let measure = Measure {
            rule: &LENGTH,
            place: "a.rs".into(),
            path: "a.rs".into(),
            line: 7,
            what: "fn:f".into(),
            size,
            max: 70,
        };
        check(vec![measure], list).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_exception_fits_exactly_or_is_a_finding() {
        let path = PATH;
        let rows = [
            ("small enough", 70, "", String::new()),
            ("too large", 71, "", "a.rs:7: `fn:f` has 71 lines of at most 70; split it".into()),
            ("excepted", 90, "# reason\n\na.rs fn:f 90", String::new()),
            (
                "grown",
                91,
                "a.rs fn:f 90",
                "a.rs:7: `fn:f` grew from 90 to 91 lines; split it, an exception may only shrink".into(),
            ),
            ("shrunk", 80, "a.rs fn:f 90", format!("{path}:1: `fn:f` in a.rs has shrunk; lower 90 to 80")),
            (
                "no longer needed",
                70,
                "a.rs fn:f 90",
                format!("{path}:1: `fn:f` in a.rs is not too large or not there; delete this line"),
            ),
            ("no size", 70, "a.rs fn:f x", format!("{path}:1: `x` is not a size; write a number")),
            ("half a line", 70, "a.rs", format!("{path}:1: not an exception; write `path what size`")),
        ];
        for (name, size, list, finding) in rows {
            assert_eq!(found(size, list).join("\n"), finding, "{name}");
        }
    }

    #[test]
    fn the_longest_of_one_name_counts() {
        let sizes = [75, 90, 80];
        let measures = sizes.map(|size| Measure {
            rule: &LENGTH,
            place: "a.rs".into(),
            path: "a.rs".into(),
            line: size,
            what: "fn:new".into(),
            size,
            max: 70,
        });
        assert_eq!(check(measures.to_vec(), "a.rs fn:new 90"), []);
    }
}
