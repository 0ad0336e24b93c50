//! Words and instants that an option takes. A wrong one is refused before a server is asked, with what it takes.

use jiff::Timestamp;
use mainspring_core::run::StartedBy;
use mainspring_core::task::Status;
use mainspring_core::values::{Band, RunStatus};

use super::suggest;

/// Words of clients of a timer service that the server takes, too; in any case, as all of them.
const COMPLETED: &str = "completed";
const CANCELED: &str = "canceled";

/// States of tasks, one or several with commas.
pub(super) fn task_states(text: &str) -> Result<String, String> {
    list(text, "state of a task", &Status::ALL.map(Status::label))
}

/// One state of a task.
pub(super) fn task_state(text: &str) -> Result<String, String> {
    one(text, "state of a task", &Status::ALL.map(Status::label))
}

pub(super) fn run_states(text: &str) -> Result<String, String> {
    list(text, "state of a run", &RunStatus::ALL.map(RunStatus::label))
}

/// How a run can be forced to end.
pub(super) fn run_end(text: &str) -> Result<String, String> {
    one(text, "end of a run", &["succeeded", "failed", "cancelled"])
}

/// How a task can be forced to end.
pub(super) fn task_end(text: &str) -> Result<String, String> {
    one(text, "end of a task", &["succeeded", "failed", "skipped"])
}

pub(super) fn trigger(text: &str) -> Result<String, String> {
    one(text, "kind of trigger", &StartedBy::ALL.map(StartedBy::label))
}

pub(super) fn backfill_state(text: &str) -> Result<String, String> {
    one(text, "state of a backfill", &["running", "paused", "cancelling", "ended", "cancelled"])
}

pub(super) fn worker_state(text: &str) -> Result<String, String> {
    let known = ["healthy", "cordoned", "draining", "drained", "unhealthy", "disconnected"];
    one(text, "state of a worker", &known)
}

/// What became of a window.
pub(super) fn outcome(text: &str) -> Result<String, String> {
    let known = ["ran", "late", "catch_up", "no_event", "backfill", "skipped", "missed"];
    one(text, "outcome of a window", &known)
}

/// How urgent a task is.
pub(super) fn priority(text: &str) -> Result<String, String> {
    one(text, "priority", &Band::ASKED.map(Band::label))
}

/// RFC 3339, or seconds since 1970.
pub(super) fn instant(text: &str) -> Result<String, String> {
    let is_right = text.parse::<u64>().is_ok() || text.parse::<Timestamp>().is_ok();
    is_right.then(|| text.to_owned()).ok_or_else(|| {
        "it is no instant; write it with its zone, as 2026-01-31T06:00:00Z or 2026-01-31T06:00:00+01:00, or as \
         seconds since 1970"
            .to_owned()
    })
}

fn list(text: &str, what: &str, known: &[&str]) -> Result<String, String> {
    for word in text.split(',') {
        one(word.trim(), what, known)?;
    }
    Ok(text.to_owned())
}

fn one(word: &str, what: &str, known: &[&str]) -> Result<String, String> {
    let lower = word.to_ascii_lowercase();
    let meant = match lower.as_str() {
        COMPLETED => "succeeded",
        CANCELED => "cancelled",
        word => word,
    };
    if known.iter().any(|known| known.eq_ignore_ascii_case(meant)) {
        return Ok(word.to_owned());
    }
    let near = suggest::nearest(&lower, known.iter().map(|word| (*word).to_owned()).collect());
    let meant =
        if near.is_empty() { String::new() } else { format!("did you mean {}? ", suggest::listed(&near)) };
    Err(format!("there is no {what} `{word}`; {meant}it takes {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_word_is_answered_with_all_and_the_nearest() {
        for right in ["failed", "FAILED,Retry_Wait", "COMPLETED, canceled", "upstream_failed"] {
            assert_eq!(task_states(right).as_deref(), Ok(right));
        }
        let wrong = run_states("succeeded,faild").unwrap_err();
        assert_eq!(
            wrong,
            "there is no state of a run `faild`; did you mean `failed`? it takes queued, running, succeeded, failed, cancelled"
        );
        assert!(
            trigger("webhook")
                .unwrap_err()
                .ends_with("it takes manual, parent, rerun, schedule, event, backfill")
        );
        assert!(priority("p0").is_ok() && priority("P9").unwrap_err().contains("P0, P1, P2"));
        assert!(run_states("retry_wait").is_err() && task_states("").is_err());
    }

    #[test]
    fn instants_are_told_from_other_text() {
        for right in ["2026-01-31T06:00:00Z", "2026-01-31T06:00:00.5+01:00", "1795064471"] {
            assert_eq!(instant(right).as_deref(), Ok(right));
        }
        for wrong in ["yesterday", "2026-01-31", "", "-5", "2026-13-01T00:00:00Z"] {
            assert!(instant(wrong).is_err(), "{wrong}");
        }
    }
}
