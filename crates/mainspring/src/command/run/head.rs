//! What stands above the tasks of a run: how it stands, what started it and with what, and who did what with it.

use serde_json::{Map, Value};

use super::super::connect::Print;
use super::super::output::{brief, cut, moment, plain, to_the_minute};
use super::text;
use super::tree::{counts, took};

/// Notes that are shown, the newest; `-o json` has all.
const NOTES_MAX: usize = 10;
/// Of a parameter or a label; `-o json` has all of it.
const VALUE_CHARS: usize = 80;

pub(super) fn lines(print: Print, run: &Value) -> Vec<String> {
    let mut lines = standing(print, run);
    for (name, fields) in [("parameters", run.get("parameters")), ("labels", run.get("labels"))] {
        let fields = fields.and_then(Value::as_object).filter(|fields| !fields.is_empty());
        lines.extend(fields.map(|fields| print.fitted(&format!("  {name}: {}", pairs(fields)))));
    }
    for field in ["paused", "stopping", "reason"] {
        if let Some(text) = run.get(field).and_then(Value::as_str) {
            lines.push(format!("  {field}: {}", brief(text)));
        }
    }
    let marks: Vec<&str> =
        run.get("marks").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    if !marks.is_empty() {
        lines.push(format!("  marks: {}", marks.join(", ")));
    }
    let approvals = run.get("approvals").and_then(Value::as_array).into_iter().flatten();
    lines.extend(approvals.map(|approval| format!("  {}", print.fitted(&approval_line(run, approval)))));
    let notes = run.get("notes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let newest = notes.len().saturating_sub(NOTES_MAX);
    if newest > 0 {
        lines.push(format!("  … {newest} earlier notes"));
    }
    lines.extend(notes[newest..].iter().map(|note| print.fitted(&note_line(note))));
    lines
}

/// Its id and state, what it is a run of, and how many of its tasks are in which state.
fn standing(print: Print, run: &Value) -> Vec<String> {
    let version = run.get("version").and_then(Value::as_u64).unwrap_or(0);
    let state = text(run, "state");
    let took = took(run).map(|took| format!("  {took}")).unwrap_or_default();
    let mut what = format!("  {} v{version}", text(run, "job"));
    let owner = text(run, "owner");
    if !owner.is_empty() {
        what.extend([", owner ", &plain(owner)]);
    }
    what.push_str(&started_by(run));
    let window = run.pointer("/window/at").and_then(Value::as_str);
    let logical = run.get("logical_time").and_then(Value::as_str).filter(|_| window.is_none());
    for (word, at) in [("window", window), ("logical time", logical)] {
        what.extend(at.map(|at| format!(", {word} {}", plain(&to_the_minute(at)))));
    }
    let mut lines = vec![format!("{}  {}{took}", text(run, "run_id"), print.state(state, state.to_owned()))];
    lines.extend(print.folded(&what, 4));
    let counts = counts(run);
    if !counts.is_empty() {
        lines.extend(print.folded(&format!("  {counts}"), 4));
    }
    lines
}

fn started_by(run: &Value) -> String {
    let id = |field: &str| Some(text(run, field)).filter(|id| !id.is_empty());
    match text(run, "trigger") {
        "" => String::new(),
        "manual" => ", started by hand".to_owned(),
        "schedule" => ", started by a schedule".to_owned(),
        "event" => ", started by an event".to_owned(),
        "backfill" => ", started by a backfill".to_owned(),
        "parent" => format!(", started by {}", id("parent_run_id").unwrap_or("another run")),
        "rerun" => format!(", a rerun of {}", id("rerun_of").unwrap_or("another run")),
        other => format!(", started by {}", plain(other)),
    }
}

/// `day=2026-01-31, regions=["eu","us"]`.
fn pairs(fields: &Map<String, Value>) -> String {
    let pair = |(name, value): (&String, &Value)| {
        let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        plain(&format!("{name}={}", cut(&shown, VALUE_CHARS)))
    };
    fields.iter().map(pair).collect::<Vec<_>>().join(", ")
}

/// Who did what, when and why. Who they are is believed.
fn note_line(note: &Value) -> String {
    let reason = text(note, "reason");
    let why = if reason.is_empty() { String::new() } else { format!(": {}", brief(reason)) };
    let (what, actor) = (plain(text(note, "what")), plain(text(note, "actor")));
    format!("  {what} by {actor} (unverified), {}{why}", moment(text(note, "at")))
}

fn approval_line(run: &Value, approval: &Value) -> String {
    let item = approval.get("item").and_then(Value::as_u64);
    let task =
        format!("{}{}", text(approval, "task"), item.map(|item| format!(" item {item}")).unwrap_or_default());
    let state = text(approval, "state");
    if state != "open" {
        let reason = text(approval, "reason");
        let why = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        return plain(&format!("{state}: {task} by {} (unverified){why}", text(approval, "actor")));
    }
    let by = approval.get("by").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let by: Vec<&str> = by.collect();
    let by = if by.is_empty() { "anybody".to_owned() } else { by.join(" or ") };
    let message = text(approval, "message");
    let what = if message.is_empty() { String::new() } else { format!(": {message}") };
    let id = text(run, "run_id");
    let until = text(approval, "until");
    plain(&format!("waits for approval: {task} by {by} until {until}{what} (mainspring run approve {id})"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::output::Output;
    use super::*;

    #[test]
    fn who_started_it_with_what_and_who_did_what_is_told() {
        let note =
            |what: &str, reason: &str| json!({"actor": "ann", "at": "T0", "what": what, "reason": reason});
        let mut run = json!({
            "run_id": "run_1", "job": "etl", "version": 2, "state": "running", "trigger": "manual",
            "logical_time": "T1", "parameters": {"day": "today", "regions": ["eu"]}, "labels": {"team": "ops"},
            "reason": "it\nfailed", "notes": [note("triggered", ""), note("cleared 2 of 2 tasks", "new input")],
        });
        let print = Print::new(Output::Table);
        let expected = [
            "run_1  running",
            "  etl v2, started by hand, logical time T1",
            "  parameters: day=today, regions=[\"eu\"]",
            "  labels: team=ops",
            "  reason: it · failed",
            "  triggered by ann (unverified), T0",
            "  cleared 2 of 2 tasks by ann (unverified), T0: new input",
        ];
        assert_eq!(lines(print, &run), expected);
        run["notes"] = (0..13).map(|n| note(&format!("note {n}"), "")).collect();
        let lines = lines(print, &run);
        assert_eq!(lines[5..7], ["  … 3 earlier notes", "  note 3 by ann (unverified), T0"]);
        for (trigger, words) in
            [("rerun", "a rerun of run_0"), ("parent", "started by another run"), ("event", "an event")]
        {
            run["trigger"] = trigger.into();
            run["rerun_of"] = "run_0".into();
            assert!(started_by(&run).contains(words), "{trigger}");
        }
    }
}
