//! Retry budgets: token buckets that delay retries when too many come at once.
//! - RB-1 each job has a budget; single tasks share one per tenant, executor and target (program or host)
//! - RB-2 what one budget delays takes nothing from the overall budget, so a storm of one job delays no other
//!
//! Budgets are soft: a restart forgets them, which only lets one more burst come. What they decide is journaled with
//! the retry.

use std::collections::BTreeMap;

use crate::values::{Elapsed, Millis, Name};

/// How many retries may be released.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetryRates {
    /// Over all tasks, a second; as many at once.
    pub overall_per_s: u32,
    /// Of one job or one target, a minute.
    pub per_min: u32,
    /// Of one job or one target, at once.
    pub burst: u32,
}

impl Default for RetryRates {
    /// A target that fails for ten minutes, with 50,000 tasks meanwhile, gets 10,000 retries: a fifth more load.
    fn default() -> Self {
        Self { overall_per_s: 5_000, per_min: 900, burst: 1_000 }
    }
}

/// Which budget a retry counts against, or was delayed by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum BudgetKind {
    Job = 0,
    Target = 1,
    Overall = 2,
}

impl BudgetKind {
    pub const ALL: [Self; 3] = [Self::Job, Self::Target, Self::Overall];

    pub const fn label(self) -> &'static str {
        match self {
            Self::Job => "job",
            Self::Target => "target",
            Self::Overall => "overall",
        }
    }
}

/// The tasks that share a budget: those of a job, or those without a job that use the same target.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RetryScope {
    tenant: Name,
    /// Empty for single tasks.
    job: Name,
    /// Empty if there is a job.
    executor: Name,
    target: Name,
}

impl RetryScope {
    pub(crate) fn of_job(tenant: Name, job: Name) -> Self {
        Self { tenant, job, executor: Name::default(), target: Name::default() }
    }

    pub(crate) fn of_target(tenant: Name, executor: Name, target: Name) -> Self {
        Self { tenant, job: Name::default(), executor, target }
    }

    fn kind(&self) -> BudgetKind {
        if self.job.is_empty() { BudgetKind::Target } else { BudgetKind::Job }
    }

    /// For people: ``job `nightly` ``.
    pub fn describe(&self) -> String {
        let (word, name) = match (self.job.is_empty(), self.target.is_empty(), self.executor.as_str()) {
            (false, ..) => ("job", &self.job),
            (true, false, "process") => ("program", &self.target),
            (true, false, "http" | "poll") => ("host", &self.target),
            (true, ..) => ("executor", &self.executor),
        };
        format!("{word} `{name}`")
    }
}

/// Retries since the engine was made, by [`BudgetKind`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RetryCounts {
    /// Counted against the budget of a job or a target; every retry that costs one is.
    pub spent: [u64; 3],
    /// Delayed beyond their backoff by a budget.
    pub delayed: [u64; 3],
}

#[derive(Clone, Copy, Default, Debug)]
struct TokenBucket {
    /// When `debt_us` was right, in microseconds: a token may cost less than a millisecond.
    at_us: u64,
    /// How long it takes until the bucket is full again.
    debt_us: u64,
}

impl TokenBucket {
    /// Takes a token; returns how long after `now` it may be used. The bucket holds `burst` tokens.
    fn take(&mut self, now: Elapsed, cost_us: u64, burst: u32) -> Millis {
        let now_us = now.millis().saturating_mul(1000);
        let paid = now_us.saturating_sub(self.at_us);
        self.debt_us = self.debt_us.saturating_sub(paid).saturating_add(cost_us);
        self.at_us = now_us;
        let burst_us = cost_us.saturating_mul(u64::from(burst.max(1)));
        Millis::new(self.debt_us.saturating_sub(burst_us).div_ceil(1000))
    }

    const fn full_at_us(&self) -> u64 {
        self.at_us.saturating_add(self.debt_us)
    }
}

/// Budgets remembered; beyond it the half that is full again first is forgotten.
const BUDGETS_MAX: usize = 10_000;

#[derive(Debug, Default)]
pub struct RetryBudgets {
    rates: RetryRates,
    overall: TokenBucket,
    scopes: BTreeMap<RetryScope, TokenBucket>,
    counts: RetryCounts,
}

impl RetryBudgets {
    pub fn new(rates: RetryRates) -> Self {
        Self { rates, ..Self::default() }
    }

    pub const fn counts(&self) -> RetryCounts {
        self.counts
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.scopes.len()
    }

    /// Counts a retry that wants to wait for `after`. Returns how long it has to wait, and which budget made that
    /// longer.
    pub fn take(&mut self, scope: RetryScope, after: Millis, now: Elapsed) -> (Millis, Option<BudgetKind>) {
        let RetryRates { overall_per_s, per_min, burst } = self.rates;
        let kind = scope.kind();
        self.counts.spent[kind as usize] += 1;
        self.forget_quiet();
        let bucket = self.scopes.entry(scope).or_default();
        let own = bucket.take(now, per(60_000_000, per_min), burst);
        let (least, by) = if own > Millis::ZERO {
            (own, kind)
        } else {
            (self.overall.take(now, per(1_000_000, overall_per_s), overall_per_s), BudgetKind::Overall)
        };
        if least <= after {
            return (after, None);
        }
        self.counts.delayed[by as usize] += 1;
        (least, Some(by))
    }

    fn forget_quiet(&mut self) {
        if self.scopes.len() < BUDGETS_MAX {
            return;
        }
        let mut instants: Vec<u64> = self.scopes.values().map(TokenBucket::full_at_us).collect();
        instants.sort_unstable();
        let median = instants[instants.len() / 2];
        self.scopes.retain(|_, bucket| bucket.full_at_us() > median);
    }
}

fn per(period_us: u64, count: u32) -> u64 {
    (period_us / u64::from(count.max(1))).max(1)
}
