//! A million schedules: what they cost at rest, how long until a start has them all, and how late a herd begins.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mainspring_core::calendar::{Cron, Dst, Timetable, Zone};
use mainspring_core::engine::{Answer, Command};
use mainspring_core::job::{
    Bounds, Definition, FailurePolicy, JobKey, Node, NodeWork, Plan as JobPlan, TaskWork, TriggerRule,
};
use mainspring_core::run::decide::{ApplyJob, RunCommand};
use mainspring_core::schedule::decide::ScheduleCommand;
use mainspring_core::schedule::{ScheduleHome, ScheduleKey, Spec, TASKS_JOB, Target, Timing};
use mainspring_core::task::{Profile, ProfileSpec, TaskSpec};
use mainspring_core::values::{Name, Priority, Requirements, Wall};
use mainspring_runtime::ShardConfig;

use super::load::{Rig, now_ms, server_memory};
use super::{Figures, Plan, machine};

const JOB: &str = "report";
const STORED: u64 = 1_000_000;
const HERD: u64 = 100_000;
/// How far ahead the herd is due when the first of it is stored.
const HERD_IN: Duration = Duration::from_secs(20);
const IDLE: Duration = Duration::from_secs(5);

struct Maker {
    profile: Arc<Profile>,
    payload: Arc<[u8]>,
}

impl Maker {
    fn new() -> Self {
        let spec = ProfileSpec {
            tenant: Name::fixed("bench"),
            job: Name::fixed("noop"),
            executor: Name::fixed("noop"),
            requirements: Requirements { pool: Name::fixed("default"), ..Requirements::default() },
            ..ProfileSpec::default()
        };
        Self { profile: Profile::new(spec), payload: Arc::from(*b"{}") }
    }

    /// One task.
    fn job(&self) -> Command {
        let work = NodeWork::Task(TaskWork {
            profile: self.profile.clone(),
            payload: self.payload.clone(),
            priority: Priority::default(),
            labels: None,
            templated: false,
        });
        let node = Node {
            name: Name::fixed("only"),
            work,
            needs: Vec::new(),
            rule: TriggerRule::AllSuccess,
            condition: None,
            each: None,
            repeat: None,
            undo: None,
            mentions: Vec::new(),
            output_kept: false,
            limits: Vec::new(),
            spawns: None,
            needs_jobs: Vec::new(),
        };
        let plan = JobPlan::new(vec![node], FailurePolicy::FailFast, Bounds::default(), None);
        let definition = Definition { plan: Arc::new(plan), source: Arc::from(*b"{}"), hash: 1 };
        let key = JobKey { tenant: Name::fixed("bench"), name: Name::fixed(JOB) };
        let (schedules, triggers) = (Vec::new(), Vec::new());
        Command::Run(Box::new(RunCommand::ApplyJobs(vec![ApplyJob {
            key,
            definition,
            schedules,
            triggers,
            seen: None,
        }])))
    }

    /// A schedule of that job.
    fn put_run(&self, name: &str, timing: Timing) -> Command {
        let key = ScheduleKey {
            tenant: Name::fixed("bench"),
            job: Name::fixed(JOB),
            name: Name::new(name).expect("a short name"),
        };
        let target = Target::Run { parameters: self.payload.clone(), priority: None };
        let spec = Spec::new(target, timing);
        Command::Schedule(Box::new(ScheduleCommand::Put {
            key,
            spec,
            own: ScheduleHome::default(),
            seen: None,
        }))
    }

    fn put(&self, name: &str, timing: Timing, text: &str) -> Command {
        self.put_with(self.payload.clone(), name, timing, text)
    }

    fn put_with(&self, payload: Arc<[u8]>, name: &str, timing: Timing, text: &str) -> Command {
        let key = ScheduleKey {
            tenant: Name::fixed("bench"),
            job: Name::fixed(TASKS_JOB),
            name: Name::new(name).expect("a short name"),
        };
        let task = TaskSpec::new(self.profile.clone(), payload);
        let spec = Spec::new(Target::Task(Box::new(task)), timing).on(|terms| terms.text = text.into());
        Command::Schedule(Box::new(ScheduleCommand::Put {
            key,
            spec,
            own: ScheduleHome::default(),
            seen: None,
        }))
    }
}

/// Stores them in batches; those that are refused because the tables lag are offered again.
fn store(rig: &Rig, count: u64, make: impl Fn(u64) -> Command) {
    let mut left: Vec<u64> = (0..count).rev().collect();
    while !left.is_empty() {
        let batch: Vec<u64> = left.split_off(left.len().saturating_sub(1000));
        let replies = rig.call(batch.iter().map(|number| make(*number)).collect());
        let refused =
            batch.iter().zip(&replies).filter(|(_, reply)| reply.is_err()).map(|(number, _)| *number);
        left.extend(refused);
    }
}

pub(super) fn run(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    computation(figures)?;
    at_rest(plan, dir, figures)?;
    herds(plan, dir, figures)
}

fn computation(figures: &mut Figures) -> anyhow::Result<()> {
    let zone = Zone::find("America/New_York").ok_or_else(|| anyhow::anyhow!("the zone is known"))?;
    let rows = [
        ("next_minutes_ns", "*/5 * * * *", "1,000"),
        ("next_weekdays_ns", "0 9 * * MON-FRI", "1,000"),
        ("next_sparse_ns", "0 0 29 2 *", "20,000"),
    ];
    for (key, text, floor) in rows {
        let cron = Cron::parse(text, 0).map_err(|error| anyhow::anyhow!("{error}"))?;
        let table = Timetable::Cron { cron, zone, dst: Dst::default() };
        let (mut at, mut count) = (Wall::from_millis(now_ms()), 0_u32);
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(300) {
            for _ in 0..1000 {
                at = table.next(at).map_or(Wall::from_millis(now_ms()), |next| next.at);
            }
            count += 1000;
        }
        let each = start.elapsed().as_nanos() as f64 / f64::from(count);
        figures.add(key, &format!("next time of `{text}` in New York"), each, "ns", (floor, "–"));
    }
    Ok(())
}

fn at_rest(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let count = plan.scaled(STORED);
    let data = dir.join("schedules");
    let rig = Rig::open(&data, &ShardConfig::default())?;
    let maker = Maker::new();
    let start = Instant::now();
    daily(&rig, &maker, count, |_| maker.payload.clone());
    let rate = count as f64 / start.elapsed().as_secs_f64();
    figures.add("schedules_stored_per_s", "schedules stored a second", rate, "/s", ("–", "–"));
    rig.node.stop();
    // In processes of their own: what this one has used and given back would count as free.
    let (none, all) = (server_memory(&dir.join("empty"))?.0, server_memory(&data)?.0);
    let each = |bytes: u64| bytes.saturating_sub(none) as f64 / count as f64;
    figures.add("schedule_bytes", "memory of a server per schedule", each(all), "B", ("600", "–"));
    let unlike = all_different(&dir.join("different"), &maker, count)?;
    let what = "the same, with a payload of its own for each";
    figures.add("schedule_different_bytes", what, each(unlike), "B", ("–", "–"));
    let start = Instant::now();
    let rig = Rig::open(&data, &ShardConfig::default())?;
    let replies = rig.call(vec![maker.put(
        "one-more",
        Timing::After(mainspring_core::values::Millis::from_secs(86_400)),
        "",
    )]);
    anyhow::ensure!(matches!(replies[..], [Ok(Answer::Schedule(_))]), "it answers: {replies:?}");
    let what = format!("start with {count} schedules, until one more is acknowledged");
    figures.add("schedules_start_s", &what, start.elapsed().as_secs_f64(), "s", ("10", "–"));
    let cpu = machine::cpu_time();
    // What is measured is rest.
    std::thread::sleep(IDLE);
    let busy = machine::cpu_time().saturating_sub(cpu).as_secs_f64() / IDLE.as_secs_f64() * 100.0;
    figures.add("schedules_idle_percent", "CPU at rest, of one core", busy, "%", ("2", "–"));
    rig.node.stop();
    Ok(())
}

/// Once a day, spread over its minutes, in the past half of the day so that none is due while this runs.
fn daily(rig: &Rig, maker: &Maker, count: u64, payload: impl Fn(u64) -> Arc<[u8]>) {
    let hour = (now_ms() / 3_600_000 + 20) % 24;
    store(rig, count, |number| {
        let text = format!("{} {} * * *", number % 60, (hour + number / 60 % 3) % 24);
        let cron = Cron::parse(&text, 0).expect("a cron expression");
        let table = Timetable::Cron { cron, zone: Zone::UTC, dst: Dst::default() };
        maker.put_with(payload(number), &format!("schedule-{number}"), Timing::Table(table), &text)
    });
}

/// What a server has in memory with as many schedules of which no two say the same.
fn all_different(data: &Path, maker: &Maker, count: u64) -> anyhow::Result<u64> {
    let rig = Rig::open(data, &ShardConfig::default())?;
    daily(&rig, maker, count, |number| format!("{{\"customer\":{number}}}").into_bytes().into());
    rig.node.stop();
    let bytes = server_memory(data)?.0;
    std::fs::remove_dir_all(data)?;
    Ok(bytes)
}

/// `key`, `what`: of the figures. `make`: the schedule of this number, due then.
fn herd(
    count: u64,
    rig: &Rig,
    (key, what): (&str, &str),
    make: impl Fn(u64, Timing) -> Command,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let at = Wall::from_millis((now_ms() + HERD_IN.as_millis() as u64) / 1000 * 1000);
    store(rig, count, |number| make(number, Timing::Table(Timetable::instants(vec![at]))));
    anyhow::ensure!(now_ms() < at.millis(), "storing the herd took longer than {HERD_IN:?}");
    std::thread::sleep(Duration::from_millis(at.millis() - now_ms()));
    let started = Instant::now();
    let fired = loop {
        let measured = rig.node.measured().ok_or_else(|| anyhow::anyhow!("the shard stopped"))?;
        let fired: u64 = measured.tally.windows().map(|(_, _, windows)| windows).sum();
        if fired >= count {
            break measured;
        }
        anyhow::ensure!(started.elapsed() < Duration::from_mins(2), "{fired} of {count} windows came");
        std::thread::sleep(Duration::from_millis(5));
    };
    // An answer is given when all that came before it is durable.
    rig.call(vec![Command::Schedule(Box::new(ScheduleCommand::Upcoming {
        from: 0,
        until: at,
        tenant: None,
    }))]);
    let whole = now_ms().saturating_sub(at.millis());
    let ran = fired.tally.windows().filter(|(outcome, ..)| matches!(*outcome, "ran" | "late"));
    let ran: u64 = ran.map(|(_, _, windows)| windows).sum();
    let last = format!("{count} schedules due at once: until the last of their {what} is durable");
    figures.add(&format!("{key}_last_ms"), &last, whole as f64, "ms", ("2,000", "1,000"));
    let began = format!("{what} that began");
    figures.add(&format!("{key}_began"), &began, ran as f64, "", ("–", "–"));
    Ok(())
}

fn herds(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let (count, maker) = (plan.scaled(HERD), Maker::new());
    let rig = Rig::open(&dir.join("tasks"), &ShardConfig::default())?;
    let make = |number, timing| maker.put(&format!("herd-{number}"), timing, "");
    herd(count, &rig, ("herd", "tasks"), make, figures)?;
    rig.node.stop();
    let rig = Rig::open(&dir.join("runs"), &ShardConfig::default())?;
    let applied = rig.call(vec![maker.job()]);
    anyhow::ensure!(applied.iter().all(Result::is_ok), "the job is not taken: {applied:?}");
    let make = |number, timing| maker.put_run(&format!("herd-{number}"), timing);
    herd(count, &rig, ("herd_runs", "runs"), make, figures)?;
    rig.node.stop();
    Ok(())
}
