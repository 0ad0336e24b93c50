//! The checker: reads a history and names everything that must not have happened.
//! Entry: [`check`].
//! - CH-1 what was acknowledged exists, once for each key, and has ended
//! - CH-2 an effect belongs to a recorded attempt, and an attempt has at most one
//! - CH-3 a second effect of a task follows only on a recorded failure of the attempt before
//! - CH-4 at most once means at most one effect; a success has one at least
//! - CH-5 what was cancelled before it began has no effect after the cancel was answered
//!
//! Not here: how the history came about (`run`).

mod effects;
mod outcomes;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

use crate::history::{Effect, History, Submission, TaskRecord};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    pub rule: Rule,
    /// The task, or the key if there is no task.
    pub of: String,
    pub what: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rule {
    NeverAcknowledged,
    AcknowledgedButMissing,
    TwoTasksForOneKey,
    TaskOfNobody,
    NotEnded,
    WrongAttemptCount,
    FencesOutOfOrder,
    EndedWithoutCause,
    CancelNotKept,
    EffectOfNobody,
    EffectOfNoAttempt,
    AttemptRanTwice,
    EffectBeforeAssignment,
    EffectBeforeItsTime,
    DuplicateWithoutCause,
    AtMostOnceRanTwice,
    SucceededWithoutEffect,
    EffectAfterCancel,
    WrongIdempotencyKey,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}: {}", self.rule, self.of, self.what)
    }
}

pub fn check(history: &History) -> Vec<Violation> {
    let mut found = Found::default();
    keys(history, &mut found);
    let mut effects: BTreeMap<&str, Vec<&Effect>> = BTreeMap::new();
    for effect in &history.effects {
        effects.entry(&effect.task).or_default().push(effect);
    }
    for submission in &history.submissions {
        let Some(id) = submission.acknowledged.first() else {
            found.add(Rule::NeverAcknowledged, &submission.key, "no acknowledgement ever came");
            continue;
        };
        let Some(task) = history.tasks.get(id) else {
            found.add(Rule::AcknowledgedButMissing, id, format!("key `{}`", submission.key));
            continue;
        };
        let left = effects.remove(id.as_str()).unwrap_or_default();
        let case = Case { id, submission, task, effects: &left };
        outcomes::check(&case, &mut found);
        effects::check(&case, &mut found);
    }
    for (id, left) in effects {
        found.add(
            Rule::EffectOfNobody,
            id,
            format!("{} effects of a task that nobody submitted", left.len()),
        );
    }
    found.0
}

/// One task from all sides.
pub(super) struct Case<'a> {
    id: &'a str,
    submission: &'a Submission,
    task: &'a TaskRecord,
    effects: &'a [&'a Effect],
}

#[derive(Default)]
pub(super) struct Found(Vec<Violation>);

impl Found {
    fn add(&mut self, rule: Rule, of: &str, what: impl Into<String>) {
        self.0.push(Violation { rule, of: of.to_owned(), what: what.into() });
    }
}

/// One key, one task; no task without a key of ours.
fn keys(history: &History, found: &mut Found) {
    let mut by_key: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (id, key) in &history.listed {
        by_key.entry(key).or_default().push(id);
    }
    for submission in &history.submissions {
        let mut ids = by_key.remove(submission.key.as_str()).unwrap_or_default();
        if ids.is_empty() && !submission.acknowledged.is_empty() {
            found.add(Rule::AcknowledgedButMissing, &submission.key, "no list names it");
        }
        ids.extend(submission.acknowledged.iter().map(String::as_str));
        ids.sort_unstable();
        ids.dedup();
        if ids.len() > 1 {
            found.add(Rule::TwoTasksForOneKey, &submission.key, ids.join(", "));
        }
    }
    for (key, ids) in by_key {
        found.add(Rule::TaskOfNobody, ids[0], format!("nobody sent the key `{key}`"));
    }
}
