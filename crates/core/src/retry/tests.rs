use super::*;
use crate::chance::Chance;
use crate::failure::{Failure, FailureClass};
use crate::name::Name;
use crate::time::{Elapsed, Millis};

fn plain(backoff: Backoff, cap_ms: u64) -> RetryPolicy {
    RetryPolicy {
        backoff,
        cap: Millis::new(cap_ms),
        jitter: Jitter::None,
        attempts_max: u32::MAX,
        ..RetryPolicy::default()
    }
}

#[track_caller]
fn check_delay(name: &str, policy: &RetryPolicy, retry: u32, expected_ms: u64) {
    assert_eq!(delay(policy, retry, &mut Chance::new(1)), Millis::new(expected_ms), "{name}");
}

#[test]
fn delays_follow_the_policy_at_any_attempt() {
    let list = vec![Millis::from_secs(5), Millis::from_secs(30), Millis::from_secs(300)];
    let doubling = Backoff::Exponential { first: Millis::new(100), percent: 200 };
    let rows = [
        ("none", plain(Backoff::None, 1000), 7, 0),
        ("fixed", plain(Backoff::Fixed(Millis::new(250)), 1000), 50_000, 250),
        ("linear", plain(Backoff::Linear(Millis::new(10)), 1000), 3, 30),
        ("linear, capped", plain(Backoff::Linear(Millis::new(10)), 1000), 50_000, 1000),
        ("exponential, first", plain(doubling.clone(), 60_000), 1, 100),
        ("exponential, fourth", plain(doubling.clone(), 60_000), 4, 800),
        ("exponential, capped at 50,000", plain(doubling.clone(), 60_000), 50_000, 60_000),
        ("exponential without a cap", plain(doubling, u64::MAX), 50_000, u64::MAX),
        (
            "exponential that shrinks",
            plain(Backoff::Exponential { first: Millis::new(100), percent: 50 }, 1000),
            2,
            50,
        ),
        ("list, second", plain(Backoff::List(list.clone()), u64::MAX), 2, 30_000),
        ("list, past its end", plain(Backoff::List(list), u64::MAX), 50_000, 300_000),
        ("empty list", plain(Backoff::List(vec![]), u64::MAX), 1, 0),
    ];
    for (name, policy, retry, expected) in rows {
        check_delay(name, &policy, retry, expected);
    }
}

#[test]
fn jitter_stays_in_its_range_and_uses_it() {
    let mut full = plain(Backoff::Fixed(Millis::new(1000)), 10_000);
    full.jitter = Jitter::Full;
    let mut around = full.clone();
    around.jitter = Jitter::Percent(20);
    let mut chance = Chance::new(7);
    let drawn: Vec<u64> = (0..1000).map(|_| delay(&full, 1, &mut chance).get()).collect();
    assert!(drawn.iter().all(|ms| *ms <= 1000));
    assert!(drawn.iter().any(|ms| *ms < 100) && drawn.iter().any(|ms| *ms > 900));
    let drawn: Vec<u64> = (0..1000).map(|_| delay(&around, 1, &mut chance).get()).collect();
    assert!(drawn.iter().all(|ms| (800..=1200).contains(ms)));
    assert!(drawn.iter().any(|ms| *ms < 850) && drawn.iter().any(|ms| *ms > 1150));
}

#[test]
fn the_verdict_follows_class_code_and_count() {
    let policy = RetryPolicy { attempts_max: 3, ..plain(Backoff::Fixed(Millis::new(10)), 1000) };
    let mut narrow = policy.clone();
    narrow.only = RetryOnly { classes: vec![FailureClass::Transient], codes: vec![75] };
    let spend = Verdict::Retry { after: Millis::new(10), spend: true };
    let free = Verdict::Retry { after: Millis::ZERO, spend: false };
    let rows = [
        ("first failure", &policy, 0, FailureClass::Transient, 1, spend),
        ("last retry", &policy, 1, FailureClass::Transient, 1, spend),
        ("spent", &policy, 2, FailureClass::Transient, 1, Verdict::GiveUp),
        ("permanent", &policy, 0, FailureClass::Permanent, 1, Verdict::GiveUp),
        ("lost worker is free", &policy, 2, FailureClass::WorkerLost, 0, free),
        ("preempted is free", &policy, 2, FailureClass::Preempted, 0, free),
        ("listed code", &narrow, 0, FailureClass::Transient, 75, spend),
        ("other code", &narrow, 0, FailureClass::Transient, 1, Verdict::GiveUp),
        ("other class", &narrow, 0, FailureClass::Timeout, 75, Verdict::GiveUp),
    ];
    for (name, policy, spent, class, code, expected) in rows {
        let failure = Failure::new(class, code, "boom");
        assert_eq!(verdict(policy, spent, &failure, &mut Chance::new(1)), expected, "{name}");
    }
}

#[test]
fn a_storm_of_retries_is_spread_over_time() {
    let rates = RetryRates { overall_per_s: 1000, class_per_s: 100, job_per_min: 1_000_000 };
    let mut budget = RetryBudget::new(rates);
    let now = Elapsed::from_millis(1_000_000);
    let (tenant, job) = (Name::fixed("t"), Name::fixed("j"));
    let delays: Vec<u64> =
        (0..1000).map(|_| budget.take(FailureClass::Transient, &tenant, &job, now).get()).collect();
    assert!(delays[..100].iter().all(|ms| *ms == 0), "the burst passes at once");
    assert_eq!(delays[999], 9000, "100 a second from there on");
    assert_eq!(
        budget.take(FailureClass::Timeout, &tenant, &job, now).get(),
        1,
        "another class waits for the overall rate only"
    );
}
