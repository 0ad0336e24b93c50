//! Half a million unfinished runs on disk: how long until the shard accepts again, and the memory that takes. Each run is a
//! chain of ten tasks, of which five have succeeded with an output and one is queued.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mainspring_core::decision::{Effect, Start};
use mainspring_core::engine::{Answer, Command};
use mainspring_core::job::{
    Bounds, Definition, FailurePolicy, JobKey, Node, NodeWork, Plan as JobPlan, TaskWork, TriggerRule,
};
use mainspring_core::run::decide::{ApplyJob, RunAnswer, RunCommand, TriggerRun};
use mainspring_core::run::{NodeStatus, Run, StartedBy};
use mainspring_core::task::decide::{Report, ReportKind};
use mainspring_core::task::{Profile, ProfileSpec};
use mainspring_core::values::{Bucket, Chance, Name, Priority, Requirements, RunId, group_of};
use mainspring_runtime::ShardConfig;

use super::load::{Rig, Source, hello, now_ms, server_memory};
use super::{Figures, Plan};

const RUNS: u64 = 500_000;
const JOBS: u64 = 100;
const TASKS: u32 = 10;
/// Tasks of a run that succeed; the next one is for a pool without workers.
const ENDED: u32 = 5;
const OUTPUT_BYTES: usize = 200;
/// Runs triggered whose tasks have not all ended, at most.
const WINDOW: u64 = 5_000;
const WORKER_SLOTS: u32 = 20_000;
/// Openings that are timed. Each reads the same tables; the first one finds the cache as the setup left it.
const OPENINGS: usize = 3;

pub(super) fn run(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let runs = plan.scaled(RUNS);
    let data = dir.join("runs");
    let samples = fill(&data, runs)?;
    let mut source = Source::new();
    let mut times = Vec::new();
    for _ in 0..OPENINGS {
        let start = Instant::now();
        let rig = Rig::open(&data, &config())?;
        let replies = rig.call(vec![source.submit(now_ms())]);
        times.push(start.elapsed().as_secs_f64());
        anyhow::ensure!(
            matches!(replies[..], [Ok(Answer::Submitted { .. })]),
            "the recovered shard accepts: {replies:?}"
        );
        for id in &samples {
            check(&rig, *id)?;
        }
        rig.node.stop();
    }
    times.sort_by(f64::total_cmp);
    let what =
        format!("recovery with {runs} unfinished runs of {TASKS} tasks, until a submission is acknowledged");
    figures.add("runs_recovery_s", &what, times[OPENINGS / 2], "s", ("5", "–"));
    figures.add("runs_recovery_slowest_s", "the slowest of three", times[OPENINGS - 1], "s", ("–", "–"));
    let (resident, peak) = server_memory(&data)?;
    let of_a_run = |bytes: u64| bytes as f64 / runs as f64;
    figures.add("runs_bytes", "memory of a server after it, per run", of_a_run(resident), "B", ("–", "–"));
    figures.add("runs_peak_bytes", "the most it had, per run", of_a_run(peak), "B", ("–", "–"));
    Ok(())
}

/// Releases are not slowed down: what is measured comes afterwards.
fn config() -> ShardConfig {
    let mut config = ShardConfig::default();
    config.engine.limits.release_per_second = u32::MAX;
    config.engine.limits.runs_max = usize::MAX;
    config
}

fn key(job: u64) -> JobKey {
    let name = Name::new(&format!("chain-{job}")).expect("a short name");
    JobKey { tenant: Name::fixed("bench"), name }
}

fn apply(number: u64) -> Command {
    let key = key(number);
    let profile = |pool| {
        Profile::new(ProfileSpec {
            tenant: key.tenant.clone(),
            job: key.name.clone(),
            executor: Name::fixed("noop"),
            requirements: Requirements { pool: Name::fixed(pool), ..Requirements::default() },
            ..ProfileSpec::default()
        })
    };
    let (here, nowhere) = (profile("default"), profile("nobody"));
    let node = |at: u32| Node {
        name: Name::new(&format!("step-{at}")).expect("a short name"),
        work: NodeWork::Task(TaskWork {
            profile: if at < ENDED { here.clone() } else { nowhere.clone() },
            payload: Arc::from(*b"{}"),
            priority: Priority::default(),
            labels: None,
            templated: false,
        }),
        needs: at.checked_sub(1).into_iter().collect(),
        rule: TriggerRule::AllSuccess,
        condition: None,
        each: None,
        repeat: None,
        undo: None,
        mentions: Vec::new(),
        output_kept: true,
        limits: Vec::new(),
        spawns: None,
        needs_jobs: Vec::new(),
    };
    let bounds = Bounds { active_runs_max: u32::MAX, release_per_second: u32::MAX, ..Bounds::default() };
    let plan = JobPlan::new((0..TASKS).map(node).collect(), FailurePolicy::FailFast, bounds, None);
    let definition = Definition { plan: Arc::new(plan), source: Arc::from(*b"{}"), hash: 1 };
    let (schedules, triggers) = (Vec::new(), Vec::new());
    Command::Run(Box::new(RunCommand::ApplyJobs(vec![ApplyJob {
        key,
        definition,
        schedules,
        triggers,
        seen: None,
    }])))
}

/// Lets the engine run every run up to its queued task; a few of their ids.
fn fill(data: &Path, runs: u64) -> anyhow::Result<Vec<RunId>> {
    let rig = Rig::open(data, &config())?;
    let applied = rig.call((0..JOBS).map(apply).collect());
    anyhow::ensure!(applied.iter().all(Result::is_ok), "the jobs are not taken: {applied:?}");
    rig.call(vec![hello(WORKER_SLOTS)]);
    let (mut chance, mut samples) = (Chance::new(3), BTreeSet::new());
    let (mut triggered, mut finished) = (0, 0);
    while finished < runs * u64::from(ENDED) {
        while triggered < runs && triggered - finished / u64::from(ENDED) < WINDOW {
            let ids = trigger(&rig, &mut chance, 1_000.min(runs - triggered));
            triggered += ids.len() as u64;
            samples.extend(ids.first().copied().filter(|_| samples.len() < 20));
        }
        let Ok(effects) = rig.effects.recv_timeout(Duration::from_secs(30)) else {
            anyhow::bail!("{finished} tasks have ended, and nothing more happens");
        };
        let mut reports = Vec::new();
        for effect in effects {
            match effect {
                Effect::Start(start) => reports.push(report(&start, &mut chance)),
                Effect::Acknowledge { .. } => finished += 1,
                _ => {}
            }
        }
        if !reports.is_empty() {
            rig.send(reports);
        }
    }
    rig.node.stop();
    Ok(samples.into_iter().collect())
}

/// Runs that were accepted; the others were refused because the tables lag.
fn trigger(rig: &Rig, chance: &mut Chance, count: u64) -> Vec<RunId> {
    let made: Vec<(RunId, Command)> = (0..count)
        .map(|_| {
            let job = key(chance.draw() % JOBS);
            let id = RunId::new(now_ms(), Bucket::home(group_of(&job.tenant)), chance.draw());
            let run = TriggerRun {
                id,
                job,
                parameters: Arc::from(*b"{}"),
                priority: None,
                labels: None,
                key: None,
                trigger: StartedBy::Manual,
                logical_time: None,
            };
            (id, Command::Run(Box::new(RunCommand::Trigger(Box::new(run)))))
        })
        .collect();
    let (ids, commands): (Vec<RunId>, Vec<Command>) = made.into_iter().unzip();
    let replies = rig.call(commands);
    ids.into_iter().zip(replies).filter(|(_, reply)| reply.is_ok()).map(|(id, _)| id).collect()
}

fn report(start: &Start, chance: &mut Chance) -> Command {
    let output = [chance.draw() as u8; OUTPUT_BYTES];
    Command::Report(Box::new(Report {
        worker: start.worker,
        session: start.session,
        task: start.task,
        fence: start.fence,
        what: ReportKind::Succeeded { output: Some(Arc::from(output)) },
        details: None,
    }))
}

/// The run stands where the setup left it.
fn check(rig: &Rig, id: RunId) -> anyhow::Result<()> {
    let replies = rig.call(vec![Command::Run(Box::new(RunCommand::ReadRun { id }))]);
    let [Ok(Answer::Run(RunAnswer::Found(Some(run))))] = &replies[..] else {
        anyhow::bail!("{id} is not found: {replies:?}");
    };
    let run: &Run = run;
    let outputs = run.outputs.values().filter(|output| output.len() == OUTPUT_BYTES).count();
    let (ended, out) = (run.count(NodeStatus::Succeeded), run.count(NodeStatus::Out));
    anyhow::ensure!(
        (ended, out, outputs) == (ENDED as usize, 1, ENDED as usize),
        "{id} has {ended} ended tasks, {out} queued, {outputs} outputs"
    );
    Ok(())
}
