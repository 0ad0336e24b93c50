//! The checker itself: it is silent on good histories and names what is wrong with broken ones.

use super::{Rule, check};
use crate::history::{AttemptRecord, CancelAnswer, Effect, History, Promise, Submission, TaskRecord};

fn attempt(number: u64, failed: Option<&str>) -> AttemptRecord {
    AttemptRecord { number, fence: 100 + number, assigned: 1_000 * number, failed: failed.map(str::to_owned) }
}

fn effect(id: &str, attempt: u64) -> Effect {
    Effect { task: id.into(), attempt, fence: 100 + attempt, key: id.into(), at: 1_000 * attempt + 5 }
}

const PLAIN: Promise =
    Promise { leaves_effects: true, at_most_once: false, cancelled: false, fails_first: false, delay_ms: 0 };

/// Adds one task to the history.
fn add(history: &mut History, name: &str, promise: Promise, status: &str, attempts: Vec<AttemptRecord>) {
    let (id, key) = (format!("task_{name}"), format!("key_{name}"));
    let effects = attempts.iter().filter(|_| promise.leaves_effects).map(|a| effect(&id, a.number));
    history.effects.extend(effects.collect::<Vec<_>>());
    history.listed.push((id.clone(), key.clone()));
    let acknowledged = vec![id.clone(), id.clone()];
    history.submissions.push(Submission { key, promise, sent: 10, acknowledged, cancel: None });
    let task = TaskRecord {
        state: status.into(),
        attempt_count: attempts.len() as u64,
        attempts_dropped: 0,
        cancel_requested: promise.cancelled,
        attempts,
    };
    history.tasks.insert(id, task);
}

/// One of each kind of course that is allowed.
fn good() -> History {
    let mut history = History::default();
    add(&mut history, "plain", PLAIN, "succeeded", vec![attempt(1, None)]);
    let lost = vec![attempt(1, Some("worker_lost")), attempt(2, None)];
    add(&mut history, "lost", PLAIN, "succeeded", lost);
    let noop = Promise { leaves_effects: false, ..PLAIN };
    add(&mut history, "noop", noop, "succeeded", vec![attempt(1, None)]);
    let once = Promise { at_most_once: true, ..PLAIN };
    add(&mut history, "once", once, "failed", vec![attempt(1, Some("worker_lost"))]);
    let cancelled = Promise { cancelled: true, ..PLAIN };
    add(&mut history, "cancelled", cancelled, "cancelled", vec![]);
    history.submissions[4].cancel = Some(CancelAnswer::WillNotRun { at: 500 });
    add(&mut history, "stopped", cancelled, "cancelled", vec![attempt(1, Some("cancelled"))]);
    history.submissions[5].cancel = Some(CancelAnswer::Stopping);
    history
}

fn task<'a>(history: &'a mut History, name: &str) -> &'a mut TaskRecord {
    history.tasks.get_mut(&format!("task_{name}")).expect("a task of the good history")
}

#[test]
fn a_good_history_has_nothing_to_tell() {
    assert_eq!(check(&good()), []);
}

/// What is broken, how, and which rules must say so.
type Row = (&'static str, fn(&mut History), &'static [Rule]);

#[track_caller]
fn must_be_noticed(rows: &[Row]) {
    for (name, break_it, wanted) in rows {
        let mut history = good();
        break_it(&mut history);
        let mut rules: Vec<Rule> = check(&history).into_iter().map(|violation| violation.rule).collect();
        rules.dedup();
        assert_eq!(rules, *wanted, "{name}");
    }
}

#[test]
fn broken_accounts_are_noticed() {
    let rows: &[Row] = &[
        (
            "a lost task",
            |h| drop(h.tasks.remove("task_plain")),
            &[Rule::AcknowledgedButMissing, Rule::EffectOfNobody],
        ),
        ("a task that no list names", |h| drop(h.listed.remove(0)), &[Rule::AcknowledgedButMissing]),
        ("never acknowledged", |h| h.submissions[2].acknowledged.clear(), &[Rule::NeverAcknowledged]),
        (
            "an acknowledgement of another task",
            |h| h.submissions[0].acknowledged[1] = "task_x".into(),
            &[Rule::TwoTasksForOneKey],
        ),
        (
            "two tasks for one key",
            |h| h.listed.push(("task_x".into(), "key_plain".into())),
            &[Rule::TwoTasksForOneKey],
        ),
        ("a task of nobody", |h| h.listed.push(("task_x".into(), "key_x".into())), &[Rule::TaskOfNobody]),
        ("stuck", |h| task(h, "noop").state = "running".into(), &[Rule::NotEnded]),
        ("wrong attempt count", |h| task(h, "lost").attempt_count = 3, &[Rule::WrongAttemptCount]),
        (
            "a fence that fell",
            |h| task(h, "lost").attempts[1].fence = 50,
            &[Rule::FencesOutOfOrder, Rule::EffectOfNoAttempt, Rule::SucceededWithoutEffect],
        ),
        (
            "duplicate without a cause",
            |h| task(h, "lost").attempts[0].failed = None,
            &[Rule::DuplicateWithoutCause],
        ),
        ("failed without a cause", |h| task(h, "plain").state = "failed".into(), &[Rule::EndedWithoutCause]),
    ];
    must_be_noticed(rows);
}

#[test]
fn broken_effects_are_noticed() {
    let rows: &[Row] = &[
        ("succeeded without an effect", |h| drop(h.effects.remove(0)), &[Rule::SucceededWithoutEffect]),
        (
            "only the lost attempt had its effect",
            |h| drop(h.effects.remove(2)),
            &[Rule::SucceededWithoutEffect],
        ),
        ("one attempt, two effects", |h| h.effects.push(effect("task_plain", 1)), &[Rule::AttemptRanTwice]),
        (
            "at most once ran twice",
            |h| h.effects.push(effect("task_once", 2)),
            &[Rule::EffectOfNoAttempt, Rule::AtMostOnceRanTwice],
        ),
        (
            "effect of no attempt",
            |h| h.effects.push(effect("task_plain", 2)),
            &[Rule::EffectOfNoAttempt, Rule::DuplicateWithoutCause],
        ),
        ("effect of no task", |h| h.effects.push(effect("task_x", 1)), &[Rule::EffectOfNobody]),
        ("effect before its attempt", |h| h.effects[0].at = 900, &[Rule::EffectBeforeAssignment]),
        (
            "effect before its time",
            |h| h.submissions[0].promise.delay_ms = 2_000,
            &[Rule::EffectBeforeItsTime],
        ),
        (
            "effect after cancelled before start",
            |h| h.effects.push(effect("task_cancelled", 1)),
            &[Rule::EffectOfNoAttempt, Rule::EffectAfterCancel],
        ),
        (
            "a cancel that was not kept",
            |h| {
                let attempts = vec![attempt(1, None)];
                *task(h, "cancelled") = TaskRecord {
                    state: "succeeded".into(),
                    attempt_count: 1,
                    attempts,
                    ..task(h, "cancelled").clone()
                };
                h.effects.push(effect("task_cancelled", 1));
            },
            &[Rule::CancelNotKept, Rule::EffectAfterCancel],
        ),
    ];
    must_be_noticed(rows);
}

#[test]
fn a_lost_attempt_may_be_felt_after_the_cancel() {
    let mut history = good();
    let cancelled = Promise { cancelled: true, ..PLAIN };
    add(&mut history, "late", cancelled, "cancelled", vec![attempt(1, Some("worker_lost"))]);
    history.submissions[6].cancel = Some(CancelAnswer::WillNotRun { at: 1_001 });
    assert_eq!(check(&history), []);
}
