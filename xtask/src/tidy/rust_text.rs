//! Just enough of Rust's grammar to count braces and find words: comments, strings and characters are
//! blanked out, so that what is left is code.

use std::ops::Range;

/// The text with everything that is not code replaced by spaces. Lines and byte offsets stay.
pub fn code_only(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = skip_non_code(bytes, at);
        for byte in &mut code[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = if end > at { end } else { skip_code(bytes, at) };
    }
    String::from_utf8_lossy(&code).into_owned()
}

pub fn is_test_file(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

/// Where the bodies of `#[cfg(test)] mod x { … }` are, with their attribute.
pub fn inline_tests(code: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    code.match_indices("#[cfg(test)]").filter_map(|(start, attribute)| {
        let item = code[start + attribute.len()..].trim_start();
        // `mod tests;` has its tests in another file.
        let body = item
            .find(['{', ';'])
            .filter(|body| item.starts_with("mod ") && item[*body..].starts_with('{'))?;
        let end = braces(code, code.len() - item.len() + body)?.end;
        Some(start..end)
    })
}

/// The code of a file without comments, texts and inline tests. Lines and byte offsets stay.
pub fn product_code(text: &str) -> String {
    let code = code_only(text);
    let mut bytes = code.clone().into_bytes();
    for tests in inline_tests(&code) {
        bytes[tests].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The name that begins at or after `from`, past spaces; empty if something else comes first.
pub fn name_at(code: &str, from: usize) -> &str {
    let rest = code[from..].trim_start();
    let end = rest.bytes().position(|byte| !is_name(byte)).unwrap_or(rest.len());
    &rest[..end]
}

/// 1 for the first line.
pub fn line_of(text: &str, offset: usize) -> usize {
    1 + text[..offset].matches('\n').count()
}

/// From the first `{` at or after `from` to behind its `}`; to the end if it is never closed.
pub fn braces(code: &str, from: usize) -> Option<Range<usize>> {
    let start = from + code[from..].find('{')?;
    let mut depth = 0_usize;
    for (offset, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(start..offset + 1);
        }
    }
    Some(start..code.len())
}

/// Where `word` stands alone, not as a part of a longer name.
pub fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let bytes = code.as_bytes();
    code.match_indices(word).map(|(offset, _)| offset).filter(move |&offset| {
        let before = offset.checked_sub(1).map(|index| bytes[index]);
        let after = bytes.get(offset + word.len()).copied();
        !before.is_some_and(is_name) && !after.is_some_and(is_name)
    })
}

pub fn is_name(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

/// Where the comment, string or character that begins at `at` ends; `at` itself if none does.
fn skip_non_code(bytes: &[u8], at: usize) -> usize {
    match &bytes[at..] {
        [b'/', b'/', ..] => at + position(&bytes[at..], b"\n"),
        [b'/', b'*', ..] => skip_block_comment(bytes, at),
        [b'"', ..] => skip_quoted(bytes, at + 1, b'"'),
        [b'b' | b'c', b'"', ..] => skip_quoted(bytes, at + 2, b'"'),
        [b'b', b'\'', ..] => skip_quoted(bytes, at + 2, b'\''),
        [b'\'', ..] => skip_character(bytes, at),
        [b'r', b'"' | b'#', ..] => skip_raw(bytes, at, at + 1),
        [b'b' | b'c', b'r', b'"' | b'#', ..] => skip_raw(bytes, at, at + 2),
        _ => at,
    }
}

/// Past a whole name, so that the `r` at the end of `for"` or of `var#` begins nothing.
fn skip_code(bytes: &[u8], at: usize) -> usize {
    let name = bytes[at..].iter().take_while(|byte| is_name(**byte)).count();
    at + name.max(1)
}

fn skip_block_comment(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0;
    let mut at = start;
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn skip_quoted(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// `'a'`, `'\n'` and `'é'` are characters; `'a` and `'static` are lifetimes, which are code.
fn skip_character(bytes: &[u8], at: usize) -> usize {
    match &bytes[at + 1..] {
        [b'\\', ..] => skip_quoted(bytes, at + 1, b'\''),
        [first, rest @ ..] => {
            let more =
                if first.is_ascii() { 0 } else { rest.iter().take_while(|b| **b & 0xc0 == 0x80).count() };
            if rest.get(more) == Some(&b'\'') { at + 3 + more } else { at }
        }
        [] => at,
    }
}

/// `hashes` is where the `#`s begin; `r#name` is a name, not a string.
fn skip_raw(bytes: &[u8], at: usize, hashes: usize) -> usize {
    let count = bytes[hashes..].iter().take_while(|byte| **byte == b'#').count();
    if bytes.get(hashes + count) != Some(&b'"') {
        return at;
    }
    let begin = hashes + count + 1;
    let close = format!("\"{}", "#".repeat(count));
    (begin + position(&bytes[begin..], close.as_bytes()) + close.len()).min(bytes.len())
}

/// The whole length if it is not there.
fn position(bytes: &[u8], wanted: &[u8]) -> usize {
    bytes.windows(wanted.len()).position(|window| window == wanted).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_what_is_not_code() {
        let rows = [
            ("line comment", "a // {\nb", "a     \nb"),
            ("nested comment", "a/*{/*}*/{*/b", "a           b"),
            ("string", r#"f("{\"{")"#, "f(      )"),
            ("byte string", r#"f(b"{")"#, "f(    )"),
            ("raw string", r##"f(r#"{"{"#)"##, "f(        )"),
            ("character", "m('{', '\\'', 'é')", "m(   ,     ,     )"),
            ("byte", "m(b'{')", "m(    )"),
            ("lifetime", "fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
            ("raw name", "r#fn {}", "r#fn {}"),
            ("name before a quote", "writer\"{\"", "writer   "),
            ("never closed", "a \"{", "a   "),
        ];
        for (name, text, code) in rows {
            assert_eq!(code_only(text), code, "{name}");
        }
    }

    #[test]
    fn finds_braces() {
        assert_eq!(braces("ab {c{}{d}} }", 0), Some(3..11));
        assert_eq!(braces("ab {c", 0), Some(3..5));
        assert_eq!(braces("ab", 0), None);
    }

    #[test]
    fn finds_words() {
        assert_eq!(words("Map HashMap Map_ ::Map<", "Map").collect::<Vec<_>>(), [0, 19]);
    }

    #[test]
    fn counts_lines_from_one() {
        assert_eq!((line_of("a\nb", 0), line_of("a\nb", 1), line_of("a\nb", 2)), (1, 1, 2));
    }
}
