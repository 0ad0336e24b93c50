//! Prose in lines that fit a terminal.

/// Lines of at most `width` characters where words allow it; all but the first are indented so far.
pub(super) fn fold(text: &str, width: usize, indent: usize) -> Vec<String> {
    if text.chars().count() <= width {
        return vec![text.to_owned()];
    }
    let mut lines = Vec::new();
    let first = text.len() - text.trim_start_matches(' ').len();
    let mut line = " ".repeat(first);
    let mut is_empty = true;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn lines_end_between_words() {
        let text = "  ended: it has ended as failed";
        assert_eq!(fold(text, 20, 4), ["  ended: it has", "    ended as failed"]);
        assert_eq!(fold("run_1  failed", 80, 4), ["run_1  failed"], "what fits stays as it is");
        assert_eq!(
            fold("a task_0123456789 b", 6, 2),
            ["a", "  task_0123456789", "  b"],
            "an id is never cut"
        );
        assert_eq!(fold("", 6, 2), [""]);
    }
}
