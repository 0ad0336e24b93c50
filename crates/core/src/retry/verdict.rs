//! Whether a failure is followed by another attempt.

use super::policy::{ClassRule, RetryPolicy};
use crate::values::{Chance, Failure, Millis};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Retry { after: Millis, spend: bool },
    GiveUp,
}

/// `spent` = retries this task has already spent.
pub fn verdict(policy: &RetryPolicy, spent: u32, failure: &Failure, chance: &mut Chance) -> Verdict {
    match policy.rule(failure.class) {
        ClassRule::Fail => Verdict::GiveUp,
        ClassRule::Free => Verdict::Retry { after: Millis::ZERO, spend: false },
        ClassRule::Spend if !listed(policy, failure) => Verdict::GiveUp,
        ClassRule::Spend if spent + 1 >= policy.attempts_max => Verdict::GiveUp,
        ClassRule::Spend => {
            Verdict::Retry { after: super::backoff::delay(policy, spent + 1, chance), spend: true }
        }
    }
}

fn listed(policy: &RetryPolicy, failure: &Failure) -> bool {
    let only = &policy.only;
    (only.classes.is_empty() || only.classes.contains(&failure.class))
        && (only.codes.is_empty() || only.codes.contains(&failure.code))
}
