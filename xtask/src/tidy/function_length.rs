//! Functions are short: 70 lines from `fn` to the closing brace, dispatch too.

use super::exceptions::{LENGTH, Measure};
use super::rust_text::{braces, code_only, is_name, line_of, words};
use super::tree::Tree;

const LINES_MAX: usize = 70;

pub fn measure(tree: &Tree) -> Vec<Measure> {
    tree.with_ending(".rs").flat_map(|(path, text)| measure_file(path, text)).collect()
}

fn measure_file(path: &str, text: &str) -> Vec<Measure> {
    let code = code_only(text);
    let measure = |start| {
        let name = name_after(&code, start)?;
        let end = braces(&code, body_of(&code, start)?)?.end;
        let line = line_of(&code, start);
        let size = line_of(&code, end - 1) - line + 1;
        Some(Measure {
            rule: &LENGTH,
            place: path.to_owned(),
            path: path.to_owned(),
            line,
            what: format!("fn:{name}"),
            size,
            max: LINES_MAX,
        })
    };
    words(&code, "fn").filter_map(measure).collect()
}

/// None for the type `fn(…)`.
fn name_after(code: &str, start: usize) -> Option<&str> {
    let rest = code[start + 2..].trim_start();
    let end = rest.bytes().position(|byte| !is_name(byte)).unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

/// The `{` that ends the signature; none if a `;` ends it, as in a trait.
fn body_of(code: &str, start: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (offset, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'{' if depth == 0 => return Some(offset),
            b';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_each_function() {
        type Row = (&'static str, &'static str, &'static [(&'static str, usize)]);
        let rows: [Row; 7] = [
            ("one line", "fn a() {}", &[("fn:a", 1)]),
            ("braces in text", "fn a() {\n\"}\"; '}'; // }\n}", &[("fn:a", 3)]),
            ("signature of lines", "pub fn a(\n x: [u8; 4],\n) -> u8\n{\n 1\n}", &[("fn:a", 6)]),
            ("two", "fn a() {\n}\nfn b() {\n\n}", &[("fn:a", 2), ("fn:b", 3)]),
            ("inner", "fn a() {\nfn b() {}\n}", &[("fn:a", 3), ("fn:b", 1)]),
            ("in a trait", "trait T {\nfn a();\nfn b() {\n}\n}", &[("fn:b", 2)]),
            ("types and names", "type F = fn(u8); struct S { fn_a: u8 }\n#[fn] mod m {}", &[]),
        ];
        for (name, text, wanted) in rows {
            let measures = measure_file("a.rs", text);
            let found: Vec<_> =
                measures.iter().map(|measure| (measure.what.as_str(), measure.size)).collect();
            assert_eq!(found, wanted, "{name}");
        }
    }
}
