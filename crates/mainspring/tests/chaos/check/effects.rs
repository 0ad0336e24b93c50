//! What tasks did to the world.

use std::collections::BTreeSet;

use super::{Case, Found, Rule};
use crate::history::{AttemptRecord, CancelAnswer, Effect};

pub(super) fn check(case: &Case<'_>, found: &mut Found) {
    for effect in case.effects {
        one(case, effect, found);
    }
    duplicates(case, found);
    count(case, found);
    after_cancel(case, found);
}

fn attempt_of<'a>(case: &Case<'a>, effect: &Effect) -> Option<&'a AttemptRecord> {
    case.task
        .attempts
        .iter()
        .find(|attempt| attempt.fence == effect.fence && attempt.number == effect.attempt)
}

fn one(case: &Case<'_>, effect: &Effect, found: &mut Found) {
    if effect.key != case.id {
        found.add(Rule::WrongIdempotencyKey, case.id, format!("it was told `{}`", effect.key));
    }
    if effect.at < case.submission.sent + case.submission.promise.delay_ms {
        let early = case.submission.sent + case.submission.promise.delay_ms - effect.at;
        found.add(Rule::EffectBeforeItsTime, case.id, format!("{early} ms early"));
    }
    match attempt_of(case, effect) {
        // Records of many attempts are cut short; then the count is all there is.
        None if case.task.attempts_dropped > 0 => {}
        None => {
            let what = format!(
                "attempt {} with fence {}; recorded are {:?}",
                effect.attempt, effect.fence, case.task.attempts
            );
            found.add(Rule::EffectOfNoAttempt, case.id, what);
        }
        Some(attempt) if effect.at < attempt.assigned => {
            let what = format!("attempt {}: {} before {}", attempt.number, effect.at, attempt.assigned);
            found.add(Rule::EffectBeforeAssignment, case.id, what);
        }
        Some(_) => {}
    }
}

fn duplicates(case: &Case<'_>, found: &mut Found) {
    let mut fences = BTreeSet::new();
    for effect in case.effects {
        if !fences.insert(effect.fence) {
            found.add(Rule::AttemptRanTwice, case.id, format!("attempt {}", effect.attempt));
        }
    }
    // Every attempt but the newest with an effect must have failed, or the next one had no cause.
    for fence in fences.iter().rev().skip(1) {
        let attempt = case.task.attempts.iter().find(|attempt| attempt.fence == *fence);
        if attempt.is_some_and(|attempt| attempt.failed.is_none()) {
            found.add(Rule::DuplicateWithoutCause, case.id, format!("fence {fence} did not fail"));
        }
    }
}

fn count(case: &Case<'_>, found: &mut Found) {
    let promise = case.submission.promise;
    if promise.at_most_once && case.effects.len() > 1 {
        found.add(Rule::AtMostOnceRanTwice, case.id, format!("{} effects", case.effects.len()));
    }
    if case.task.state != "succeeded" || !promise.leaves_effects {
        return;
    }
    // Not just any effect: the one of the attempt that counts.
    let fence = case.task.attempts.last().map(|attempt| attempt.fence);
    if !case.effects.iter().any(|effect| Some(effect.fence) == fence) {
        found.add(Rule::SucceededWithoutEffect, case.id, format!("{} effects", case.effects.len()));
    }
}

/// After "it will not run" only an attempt that was lost before may still be felt.
fn after_cancel(case: &Case<'_>, found: &mut Found) {
    let Some(CancelAnswer::WillNotRun { at }) = case.submission.cancel else { return };
    for effect in case.effects.iter().filter(|effect| effect.at > at) {
        let lost = attempt_of(case, effect).is_some_and(|attempt| attempt.failed.is_some());
        if !lost {
            found.add(Rule::EffectAfterCancel, case.id, format!("{} ms after the answer", effect.at - at));
        }
    }
}
