//! Chance and budgets, and the one question that needs both: what follows a failed attempt.

use std::sync::Arc;

use crate::event::AfterFailure;
use crate::retry::{RetryBudgets, RetryCounts, RetryScope, Verdict, verdict};
use crate::run::{Evaluate, NoTexts};
use crate::task::{Delivery, Lease, StopReason, Task, is_poison};
use crate::values::{Chance, Failure, FailureClass, Millis, Now};

#[derive(Debug)]
pub struct RetryState {
    chance: Chance,
    budgets: RetryBudgets,
    /// Reads the target of a task.
    evaluate: Arc<dyn Evaluate>,
}

impl RetryState {
    pub fn new(chance: Chance, budgets: RetryBudgets) -> Self {
        Self { chance, budgets, evaluate: Arc::new(NoTexts) }
    }

    pub(crate) fn set_evaluate(&mut self, evaluate: Arc<dyn Evaluate>) {
        self.evaluate = evaluate;
    }

    pub(crate) const fn retry_counts(&self) -> RetryCounts {
        self.budgets.counts()
    }

    /// Whose retry budget the task uses.
    pub(crate) fn retry_scope(&self, task: &Task) -> RetryScope {
        RetryScope::of(&task.profile, || self.evaluate.target(&task.profile.executor, &task.payload))
    }

    pub(crate) fn chance(&mut self) -> &mut Chance {
        &mut self.chance
    }

    /// `known`: the attempt has certainly ended, and its worker saw how. If not, it may still be running somewhere,
    /// or have done all of its work.
    pub(crate) fn after_failure(
        &mut self,
        task: &Task,
        lease: &Lease,
        failure: &Failure,
        known: bool,
        now: Now,
    ) -> AfterFailure {
        if lease.stop.is_some_and(|stop| stop.reason == StopReason::Cancel)
            || failure.class == FailureClass::Cancelled
        {
            return AfterFailure::Cancel;
        }
        if is_poison(task, lease.worker, failure) {
            return AfterFailure::Quarantine;
        }
        if !known && task.profile.delivery == Delivery::AtMostOnce {
            return AfterFailure::Fail;
        }
        match verdict(&task.profile.retry, task.retries_spent, failure, &mut self.chance) {
            Verdict::GiveUp => AfterFailure::Fail,
            Verdict::Retry { after, spend: false } if after == Millis::ZERO => AfterFailure::Requeue,
            Verdict::Retry { after, spend } => {
                let (wait, delayed_by) = self.budgets.take(self.retry_scope(task), after, now.elapsed);
                let due = now.elapsed + wait;
                AfterFailure::Retry { due, spend, memory_bytes: more_memory(task, failure), delayed_by }
            }
        }
    }
}

fn more_memory(task: &Task, failure: &Failure) -> Option<u64> {
    let policy = &task.profile.retry;
    let asked = task.extra.as_ref().and_then(|extra| extra.memory_bytes);
    let had = asked.unwrap_or(task.profile.requirements.resources.memory_bytes);
    (failure.class == FailureClass::Resource && had > 0 && policy.memory_growth_percent > 100).then(|| {
        (u128::from(had) * u128::from(policy.memory_growth_percent) / 100).min(u128::from(u64::MAX)) as u64
    })
}
