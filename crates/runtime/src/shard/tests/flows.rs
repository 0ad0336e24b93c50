//! Runs over crashes, and ended runs that left memory.

use super::*;
use mainspring_core::job::{
    Bounds, Definition, FailurePolicy, JobKey, Node, NodeWork, Plan, TaskWork, TriggerRule,
};
use mainspring_core::run::decide::{ApplyJob, Clear, ClearItems, RunAnswer, RunCommand, TriggerRun};
use mainspring_core::run::{NodeStatus, Run, StartedBy};
use mainspring_core::values::{Actor, EntityKind, Group, NodeInstance, RunStatus};

fn cutting() -> ShardConfig {
    ShardConfig { cut_every: Millis::ZERO, ..ShardConfig::default() }
}

fn node(name: &'static str, needs: &[u32]) -> Node {
    let requirements = Requirements { pool: Name::fixed("default"), ..Requirements::default() };
    Node {
        name: Name::fixed(name),
        work: NodeWork::Task(TaskWork {
            profile: Profile::new(ProfileSpec { requirements, ..ProfileSpec::default() }),
            payload: Arc::from(*b"payload"),
            priority: Priority::default(),
            labels: None,
            templated: false,
        }),
        needs: needs.to_vec(),
        rule: TriggerRule::AllSuccess,
        condition: None,
        each: None,
        repeat: None,
        undo: None,
        mentions: vec![],
        output_kept: true,
        limits: vec![],
        spawns: None,
        needs_jobs: vec![],
    }
}

fn chain_key() -> JobKey {
    JobKey { tenant: Name::fixed("acme"), name: Name::fixed("etl") }
}

impl Rig {
    fn flow(&mut self, command: RunCommand) -> RunAnswer {
        match self.call(Command::Run(Box::new(command))) {
            Ok(Answer::Run(answer)) => answer,
            other => panic!("{other:?}"),
        }
    }

    /// A run of `a -> b`, with `a` started.
    fn chain(&mut self) -> RunId {
        self.hello();
        self.apply_chain();
        self.trigger_chain(7)
    }

    fn apply_chain(&mut self) {
        let nodes = vec![node("a", &[]), node("b", &[0])];
        let plan = Plan::new(nodes, FailurePolicy::FailFast, Bounds::default(), None);
        let definition = Definition { plan: Arc::new(plan), source: Arc::from(*b"{}"), hash: 1 };
        let (schedules, triggers) = Default::default();
        let chain = ApplyJob { key: chain_key(), definition, schedules, triggers, seen: None };
        self.flow(RunCommand::ApplyJobs(vec![chain]));
    }

    fn trigger_chain(&mut self, number: u64) -> RunId {
        let id = RunId::new(self.ms, Bucket::home(Group::ZERO), number);
        self.flow(RunCommand::Trigger(Box::new(TriggerRun {
            id,
            job: chain_key(),
            parameters: Arc::from(*b"{}"),
            priority: None,
            labels: None,
            key: None,
            trigger: StartedBy::Manual,
            logical_time: None,
        })));
        id
    }

    fn run_row(&mut self, id: RunId) -> Arc<Run> {
        match self.flow(RunCommand::ReadRun { id }) {
            RunAnswer::Found(Some(run)) => run,
            other => panic!("{other:?}"),
        }
    }

    fn run_in_memory(&self, id: RunId) -> bool {
        self.shard.engine().state().job_runs().run(id).is_some()
    }

    fn clear(&mut self, id: RunId, name: &'static str) {
        let over = Actor { actor: Name::fixed("ann"), reason: Name::fixed("again") };
        let clear = Clear { id, nodes: vec![Name::fixed(name)], items: ClearItems::All, over, fact: None };
        self.flow(RunCommand::Clear(Box::new(clear)));
    }
}

#[test]
fn a_run_keeps_its_outputs_over_a_crash() {
    for config in [quiet(), cutting()] {
        let mut rig = rig_with(config);
        let id = rig.chain();
        rig.succeed_with(Some(b"seven"));
        let before = rig.run_row(id);
        let mut rig = rig.crash_and_open(2);
        let run = rig.run_row(id);
        assert_eq!(run.outputs, before.outputs);
        assert_eq!(&*run.outputs[&(0, NodeInstance::WHOLE)], b"seven");
        assert_eq!((run.output_bytes, run.node(1).status), (5, NodeStatus::Out));
        assert_eq!(run.node(1).ends, before.node(1).ends, "the counters are derived again");
    }
}

/// More unfinished runs than a page has, many of them with an output.
fn many_runs() -> Rig {
    let mut rig = rig_with(cutting());
    rig.hello();
    rig.apply_chain();
    for number in 0..50_u64 {
        rig.trigger_chain(number);
        if number % 2 == 0 {
            rig.succeed_with(Some(&number.to_be_bytes()));
        }
    }
    rig
}

#[test]
fn runs_come_back_alike_however_many_threads_decode_them() {
    let rig = many_runs();
    let all = |disk: &Disk| {
        let rig = Rig::open(disk.clone(), cutting(), 2, START + 60_000);
        let runs = rig.shard.engine().state().job_runs().runs();
        runs.iter().map(|(slot, run)| (slot, run.clone())).collect::<Vec<_>>()
    };
    let alone = all(&rig.disk);
    assert!(alone.len() > 30, "several pages: {}", alone.len());
    assert!(alone.iter().any(|(_, run)| run.outputs.len() == 1));
    for readers in 1..4 {
        assert_eq!(all(&Disk { readers, ..rig.disk.clone() }), alone, "{readers} threads");
    }
}

#[test]
fn a_run_that_cannot_be_read_stops_the_opening_whoever_reads_it() {
    let mut disk = many_runs().disk;
    let (id, row) = disk.runs.iter_mut().filter(|(_, row)| row.ended.is_none()).nth(33).expect("a run");
    row.bytes.truncate(20);
    let id = *id;
    for readers in 0..4 {
        let mut disk = Disk { readers, ..disk.clone() };
        let reading = Reading::new(Millis::new(START), Wall::from_millis(START));
        let opened = Shard::<u32>::recover(cutting(), Epoch::new(2), &mut disk, reading);
        let error = opened.err().expect("it does not open").to_string();
        assert!(error.contains(&id.to_string()), "{readers} threads: {error}");
    }
}

#[test]
fn an_ended_run_that_left_memory_is_read_and_cleared() {
    let mut rig = rig_with(cutting());
    let id = rig.chain();
    rig.succeed_with(Some(b"seven"));
    rig.succeed();
    assert!(!rig.run_in_memory(id));
    let ended = rig.run_row(id);
    assert_eq!(ended.status, RunStatus::Succeeded);
    assert_eq!(&*ended.outputs[&(0, NodeInstance::WHOLE)], b"seven");
    assert!(!rig.run_in_memory(id), "who reads does not bring it back");
    rig.clear(id, "b");
    assert!(rig.run_in_memory(id));
    let mut rig = rig.crash_and_open(2);
    let run = rig.run_row(id);
    assert_eq!((run.status, run.node(1).turn), (RunStatus::Running, 1));
    assert_eq!(&*run.outputs[&(0, NodeInstance::WHOLE)], b"seven");
}

/// The tables have its end, memory still has the run, and the record of the clearing is all that is left of it.
#[test]
fn a_run_cleared_before_it_left_memory_survives_a_crash() {
    let mut rig = rig_with(quiet());
    let id = rig.chain();
    rig.succeed();
    rig.succeed();
    rig.shard.hurry_cut();
    rig.step();
    rig.write_cut();
    assert!(rig.run_in_memory(id) && rig.disk.runs[&id].ended.is_some());
    rig.tell(1, vec![clear_all(id)]);
    rig.append(Ok(()));
    let mut rig = rig.crash_and_open(2);
    assert_eq!(rig.run_row(id).node(1).turn, 1);
}

fn clear_all(id: RunId) -> Command {
    let over = Actor { actor: Name::fixed("ann"), reason: Name::fixed("again") };
    let nodes = vec![Name::fixed("a")];
    Command::Run(Box::new(RunCommand::Clear(Box::new(Clear {
        id,
        nodes,
        items: ClearItems::All,
        over,
        fact: None,
    }))))
}

#[test]
fn a_job_whose_row_was_lost_stops_the_opening() {
    let mut rig = rig_with(cutting());
    rig.chain();
    rig.run();
    rig.disk.entities.retain(|(kind, _), _| *kind != EntityKind::Job);
    let reading = rig.reading();
    let opened = Shard::<u32>::recover(rig.config, Epoch::new(2), &mut rig.disk, reading);
    let refused = opened.err().expect("refused").to_string();
    assert!(refused.contains("has 0 rows of kind `job`"), "{refused}");
}
