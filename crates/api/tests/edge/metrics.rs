//! A scrape after a known story says what happened, in a form that parses.

use std::collections::{BTreeMap, BTreeSet};

use mainspring_api::ApiConfig;
use mainspring_core::calendar::Timetable;
use mainspring_core::engine::{Command, EngineConfig};
use mainspring_core::schedule::decide::ScheduleCommand;
use mainspring_core::schedule::{ScheduleHome, ScheduleKey, Spec, TASKS_JOB, Target, Timing};
use mainspring_core::task::{Profile, ProfileSpec, TaskSpec};
use mainspring_core::values::{Band, Limits, Millis, Name, Priority, Requirements, Wall};
use mainspring_proto::v1;
use mainspring_proto::v1::report::What;
use mainspring_runtime::ShardConfig;

use crate::rig::Rig;
use crate::worker::FakeWorker;

/// A scrape: values by name and labels as written, after every line was checked.
struct Scrape(BTreeMap<String, f64>);

impl Scrape {
    async fn of(rig: &Rig) -> Self {
        let answer = rig.get("/metrics").await;
        assert_eq!(answer.status, 200);
        assert!(
            answer.headers["content-type"]
                .to_str()
                .is_ok_and(|kind| kind.starts_with("application/openmetrics-text"))
        );
        Self(check(&answer.text))
    }

    /// Zero if it is not there: a counter that never counted may be left out.
    #[track_caller]
    fn value(&self, name: &str) -> f64 {
        self.0.get(&format!("mainspring_{name}")).copied().unwrap_or(0.0)
    }

    #[track_caller]
    fn is(&self, name: &str, wanted: f64) {
        assert!((self.value(name) - wanted).abs() < 1e-9, "{name} is {}, not {wanted}", self.value(name));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_accepts_only_the_older_form_gets_it() {
    let rig = Rig::start().await;
    let answer = rig.call_with("GET", "/metrics", "", &[("accept", "text/plain")]).await;
    let kind = answer.headers["content-type"].to_str().unwrap_or_default();
    assert_eq!((answer.status, kind), (200, "text/plain; version=0.0.4; charset=utf-8"));
    assert!(!answer.text.contains("# EOF") && !answer.text.contains("# UNIT"), "{}", answer.text);
    let typed: BTreeMap<&str, &str> =
        answer.text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' ')).collect();
    for (name, kind) in &typed {
        assert!(["counter", "gauge", "histogram", "untyped"].contains(kind), "{name} {kind}");
        assert!(*kind != "counter" || name.ends_with("_total"), "{name}");
    }
    assert!(typed.contains_key("mainspring_tasks_submitted_total"), "{typed:?}");
    rig.stop().await;
}

/// The run of a job with one task, once it has ended.
async fn run_of(rig: &Rig, worker: &mut FakeWorker, job: &str, succeeds: bool) {
    let run = rig.call("POST", &format!("/v1/jobs/{job}:trigger"), "").await.json();
    let start = worker.start().await;
    // Runs are timed in whole milliseconds.
    tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    if succeeds {
        worker.succeed(&start, "1").await;
    } else {
        worker.fail(&start, "permanent", "broken").await;
    }
    let id = run["run_id"].as_str().expect("a run");
    let ended = rig.get(&format!("/v1/runs/{id}?wait=10s")).await.json();
    assert_eq!(ended["state"], if succeeds { "succeeded" } else { "failed" }, "{ended:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_counted_by_job_up_to_a_bound() {
    let config = ApiConfig { metrics_jobs_max: 2, ..ApiConfig::default() };
    let rig = Rig::start_with(config, ShardConfig::default()).await;
    for job in ["nightly", "hourly", "third"] {
        let body = format!(r#"{{"job":"{job}","tasks":{{"a":{{"noop":{{}}}}}}}}"#);
        let answer = rig.call("POST", "/v1/jobs", &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    let mut worker = FakeWorker::join(rig.address, 1, 1, 4).await;
    let before = unix_ms();
    for (job, succeeds) in
        [("nightly", true), ("nightly", true), ("nightly", false), ("hourly", false), ("third", true)]
    {
        run_of(&rig, &mut worker, job, succeeds).await;
    }
    assert_eq!(rig.call("DELETE", "/v1/jobs/hourly", "").await.status, 200);
    let scrape = Scrape::of(&rig).await;
    let count = |job: &str, state: &str| {
        let tenant = if job == "other" { "other" } else { "default" };
        format!(r#"job_runs_total{{tenant="{tenant}",job="{job}",state="{state}"}}"#)
    };
    scrape.is(&count("nightly", "succeeded"), 2.0);
    scrape.is(&count("nightly", "failed"), 1.0);
    scrape.is(&count("hourly", "failed"), 1.0);
    scrape.is(&count("other", "succeeded"), 1.0);
    let of = |name: &str, job: &str| scrape.value(&format!(r#"{name}{{tenant="default",job="{job}"}}"#));
    let last = of("job_last_success_seconds", "nightly");
    assert!(last * 1e3 + 1.0 >= before as f64 && last * 1e3 <= unix_ms() as f64 + 1.0, "{last}");
    assert!(of("job_last_success_seconds", "hourly") < 1.0, "it never succeeded");
    assert!(of("job_run_seconds_total", "nightly") > 0.0);
    rig.stop().await;
}

fn unix_ms() -> u128 {
    std::time::UNIX_EPOCH.elapsed().expect("after 1970").as_millis()
}

const KINDS: [&str; 5] = ["counter", "gauge", "histogram", "info", "unknown"];

/// Every line of an `OpenMetrics` text, strictly: families announced once and in one piece, names and labels well
/// formed, counters with `_total`, buckets that grow up to the count, `# EOF` at the end and only there.
#[track_caller]
fn check(text: &str) -> BTreeMap<String, f64> {
    let body = text.strip_suffix("# EOF\n").expect("it ends with # EOF");
    let (mut values, mut families) = (BTreeMap::new(), BTreeSet::new());
    let mut family = (String::new(), String::new());
    for line in body.lines() {
        if let Some(rest) = line.strip_prefix("# ") {
            let (word, rest) = rest.split_once(' ').unwrap_or_else(|| panic!("{line}"));
            let (name, told) = rest.split_once(' ').unwrap_or_else(|| panic!("{line}"));
            assert!(is_name(name), "{line}");
            match word {
                "HELP" => {
                    assert!(told.ends_with('.') && told.len() > 10, "{line}");
                    assert!(families.insert(name.to_owned()), "twice: {line}");
                    family = (name.to_owned(), String::new());
                }
                "TYPE" => {
                    assert!(KINDS.contains(&told) && name == family.0, "{line}");
                    told.clone_into(&mut family.1);
                }
                "UNIT" => assert!(name == family.0 && name.ends_with(&format!("_{told}")), "{line}"),
                _ => panic!("{line}"),
            }
            continue;
        }
        let (series, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
        let value: f64 = value.parse().unwrap_or_else(|_| panic!("{line}"));
        let (name, labels) = series.split_once('{').map_or((series, ""), |(name, rest)| {
            (name, rest.strip_suffix('}').unwrap_or_else(|| panic!("{line}")))
        });
        assert!(is_name(name) && are_labels(labels), "{line}");
        let suffix =
            name.strip_prefix(family.0.as_str()).unwrap_or_else(|| panic!("{line} is not of {family:?}"));
        match family.1.as_str() {
            "counter" => assert_eq!(suffix, "_total", "{line}"),
            "gauge" => assert_eq!(suffix, "", "{line}"),
            "histogram" => assert!(["_sum", "_count", "_bucket"].contains(&suffix), "{line}"),
            other => panic!("{other}: {line}"),
        }
        assert!(
            !series.ends_with("{}") && values.insert(series.to_owned(), value).is_none(),
            "twice: {line}"
        );
    }
    check_buckets(body);
    values
}

fn is_name(name: &str) -> bool {
    name.starts_with("mainspring_")
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

fn are_labels(labels: &str) -> bool {
    labels.is_empty()
        || labels.split("\",").all(|label| {
            label.split_once("=\"").is_some_and(|(key, value)| {
                key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
                    && !value.trim_end_matches('"').contains('"')
            })
        })
}

/// Cumulative, and the last one is the count.
#[track_caller]
fn check_buckets(body: &str) {
    let mut last: Option<(String, f64, f64)> = None;
    for line in body.lines().filter(|line| line.contains("_bucket{")) {
        let (series, count) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
        let (rest, bound) = series.split_once("le=\"").unwrap_or_else(|| panic!("{line}"));
        let bound = bound.split('"').next().unwrap_or_default();
        let bound =
            if bound == "+Inf" { f64::INFINITY } else { bound.parse().unwrap_or_else(|_| panic!("{line}")) };
        let count: f64 = count.parse().unwrap_or_else(|_| panic!("{line}"));
        let of = format!("{rest}{}", series.rsplit_once("\",").map_or("", |(_, labels)| labels));
        if let Some((_, low, below)) = last.filter(|(before, low, _)| *before == of && low.is_finite()) {
            assert!(bound > low && count >= below, "{line}");
        }
        last = Some((of, bound, count));
    }
    assert!(last.as_ref().is_some_and(|(_, bound, _)| bound.is_infinite()), "{last:?} {body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scrape_of_a_new_server_parses() {
    let rig = Rig::start().await;
    let scrape = Scrape::of(&rig).await;
    scrape.is("shard_epoch", 1.0);
    scrape.is("workers", 0.0);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_and_sums_are_those_of_the_story() {
    let rig = Rig::start().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 10).await;
    // Three succeed, one of them after a failure; one is cancelled before it starts; one waits for its time.
    let quick = r#""retry_policy":{"max_retries":1,"backoff":"none"}"#;
    for band in ["P0", "P1", "P1"] {
        rig.submit(&format!(r#"{{"task_type":"noop","priority":"{band}",{quick}}}"#)).await;
    }
    let first = worker.start().await;
    worker.fail(&first, "transient", "broke").await;
    for _ in 0..3 {
        let start = worker.start().await;
        worker.report(&start, What::Accepted(true)).await;
        worker.succeed(&start, "1").await;
        // Heard before: nothing changes.
        worker.report(&start, What::Success(v1::Success { output: None })).await;
        assert!(worker.acknowledged().await.ignored);
    }
    let later = rig.submit(r#"{"task_type":"noop","delay_ms":60000}"#).await.task_id();
    rig.call("DELETE", &format!("/v1/tasks/{later}"), "").await;
    rig.submit(r#"{"task_type":"noop","priority":"P2","delay_ms":30}"#).await;
    let late = worker.start().await;
    worker.heartbeat().await;

    let scrape = Scrape::of(&rig).await;
    check_life(&scrape);
    scrape.is(r#"pool_workers{pool="default"}"#, 1.0);
    scrape.is(r#"pool_slots{pool="default"}"#, 10.0);
    scrape.is(r#"pool_slots_used{pool="default"}"#, 1.0);
    check_journal(&scrape);

    worker.succeed(&late, "1").await;
    let scrape = Scrape::of(&rig).await;
    scrape.is("attempt_duration_seconds_count", 5.0);
    scrape.is(r#"pool_slots_used{pool="default"}"#, 0.0);
    drop(worker);
    rig.stop().await;
}

#[track_caller]
fn check_life(scrape: &Scrape) {
    scrape.is("tasks_submitted_total", 5.0);
    scrape.is(r#"transitions_total{from="new",to="queued"}"#, 3.0);
    scrape.is(r#"transitions_total{from="new",to="pending"}"#, 2.0);
    scrape.is(r#"transitions_total{from="queued",to="assigned"}"#, 5.0);
    scrape.is(r#"transitions_total{from="assigned",to="running"}"#, 3.0);
    scrape.is(r#"transitions_total{from="running",to="succeeded"}"#, 3.0);
    scrape.is(r#"transitions_total{from="pending",to="cancelled"}"#, 1.0);
    scrape.is(r#"tasks_ended_total{state="succeeded"}"#, 3.0);
    scrape.is(r#"tasks_ended_total{state="cancelled"}"#, 1.0);
    scrape.is(r#"attempts_ended_total{outcome="succeeded"}"#, 3.0);
    scrape.is(r#"attempts_ended_total{outcome="transient"}"#, 1.0);
    scrape.is("attempt_duration_seconds_count", 4.0);
    scrape.is("duplicate_reports_total", 3.0);
    scrape.is("worker_heartbeats_total", 1.0);
    // The first one, in P0, had two attempts.
    scrape.is(r#"scheduling_delay_seconds_count{band="P0"}"#, 2.0);
    scrape.is(r#"scheduling_delay_seconds_count{band="P1"}"#, 2.0);
    scrape.is(r#"scheduling_delay_seconds_count{band="P2"}"#, 1.0);
    scrape.is(r#"lateness_seconds_count{band="P2"}"#, 1.0);
    assert!(scrape.value(r#"lateness_seconds_sum{band="P2"}"#) < 30.0);
}

#[track_caller]
fn check_journal(scrape: &Scrape) {
    let records = scrape.value("journal_records");
    assert!(records >= 5.0);
    // The epoch was begun with a record before anything was measured or with one that was: no more than that differs.
    let measured = scrape.value("commit_duration_seconds_count");
    assert!(measured >= 1.0 && measured <= records, "{measured} of {records}");
    scrape.is("record_events_count", measured);
    assert!(scrape.value("record_events_sum") >= 15.0);
    assert!(scrape.value("journal_written_bytes_total") > 0.0);
    scrape.is("appends_failed_total", 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_worker_and_its_attempt_are_counted() {
    let limits = Limits { lease: Millis::new(150), ..Limits::default() };
    let engine = EngineConfig { limits, ..EngineConfig::default() };
    let rig = Rig::start_with(ApiConfig::default(), ShardConfig { engine, ..ShardConfig::default() }).await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 1).await;
    rig.submit(r#"{"task_type":"noop"}"#).await;
    let start = worker.start().await;
    worker.report(&start, What::Accepted(true)).await;
    for _ in 0..500 {
        let scrape = Scrape::of(&rig).await;
        if scrape.value("lease_expiries_total") > 0.0 {
            scrape.is("lease_expiries_total", 1.0);
            scrape.is("workers_lost_total", 1.0);
            scrape.is(r#"attempts_ended_total{outcome="worker_lost"}"#, 1.0);
            drop(worker);
            return drop(rig.stop().await);
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("the worker was never lost");
}

/// A task in band P0, at one instant.
fn scheduled(at: Wall) -> Command {
    let requirements = Requirements { pool: Name::fixed("default"), ..Requirements::default() };
    let profile = Profile::new(ProfileSpec { requirements, ..ProfileSpec::default() });
    let task = TaskSpec { priority: Priority::of(Band::P0), ..TaskSpec::new(profile, Vec::new().into()) };
    let spec = Spec::new(Target::Task(Box::new(task)), Timing::Table(Timetable::instants(vec![at])));
    let key =
        ScheduleKey { tenant: Name::fixed("acme"), job: Name::fixed(TASKS_JOB), name: Name::fixed("once") };
    Command::Schedule(Box::new(ScheduleCommand::Put { key, spec, own: ScheduleHome::default(), seen: None }))
}

#[tokio::test(flavor = "multi_thread")]
async fn windows_of_schedules_are_counted_with_their_lateness() {
    let rig = Rig::start().await;
    let mut worker = FakeWorker::join(rig.address, 1, 1, 1).await;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    rig.tell(vec![scheduled(Wall::from_millis(now.as_millis() as u64 + 300))]);
    let start = worker.start().await;
    let scrape = Scrape::of(&rig).await;
    // A busy machine may be late.
    let windows =
        |outcome| scrape.value(&format!(r#"schedule_windows_total{{outcome="{outcome}",reason=""}}"#));
    assert!((windows("ran") + windows("late") - 1.0).abs() < 1e-9);
    scrape.is(r#"schedule_lateness_seconds_count{band="P0"}"#, 1.0);
    scrape.is(r#"schedule_lateness_seconds_count{band="P1"}"#, 0.0);
    scrape.is("schedules_armed", 0.0);
    scrape.is("schedules_unarmed_total", 0.0);
    rig.tell(vec![scheduled(Wall::from_millis(now.as_millis() as u64 + 3_600_000))]);
    worker.succeed(&start, "1").await;
    Scrape::of(&rig).await.is("schedules_armed", 1.0);
    drop(worker);
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tenants_beyond_the_bound_share_a_name() {
    let rig = Rig::start().await;
    let tasks: Vec<String> =
        (0..250).map(|n| format!(r#"{{"task_type":"noop","tenant":"t{n:03}"}}"#)).collect();
    assert_eq!(rig.call("POST", "/v1/tasks:batch", &format!("[{}]", tasks.join(","))).await.status, 202);
    let scrape = Scrape::of(&rig).await;
    let depths: Vec<(&String, &f64)> =
        scrape.0.iter().filter(|(name, _)| name.starts_with("mainspring_queue_depth{")).collect();
    assert_eq!(depths.len(), 201);
    assert!((depths.iter().map(|(_, count)| **count).sum::<f64>() - 250.0).abs() < 1e-9);
    let other = depths.iter().find(|(name, _)| name.contains(r#"tenant="other""#));
    assert!(other.is_some_and(|(_, count)| (**count - 50.0).abs() < 1e-9), "{other:?}");
    rig.stop().await;
}
