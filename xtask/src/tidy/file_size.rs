//! Files are short: 400 lines without their tests, and 800 in any case.

use std::ops::Range;

use super::exceptions::{LENGTH, Measure};
use super::rust_text::{code_only, inline_tests, is_test_file, line_of};
use super::tree::Tree;

/// STYLE: few files above this without their tests.
const LINES_MAX: usize = 400;
/// Files of tests, and any file with its tests.
const LINES_WITH_TESTS_MAX: usize = 800;

pub fn measure(tree: &Tree) -> Vec<Measure> {
    tree.with_ending(".rs").filter_map(|(path, text)| measure_file(path, text)).collect()
}

fn measure_file(path: &str, text: &str) -> Option<Measure> {
    let all = text.lines().count();
    let own = all - lines_of_tests(text);
    let measure = |size, max| Measure {
        rule: &LENGTH,
        place: path.to_owned(),
        path: path.to_owned(),
        line: 1,
        what: "file".into(),
        size,
        max,
    };
    if all > LINES_WITH_TESTS_MAX {
        return Some(measure(all, LINES_WITH_TESTS_MAX));
    }
    (!is_test_file(path) && own > LINES_MAX).then(|| measure(own, LINES_MAX))
}

fn lines_of_tests(text: &str) -> usize {
    let code = code_only(text);
    let lines = |tests: Range<usize>| line_of(&code, tests.end - 1) - line_of(&code, tests.start) + 1;
    inline_tests(&code).map(lines).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_without_inline_tests() {
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "    // {\n".repeat(350));
        let rows = [
            ("at the cap", "a.rs", "x\n".repeat(400), None),
            ("over the cap", "a.rs", "x\n".repeat(401), Some((401, 400))),
            ("with tests", "a.rs", "x\n".repeat(400) + &tests, None),
            ("tests elsewhere", "a.rs", "x;\n".repeat(399) + "#[cfg(test)]\nmod tests;\n", Some((401, 400))),
            ("too long with tests", "a.rs", "x\n".repeat(450) + &tests, Some((803, 800))),
            ("a file of tests", "src/tests.rs", "x\n".repeat(800), None),
            ("in a folder of tests", "src/tests/a.rs", "x\n".repeat(801), Some((801, 800))),
        ];
        for (name, path, text, wanted) in rows {
            let found = measure_file(path, &text).map(|measure| (measure.size, measure.max));
            assert_eq!(found, wanted, "{name}");
        }
    }
}
