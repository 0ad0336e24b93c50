//! `wait`: for a time, a run, an address or a file, without holding a place on a worker.

use mainspring_core::wait::TIMEOUT_MAX;
use serde_json::{Map, Value as Json};

use super::at::{At, Fields};
use super::texts::Texts;
use super::work::call;
use crate::mistake::Code;

const WAIT: &[&str] = &["for", "until", "run", "event", "http", "file", "every", "timeout", "on_timeout"];
const KINDS: [&str; 6] = ["for", "until", "run", "event", "http", "file"];
const OF_EVENT: &[&str] = &["type", "source", "subject", "if"];
const OF_ADDRESS: &[&str] =
    &["url", "method", "headers", "body", "timeout", "timeout_ms", "status", "contains"];
const OF_FILE: &[&str] = &["path", "min_bytes"];
const STATUSES_MAX: usize = 20;
/// Shortest pause between two polls.
const EVERY_MIN_MS: u64 = 1_000;

/// The executor and its payload: the server itself waits for times and runs, workers poll for addresses and files.
pub fn wait(at: &At<'_>, texts: &mut Texts<'_>) -> Option<(&'static str, Json)> {
    let fields = at.fields(WAIT, texts.mistakes)?;
    let given: Vec<&str> = KINDS.into_iter().filter(|kind| fields.named(kind).is_some()).collect();
    let [kind] = given[..] else {
        let what = match given[..] {
            [] => "it does not say what to wait for".to_owned(),
            _ => format!("`{}` and `{}` are two things to wait for", given[0], given[1]),
        };
        let help = format!("give one of: {}", KINDS.join(", "));
        texts.mistakes.add(Code::MissingField, &at.spot, what, help);
        return None;
    };
    let polls = matches!(kind, "http" | "file");
    let mut payload = what(kind, &fields, texts)?;
    for (name, key, least) in [("every", "every_ms", EVERY_MIN_MS), ("timeout", "timeout_ms", 1)] {
        let Some(entry) = fields.named(name) else { continue };
        if name == "every" && !polls {
            let why = format!("`every` belongs to `http` and `file`: nobody polls for `{kind}`");
            texts.mistakes.add(Code::Unsupported, &entry.key, why, "leave it out");
            continue;
        }
        let Some(span) = entry.value.duration(texts.mistakes) else { continue };
        if span.get() < least || span > TIMEOUT_MAX {
            let help = format!("from {least} ms to {TIMEOUT_MAX}");
            entry.value.bad(format!("`{name}` cannot be {span}"), &help, texts.mistakes);
            continue;
        }
        payload.insert(key.to_owned(), Json::from(span.get()));
    }
    if let Some(entry) = fields.named("on_timeout") {
        if polls {
            let why = format!("`on_timeout` does not work together with `{kind}`, which fails");
            texts.mistakes.add(Code::Unsupported, &entry.key, why, "leave it out");
        } else if let Some(word) = entry.value.one_of(&[("fail", "fail"), ("skip", "skip")], texts.mistakes) {
            payload.insert("on_timeout".to_owned(), Json::from(word));
        }
    }
    Some((if polls { "poll" } else { "wait" }, Json::Object(payload)))
}

fn what(kind: &str, fields: &Fields<'_>, texts: &mut Texts<'_>) -> Option<Map<String, Json>> {
    let at = fields.get(kind)?;
    let (name, value) = match kind {
        "for" => {
            let span = at.duration(texts.mistakes)?;
            if span > TIMEOUT_MAX {
                at.bad(format!("{span} is more than {TIMEOUT_MAX}"), "", texts.mistakes);
            }
            ("for_ms", Json::from(span.get()))
        }
        "until" => ("until", Json::String(texts.text(at)?)),
        "run" => ("run", Json::String(texts.text(at)?)),
        "event" => ("event", Json::Object(event(at, texts)?)),
        "http" => ("http", Json::Object(address(at, texts)?)),
        _ => ("file", Json::Object(file(at, texts)?)),
    };
    Some([(name.to_owned(), value)].into_iter().collect())
}

/// The condition is a text here: it is an expression over the event that comes, with what a template put into it.
fn event(at: &At<'_>, texts: &mut Texts<'_>) -> Option<Map<String, Json>> {
    let fields = at.fields(OF_EVENT, texts.mistakes)?;
    if fields.get("type").is_none() {
        texts.mistakes.add(Code::MissingField, &at.spot, "`event` needs a `type`", "");
    }
    let text = |name: &&str, texts: &mut Texts<'_>| {
        Some(((*name).to_owned(), Json::String(texts.text(fields.get(name)?)?)))
    };
    Some(OF_EVENT.iter().filter_map(|name| text(name, texts)).collect())
}

fn address(at: &At<'_>, texts: &mut Texts<'_>) -> Option<Map<String, Json>> {
    let fields = at.fields(OF_ADDRESS, texts.mistakes)?;
    let mut payload = call(at, &fields, texts)?;
    if let Some(at) = fields.get("status") {
        let items = at.list_or_one(STATUSES_MAX, texts.mistakes);
        let statuses: Vec<u64> =
            items.iter().filter_map(|item| item.whole(100, 599, texts.mistakes)).collect();
        payload.insert("status".to_owned(), Json::from(statuses));
    }
    let contains = fields.get("contains").and_then(|at| texts.text(at));
    payload.extend(contains.map(|text| ("contains".to_owned(), Json::String(text))));
    Some(payload)
}

fn file(at: &At<'_>, texts: &mut Texts<'_>) -> Option<Map<String, Json>> {
    let fields = at.fields(OF_FILE, texts.mistakes)?;
    let Some(path) = fields.get("path") else {
        texts.mistakes.add(Code::MissingField, &at.spot, "`file` needs a `path`", "");
        return None;
    };
    let text = texts.text(path)?;
    if !["/", "{{"].iter().any(|start| text.starts_with(start)) {
        path.bad("the path is not absolute", "begin it with `/`", texts.mistakes);
    }
    let mut payload: Map<String, Json> = [("path".to_owned(), Json::String(text))].into_iter().collect();
    let least = fields.read("min_bytes", texts.mistakes, At::size);
    payload.extend(least.map(|bytes| ("min_bytes".to_owned(), Json::from(bytes))));
    Some(payload)
}
