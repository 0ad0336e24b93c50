use super::*;
use crate::task::{Profile, ProfileSpec};
use crate::values::{Chance, Elapsed, Failure, FailureClass, Millis, Name};

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

/// A budget of single tasks that use this target.
fn scope(target: &'static str) -> RetryScope {
    let spec =
        ProfileSpec { tenant: Name::fixed("t"), executor: Name::fixed("process"), ..ProfileSpec::default() };
    RetryScope::of(&Profile::new(spec), || Name::fixed(target))
}

fn scope_of_job(job: &'static str) -> RetryScope {
    let spec = ProfileSpec { tenant: Name::fixed("t"), job: Name::fixed(job), ..ProfileSpec::default() };
    RetryScope::of(&Profile::new(spec), || unreachable!("a task of a job needs no target"))
}

#[test]
fn three_hundred_quick_retries_are_not_delayed_right_after_the_first_start() {
    let mut budgets = RetryBudgets::new(RetryRates::default());
    for n in 0..300 {
        let taken = budgets.take(scope("curl"), Millis::new(500), Elapsed::from_millis(n));
        assert_eq!(taken, (Millis::new(500), None), "retry {n}");
    }
    assert_eq!(budgets.counts(), RetryCounts { spent: [0, 300, 0], delayed: [0; 3] });
}

#[test]
fn a_storm_of_one_target_is_spread_over_time_and_delays_no_other() {
    let rates = RetryRates { overall_per_s: 150, per_min: 6000, burst: 100 };
    let mut budgets = RetryBudgets::new(rates);
    let now = Elapsed::from_millis(1_000_000);
    let mut take = |scope| budgets.take(scope, Millis::ZERO, now);
    let taken: Vec<_> = (0..1000).map(|_| take(scope("curl"))).collect();
    assert!(taken[..100].iter().all(|taken| *taken == (Millis::ZERO, None)), "the burst passes at once");
    assert_eq!(taken[999], (Millis::new(9000), Some(BudgetKind::Target)), "100 a second from there on");
    assert_eq!(take(scope("wget")), (Millis::ZERO, None), "another program");
    assert_eq!(take(scope_of_job("nightly")), (Millis::ZERO, None), "a job");
    for _ in 0..48 {
        assert_eq!(take(scope("wget")), (Millis::ZERO, None));
    }
    assert_eq!(take(scope_of_job("other")), (Millis::new(7), Some(BudgetKind::Overall)), "all together");
    let counts = budgets.counts();
    assert_eq!((counts.spent, counts.delayed), ([2, 1049, 0], [0, 900, 1]));
}

#[test]
fn a_target_that_fails_for_ten_minutes_gets_a_fifth_more_load() {
    const TASKS: u64 = 50_000;
    const SPAN_MS: u64 = 600_000;
    let mut budgets = RetryBudgets::new(RetryRates::default());
    let retries = (0..TASKS)
        .map(|n| n * SPAN_MS / TASKS)
        .filter(|at| {
            let (wait, _) = budgets.take(scope("api"), Millis::from_secs(1), Elapsed::from_millis(*at));
            at + wait.get() < SPAN_MS
        })
        .count() as u64;
    assert!((TASKS / 10..=TASKS / 5).contains(&retries), "{retries} retries in ten minutes");
}

#[test]
fn budgets_in_memory_are_bounded_and_those_in_use_stay() {
    let mut budgets = RetryBudgets::new(RetryRates { burst: 10, ..RetryRates::default() });
    let now = Elapsed::from_millis(5);
    for _ in 0..1000 {
        budgets.take(scope("busy"), Millis::ZERO, now);
    }
    let profile = Profile::new(ProfileSpec::default());
    for n in 0..50_000 {
        let target = || Name::new(&format!("p{n}")).expect("a name");
        budgets.take(RetryScope::of(&profile, target), Millis::ZERO, now);
    }
    assert!(budgets.len() <= 10_000, "{} budgets", budgets.len());
    let (wait, by) = budgets.take(scope("busy"), Millis::ZERO, now);
    assert!(wait > Millis::from_secs(60) && by == Some(BudgetKind::Target), "{wait} {by:?}");
}

#[test]
fn only_an_exponential_backoff_has_jitter_by_default() {
    let span = Millis::new(500);
    for backoff in [Backoff::None, Backoff::Fixed(span), Backoff::Linear(span), Backoff::List(vec![span])] {
        assert_eq!(backoff.jitter_default(), Jitter::None, "{backoff:?}");
    }
    assert_eq!(RetryPolicy::default().jitter, Jitter::Full);
}
