//! Whether any known worker could run tasks of a kind; asked beside submissions and triggers, and told as a warning.

use std::sync::Arc;

use mainspring_core::dispatch::WaitReason;
use mainspring_core::engine::question::Question;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::task::Profile;
use mainspring_core::values::Requirements;

/// Where tasks go that name no pool.
const DEFAULT_POOL: &str = "default";
/// Kinds of tasks that are asked about in one request; the others get no warning.
const QUESTIONS_MAX: usize = 64;

/// Asked only of tasks that not every worker can run.
pub(super) fn question(profile: &Arc<Profile>) -> Option<Command> {
    let Requirements { pool, resources, labels, zone } = &profile.requirements;
    let is_plain = &**pool == DEFAULT_POOL && resources.is_none() && labels.is_empty() && zone.is_empty();
    (!is_plain).then(|| Command::Ask(Question::CouldRun { profile: profile.clone() }))
}

/// Why no known worker could run it; `None` if one could, or if nobody knows.
pub(super) fn never<E>(answer: Result<Answer, E>) -> Option<Box<WaitReason>> {
    if let Ok(Answer::CouldRun(why)) = answer { why } else { None }
}

pub(super) fn warning(why: &WaitReason) -> String {
    format!("{why}; {}", why.advice())
}

/// One question for each kind of task.
#[derive(Default)]
pub(super) struct Questions {
    kinds: Vec<Arc<Profile>>,
    pub commands: Vec<Command>,
}

impl Questions {
    /// The number of the question about this kind.
    pub(super) fn about(&mut self, profile: &Arc<Profile>) -> Option<usize> {
        if let Some(number) = self.kinds.iter().rposition(|known| same_kind(known, profile)) {
            return Some(number);
        }
        let asked = (self.kinds.len() < QUESTIONS_MAX).then(|| question(profile)).flatten()?;
        self.kinds.push(profile.clone());
        self.commands.push(asked);
        Some(self.kinds.len() - 1)
    }
}

fn same_kind(one: &Arc<Profile>, other: &Arc<Profile>) -> bool {
    Arc::ptr_eq(one, other) || one.executor == other.executor && one.requirements == other.requirements
}
