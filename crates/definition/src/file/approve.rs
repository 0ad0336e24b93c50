//! `approve`: a person lets the run go on, or stops it here.

use mainspring_core::wait::TIMEOUT_MAX;
use serde_json::{Map, Value as Json};

use super::at::At;
use super::texts::Texts;
use super::tree::Value;
use crate::limits::APPROVERS_MAX;

pub const FIELDS: &[&str] = &["by", "message", "timeout", "on_timeout"];
const ON_TIMEOUT: [(&str, &str); 4] =
    [("fail", "fail"), ("skip", "skip"), ("approve", "approve"), ("reject", "reject")];

/// A name, several, or an object with more. The server itself waits for the word.
pub fn approve(at: &At<'_>, texts: &mut Texts<'_>) -> Option<(&'static str, Json)> {
    let mut payload = Map::new();
    let mut approval = Map::new();
    match &at.node.value {
        Value::Map(_) => {
            let fields = at.fields(FIELDS, texts.mistakes)?;
            if let Some(at) = fields.get("by") {
                approval.insert("by".to_owned(), by(at, texts));
            }
            let message = fields.get("message").and_then(|at| texts.text(at));
            approval.extend(message.map(|text| ("message".to_owned(), Json::String(text))));
            if let Some(at) = fields.get("timeout")
                && let Some(span) = at.duration(texts.mistakes)
            {
                if span.get() == 0 || span > TIMEOUT_MAX {
                    let help = format!("from 1 ms to {TIMEOUT_MAX}");
                    at.bad(format!("`timeout` cannot be {span}"), &help, texts.mistakes);
                }
                payload.insert("timeout_ms".to_owned(), Json::from(span.get()));
            }
            let late = fields.read("on_timeout", texts.mistakes, |at, m| at.one_of(&ON_TIMEOUT, m));
            payload.extend(late.map(|word| ("on_timeout".to_owned(), Json::from(word))));
        }
        _ => {
            approval.insert("by".to_owned(), by(at, texts));
        }
    }
    payload.insert("approval".to_owned(), Json::Object(approval));
    Some(("wait", Json::Object(payload)))
}

fn by(at: &At<'_>, texts: &mut Texts<'_>) -> Json {
    let names = at.list_or_one(APPROVERS_MAX, texts.mistakes);
    if names.is_empty() {
        at.bad(
            "nobody could approve it",
            "name who may, or leave `by` out: anybody may then",
            texts.mistakes,
        );
    }
    Json::Array(names.iter().filter_map(|at| texts.text(at)).map(Json::String).collect())
}
