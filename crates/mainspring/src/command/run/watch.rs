//! Watching a run: a tree that is drawn anew on a terminal, or a line for every change elsewhere.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use mainspring_client::{Client, ClientError};
use serde_json::Value;

use super::super::connect::Print;
use super::super::output::say;
use super::super::submit::INTERRUPTED;
use super::{failures, next, text, tree, undo};

use crate::note::note;

/// Between two looks; longer while nothing changes.
const LOOK_MIN: Duration = Duration::from_millis(50);
const LOOK_MAX: Duration = Duration::from_secs(1);

/// Until the run has ended. Exit: 0 it succeeded, 3 it did not, 130 after Ctrl-C, which does not end the run.
pub(in crate::command) async fn watch(
    client: &Client,
    print: Print,
    id: &str,
) -> Result<ExitCode, ClientError> {
    tokio::select! {
        ended = until_ended(client, print, id) => ended,
        _ = tokio::signal::ctrl_c() => {
            note!("\n{id} goes on; cancel it with `mainspring run cancel {id}`");
            Ok(ExitCode::from(INTERRUPTED))
        }
    }
}

async fn until_ended(client: &Client, print: Print, id: &str) -> Result<ExitCode, ClientError> {
    let live = std::io::stderr().is_terminal() && !print.is_data();
    let mut seen = Seen::default();
    let mut wait = LOOK_MIN;
    loop {
        let mut run = client.get(&format!("/v1/runs/{id}")).await?;
        if !print.is_data() {
            undo::add_rows(client, &mut run).await?;
        }
        let changed = if live { seen.draw(print, &run) } else { seen.tell(print, &run) };
        let state = run.get("state").and_then(Value::as_str).unwrap_or_default().to_owned();
        if matches!(&*state, "succeeded" | "failed" | "cancelled") {
            if print.is_data() {
                print.object(&run);
            } else {
                failures::add_errors(client, &mut run).await?;
                if live {
                    seen.draw(print, &run);
                } else {
                    say(&format!("{id} {state}"));
                }
                failures::print_logs(client, print, &run).await?;
                next::tell(print, &run);
            }
            return Ok(if state == "succeeded" { ExitCode::SUCCESS } else { ExitCode::from(3) });
        }
        wait = if changed { LOOK_MIN } else { LOOK_MAX.min(wait * 3 / 2) };
        tokio::time::sleep(wait).await;
    }
}

#[derive(Default)]
struct Seen {
    lines: Vec<String>,
    states: BTreeMap<String, String>,
}

impl Seen {
    /// Over what was drawn before. Goes to stderr: it is for people.
    fn draw(&mut self, print: Print, run: &Value) -> bool {
        let lines = tree::lines(print, run);
        if lines == self.lines {
            return false;
        }
        let mut out = String::new();
        if !self.lines.is_empty() {
            out.extend(["\u{1b}[", &self.lines.len().to_string(), "A\u{1b}[J"]);
        }
        for line in &lines {
            out.push_str(line);
            out.push('\n');
        }
        let _ = std::io::stderr().lock().write_all(out.as_bytes());
        self.lines = lines;
        true
    }

    fn tell(&mut self, print: Print, run: &Value) -> bool {
        let mut changed = false;
        for task in run.get("tasks").and_then(Value::as_array).into_iter().flatten() {
            let told = |field: &str| task.get(field).and_then(Value::as_str).unwrap_or_default();
            let (name, state) = (told("name"), word(task));
            if self.states.get(name) != Some(&state) {
                changed = true;
                if state != "pending" && !print.is_data() {
                    note!("{}", format!("{name} {state} {}", told("reason")).trim_end());
                }
                self.states.insert(name.to_owned(), state);
            }
        }
        changed
    }
}

/// The state of a task; of a mapped one how far it is, in tenths, so that thousands of items are told of in a few lines.
fn word(task: &Value) -> String {
    let (state, number) = (text(task, "state"), |field: &str| {
        task.pointer(&format!("/items/{field}")).and_then(Value::as_u64).unwrap_or(0)
    });
    let count = number("count");
    if count == 0 {
        return state.to_owned();
    }
    let bad = number("failed");
    let failed = if bad > 0 { format!(", {bad} failed") } else { String::new() };
    if matches!(state, "assigned" | "running" | "queued" | "retry_wait" | "deferred") {
        let done = ["succeeded", "failed", "cancelled", "skipped"].map(number).iter().sum::<u64>();
        let tenths = done * 10 / count;
        return format!("running {}% of {count} items{failed}", tenths * 10);
    }
    format!("{state}, {count} items{failed}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::word;

    #[test]
    fn items_are_told_of_in_tenths() {
        let task = |state: &str, succeeded: u64, failed: u64| json!({"state": state, "items": {"count": 20_000, "succeeded": succeeded, "failed": failed}});
        assert_eq!(word(&json!({"state": "running"})), "running");
        assert_eq!(word(&task("running", 3_998, 1)), "running 10% of 20000 items, 1 failed");
        assert_eq!(word(&task("assigned", 3_999, 1)), "running 20% of 20000 items, 1 failed");
        assert_eq!(word(&task("succeeded", 20_000, 0)), "succeeded, 20000 items");
    }
}
