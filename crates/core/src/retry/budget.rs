//! Retry budgets: token buckets that push retries later when too many come at once.
//! They are soft: lost on restart, which only lets a few retries come sooner. What they decide is
//! journaled with the retry.

use std::collections::BTreeMap;

use crate::failure::FailureClass;
use crate::name::Name;
use crate::time::{Elapsed, Millis};

/// How many retries may be released.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RetryRates {
    /// Over all tasks, a second.
    pub overall_per_s: u32,
    /// Of one failure class, a second.
    pub class_per_s: u32,
    /// Of one job, a minute.
    pub job_per_min: u32,
}

impl Default for RetryRates {
    fn default() -> Self {
        Self { overall_per_s: 5000, class_per_s: 500, job_per_min: 100 }
    }
}

/// A bucket in virtual-scheduling form: the instant at which the next token is due.
#[derive(Clone, Copy, Default, Debug)]
struct Bucket {
    /// In microseconds, because a token may cost less than a millisecond.
    next_us: u64,
}

impl Bucket {
    /// Takes a token; answers how long after `now` it is to be used. The bucket holds `burst` tokens.
    fn take(&mut self, now: Elapsed, cost_us: u64, burst: u64) -> Millis {
        let now_us = now.millis().saturating_mul(1000);
        let floor = now_us.saturating_sub(cost_us.saturating_mul(burst));
        self.next_us = self.next_us.max(floor).saturating_add(cost_us);
        Millis::new(self.next_us.saturating_sub(now_us).div_ceil(1000))
    }
}

/// Jobs whose bucket is remembered; beyond it the quietest half is forgotten.
const JOBS_MAX: usize = 10_000;

#[derive(Debug, Default)]
pub struct RetryBudget {
    rates: RetryRates,
    overall: Bucket,
    classes: [Bucket; 7],
    jobs: BTreeMap<(Name, Name), Bucket>,
}

impl RetryBudget {
    pub fn new(rates: RetryRates) -> Self {
        Self { rates, ..Self::default() }
    }

    /// The earliest delay from now at which a retry of this kind may be released.
    pub fn take(&mut self, class: FailureClass, tenant: &Name, job: &Name, now: Elapsed) -> Millis {
        let RetryRates { overall_per_s, class_per_s, job_per_min } = self.rates;
        let overall = self.overall.take(now, per(1_000_000, overall_per_s), u64::from(overall_per_s));
        let class =
            self.classes[class.index()].take(now, per(1_000_000, class_per_s), u64::from(class_per_s));
        self.forget_quiet_jobs();
        let bucket = self.jobs.entry((tenant.clone(), job.clone())).or_default();
        overall.max(class).max(bucket.take(now, per(60_000_000, job_per_min), u64::from(job_per_min)))
    }

    fn forget_quiet_jobs(&mut self) {
        if self.jobs.len() < JOBS_MAX {
            return;
        }
        let mut instants: Vec<u64> = self.jobs.values().map(|bucket| bucket.next_us).collect();
        instants.sort_unstable();
        let median = instants[instants.len() / 2];
        self.jobs.retain(|_, bucket| bucket.next_us > median);
    }
}

fn per(period_us: u64, count: u32) -> u64 {
    period_us / u64::from(count.max(1))
}
