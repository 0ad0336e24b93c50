//! Hostile bytes: whatever comes in, a plan or mistakes come out, and evaluation ends.

use mainspring_definition::expression::{Context, Document, Expression, Kind, Payload, Template};
use mainspring_definition::limits::RESULT_BYTES_MAX;
use mainspring_definition::{Options, read};
use proptest::prelude::*;

const FULL: &str = include_str!("full.yaml");

/// Pieces from which nearly right texts are made.
const PIECES: [&str; 40] = [
    "params",
    ".",
    "a",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "'",
    "\"",
    "\\",
    "|",
    "~",
    "+",
    "-",
    "*",
    "**",
    "/",
    "//",
    "%",
    " and ",
    " or ",
    " not ",
    " in ",
    " is ",
    " if ",
    " else ",
    "==",
    "<",
    ",",
    ":",
    "1",
    "9999999999",
    "0.1",
    "join",
    "replace('a', 'aa')",
    "tasks.x.output",
    "{{",
    "}}",
];

fn context() -> Context {
    let params = br#"{"a": "xxxxxxxxxx", "l": [1, [2, "a"]], "n": null}"#;
    Context::new(Document::new(params.to_vec().into()))
}

fn try_all(source: &str) {
    if let Ok(expression) = Expression::parse(source) {
        let _ = expression.condition(&context());
        let _ = expression.list(&context());
        if let Ok(text) = expression.text(&context()) {
            assert!(text.len() <= 2 * RESULT_BYTES_MAX);
        }
    }
    if let Ok(template) = Template::parse(source) {
        let _ = template.render(&context());
    }
    let payload = serde_json::json!({"argv": [source, source], "shell": true});
    if let Ok(payload) = Payload::parse(Kind::Process, payload.to_string().as_bytes()) {
        let _ = payload.render(&context());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_text_is_read_or_refused(text in ".{0,200}") {
        let _ = read("x", &text, &Options::default());
        try_all(&text);
    }

    #[test]
    fn random_expressions_end(pieces in prop::collection::vec(0..PIECES.len(), 0..60)) {
        let source: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
        try_all(&source);
    }

    #[test]
    fn mutated_jobs_are_read_or_refused(edits in prop::collection::vec((0..FULL.len(), 0..5_u8, any::<char>()), 1..8)) {
        let mut text: Vec<char> = FULL.chars().collect();
        for (place, kind, sign) in edits {
            text.push('\n');
            let place = place % text.len();
            match kind {
                0 => text.insert(place, sign),
                1 => drop(text.remove(place)),
                2 => text[place] = sign,
                3 => text.truncate(place.max(1)),
                _ => {
                    let end = (place + 40).min(text.len());
                    let part: Vec<char> = text[place..end].to_vec();
                    text.splice(place..place, part);
                }
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(jobs) = read("x", &text, &Options::default()) {
            for job in jobs {
                let canonical = String::from_utf8_lossy(&job.source).into_owned();
                let again = read("x", &canonical, &Options::default());
                prop_assert_eq!(again.map(|mut jobs| jobs.remove(0)), Ok(job));
            }
        }
    }
}
