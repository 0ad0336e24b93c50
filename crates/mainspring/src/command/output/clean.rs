//! Text of tasks and people, made safe for a terminal.

/// What a task wrote must not steer the terminal: its escape sequences are left out, and other control characters are
/// spaces.
pub(crate) fn plain(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut left = text.chars().peekable();
    while let Some(c) = left.next() {
        match c {
            '\u{1b}' => skip_sequence(&mut left),
            '\u{9b}' => skip_until_final(&mut left),
            '\t' => clean.push('\t'),
            c if c.is_control() || is_direction(c) => clean.push(' '),
            c => clean.push(c),
        }
    }
    clean
}

/// Characters of an error in one line, and up to which none of its lines is left out.
const BRIEF_CHARS: usize = 160;
const WHOLE_CHARS: usize = 100;

/// An error in one line. Those of processes hold the end of the log: of a long one the first line stays and the last,
/// which usually says most.
pub(crate) fn brief(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let whole = lines.join(" · ");
    let line = match lines.as_slice() {
        [first, _, .., last] if whole.chars().count() > WHOLE_CHARS => format!("{first} · … · {last}"),
        _ => whole,
    };
    super::cut(&plain(&line), BRIEF_CHARS)
}

/// `ESC [ … letter`, `ESC ] … BEL`, or `ESC` and one character.
fn skip_sequence(left: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match left.next() {
        Some('[') => skip_until_final(left),
        Some(']' | 'P' | '_' | '^' | 'X') => {
            while let Some(c) = left.next() {
                if c == '\u{7}' || c == '\u{1b}' && left.next_if_eq(&'\\').is_some() {
                    return;
                }
            }
        }
        Some(_) | None => {}
    }
}

fn skip_until_final(left: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while left.next_if(|c| ('\u{20}'..='\u{3f}').contains(c)).is_some() {}
    left.next_if(|c| ('\u{40}'..='\u{7e}').contains(c));
}

/// Marks that turn the direction of what follows can make text look like another one.
const fn is_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_many_lines_is_one() {
        let rows = [
            ("", ""),
            ("no route", "no route"),
            ("code 3\noops\n", "code 3 · oops"),
            ("code 3\n\na\nb", "code 3 · a · b"),
        ];
        for (text, line) in rows {
            assert_eq!(brief(text), line);
        }
        let traced = format!("code 3\n{}KeyError: 'x'", "  File x.py, line 3\n".repeat(20));
        assert_eq!(brief(&traced), "code 3 · … · KeyError: 'x'");
        let long = brief(&"word ".repeat(100));
        assert!(long.chars().count() <= BRIEF_CHARS && long.ends_with('…'), "{long}");
    }

    #[test]
    fn nothing_reaches_the_terminal_but_text() {
        let rows = [
            ("plain größe\tx", "plain größe\tx"),
            ("a\u{1b}[31mred\u{1b}[0m", "ared"),
            ("a\u{1b}]0;title\u{7}b", "ab"),
            ("a\u{1b}]8;;http://x\u{1b}\\link", "alink"),
            ("a\u{9b}2Jb", "ab"),
            ("a\rb\u{0}c", "a b c"),
            ("a\u{202e}b", "a b"),
            ("cut\u{1b}", "cut"),
            ("cut\u{1b}[3", "cut"),
        ];
        for (text, shown) in rows {
            assert_eq!(plain(text), shown, "{text:?}");
        }
    }
}
