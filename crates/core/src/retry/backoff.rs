//! The delay before a retry.

use super::policy::{Backoff, Jitter, RetryPolicy};
use crate::values::{Chance, Millis};

/// The wait before retry number `retry` (the first is 1), jitter included.
pub fn delay(policy: &RetryPolicy, retry: u32, chance: &mut Chance) -> Millis {
    let plain = plain_delay(&policy.backoff, retry.max(1), policy.cap).min(policy.cap);
    jittered(plain, policy.jitter, chance).min(policy.cap)
}

fn plain_delay(backoff: &Backoff, retry: u32, cap: Millis) -> Millis {
    match backoff {
        Backoff::None => Millis::ZERO,
        Backoff::Fixed(span) => *span,
        Backoff::Linear(step) => step.saturating_mul(u64::from(retry)),
        Backoff::Exponential { first, percent } => exponential(*first, *percent, retry, cap),
        Backoff::List(spans) => {
            let index = (retry as usize - 1).min(spans.len().saturating_sub(1));
            spans.get(index).copied().unwrap_or(Millis::ZERO)
        }
    }
}

fn exponential(first: Millis, percent: u32, retry: u32, cap: Millis) -> Millis {
    let mut span = first;
    for _ in 1..retry {
        let next = Millis::new(
            (u128::from(span.get()) * u128::from(percent) / 100).min(u128::from(u64::MAX)) as u64,
        );
        // Capped, or no longer growing: the remaining tens of thousands of rounds change nothing.
        if next >= cap || next <= span {
            return if percent > 100 { next.max(span) } else { next };
        }
        span = next;
    }
    span
}

fn jittered(span: Millis, jitter: Jitter, chance: &mut Chance) -> Millis {
    match jitter {
        Jitter::None => span,
        Jitter::Full => Millis::new(chance.below(span.get().saturating_add(1))),
        Jitter::Percent(share) => {
            let width = (u128::from(span.get()) * u128::from(share.min(100)) / 100) as u64;
            let low = span.get() - width;
            Millis::new(low.saturating_add(chance.below(width.saturating_mul(2).saturating_add(1))))
        }
    }
}
