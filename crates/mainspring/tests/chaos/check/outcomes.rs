//! How tasks ended, and whether their attempts add up.

use super::{Case, Found, Rule};
use crate::history::CancelAnswer;

pub(super) fn check(case: &Case<'_>, found: &mut Found) {
    let task = case.task;
    if !task.is_ended() {
        found.add(Rule::NotEnded, case.id, format!("it is {}", task.state));
    }
    attempts(case, found);
    outcome(case, found);
    cancel(case, found);
}

fn attempts(case: &Case<'_>, found: &mut Found) {
    let task = case.task;
    let told = task.attempts.len() as u64 + task.attempts_dropped;
    let last = task.attempts.last().map_or(0, |attempt| attempt.number);
    if told != task.attempt_count || last != task.attempt_count {
        let what = format!("{} attempts, of which {told} are told, the last is {last}", task.attempt_count);
        found.add(Rule::WrongAttemptCount, case.id, what);
    }
    if !task.attempts.is_sorted_by(|a, b| a.fence < b.fence && a.number < b.number) {
        found.add(Rule::FencesOutOfOrder, case.id, format!("{:?}", task.attempts));
    }
    // Only the last one may be without a failure.
    let earlier = task.attempts.split_last().map_or(&[][..], |(_, earlier)| earlier);
    if let Some(attempt) = earlier.iter().find(|attempt| attempt.failed.is_none()) {
        let what = format!("attempt {} was followed by another, and no failure is told", attempt.number);
        found.add(Rule::DuplicateWithoutCause, case.id, what);
    }
}

/// Work that can succeed succeeds, unless somebody cancelled it or nobody may try it again.
fn outcome(case: &Case<'_>, found: &mut Found) {
    let (task, promise) = (case.task, case.submission.promise);
    let last = task.attempts.last().and_then(|attempt| attempt.failed.as_deref());
    let is_fine = match task.state.as_str() {
        "succeeded" => !task.attempts.is_empty() && last.is_none(),
        "cancelled" => promise.cancelled && task.cancel_requested,
        "failed" => promise.at_most_once && (last == Some("worker_lost") || promise.fails_first),
        _ => !task.is_ended(),
    };
    if !is_fine {
        let what = format!("it ended as {}, its last attempt with {last:?}", task.state);
        found.add(Rule::EndedWithoutCause, case.id, what);
    }
}

fn cancel(case: &Case<'_>, found: &mut Found) {
    let task = case.task;
    let is_kept = match case.submission.cancel {
        Some(CancelAnswer::WillNotRun { .. }) => task.state == "cancelled",
        Some(CancelAnswer::Stopping) => task.cancel_requested,
        Some(CancelAnswer::TooLate) => task.state != "cancelled",
        None => task.state != "cancelled" || case.submission.promise.cancelled,
    };
    if !is_kept {
        let what = format!("answered {:?}, and it is {}", case.submission.cancel, task.state);
        found.add(Rule::CancelNotKept, case.id, what);
    }
}
