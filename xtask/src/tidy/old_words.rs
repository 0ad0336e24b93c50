//! Words that people saw once and that have another name now: one thing has one name in every interface.
//! The changelog and the decisions tell of the past and may use them.

use super::Finding;
use super::tree::Tree;

/// The old word, and the one to write instead.
const WORDS: [(&str, &str); 10] = [
    (concat!("io.", "mainspring."), "`mainspring.`: types of events have one form"),
    (concat!("/v1/", "processes"), "`/v1/operations`"),
    (concat!("process", "_id"), "`operation_id`"),
    (concat!("TASK", "_STATUS_"), "`TASK_STATE_`"),
    (concat!("RUN", "_STATUS_"), "`RUN_STATE_`"),
    (concat!("any", "way: {"), "`fallback:`"),
    (concat!("occur", "rences"), "`windows`"),
    (concat!("Occur", "rence"), "`Window`"),
    (concat!("\"lo", "ok\""), "`poll`"),
    (
        concat!("is ", "canceled"),
        "`cancelled`: only `canceled_at` and `CANCELED` of the timer contract have one l",
    ),
];
const ENDINGS: [&str; 8] = [".rs", ".md", ".proto", ".yaml", ".json", ".py", ".ts", ".tsx"];
const PAST: [&str; 2] = ["CHANGELOG.md", "docs/decisions/"];
/// A task of an example may have any name, and a test may give any reason.
const OTHER_MEANING: [(&str, &str); 1] = [("crates/mainspring/tests/log_format.rs", concat!("\"lo", "ok\""))];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let texts = ENDINGS.into_iter().flat_map(|ending| tree.with_ending(ending));
    let present = texts.filter(|(path, _)| !PAST.iter().any(|past| path.starts_with(past)));
    present.flat_map(|(path, text)| check_file(path, text)).collect()
}

fn check_file(path: &str, text: &str) -> Vec<Finding> {
    let means_another = |word: &str| OTHER_MEANING.contains(&(path, word));
    let words = || WORDS.into_iter().filter(|(word, _)| !means_another(word));
    let lines = text.lines().enumerate();
    let found = lines.flat_map(|(at, line)| {
        let here = words().filter(|(word, _)| line.contains(word));
        here.map(move |(word, now)| Finding::new(path, at + 1, format!("`{word}` was renamed; write {now}")))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_word_is_found_where_it_stands_and_the_past_may_use_it() {
        let old = format!("fine\nGET {}/7\n", WORDS[1].0);
        let texts = [
            ("docs/a.md", old.as_str()),
            ("CHANGELOG.md", old.as_str()),
            ("docs/decisions/1.md", old.as_str()),
        ];
        let found = check(&Tree::of(&texts));
        assert_eq!(
            found.iter().map(|one| (one.path.as_str(), one.line)).collect::<Vec<_>>(),
            [("docs/a.md", 2)]
        );
    }
}
