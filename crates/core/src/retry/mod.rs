//! Retries: whether a failed attempt is followed by another, and when.
//! Entry: [`verdict`]. Pure: chance comes in as an argument.
//! - RT-1 a task never spends more than `attempts_max - 1` retries
//! - RT-2 a delay is never above the cap, and arithmetic saturates at any attempt number
//! - RT-3 what is spent and when it is due is journaled, never computed again on replay
//!
//! Not here: quarantine (`task::poison`), placing the next attempt (`dispatch`).

mod backoff;
mod budget;
mod policy;
mod verdict;

pub use self::{
    backoff::delay,
    budget::{BudgetKind, RetryBudgets, RetryCounts, RetryRates, RetryScope},
    policy::{Backoff, ClassRule, DELAYS_MAX, Jitter, RetryOnly, RetryPolicy},
    verdict::{Verdict, verdict},
};

#[cfg(test)]
mod tests;
