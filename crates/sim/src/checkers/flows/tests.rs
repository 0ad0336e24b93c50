//! I30 for runs: histories that are broken on purpose; each is refused, and passes without the flaw.

use std::sync::Arc;

use mainspring_core::event::Event;
use mainspring_core::job::{
    Bounds, Definition, Each, FailurePolicy, JobKey, JobNeed, Node, NodeWork, OnEmpty, Plan, TaskWork,
    Tolerance, TriggerRule,
};
use mainspring_core::run::{
    JobApplied, NodeStatus, Noted, Origin, RunCleared, RunCreated, RunEnded, RunEvent, RunStop, StartedBy,
    Subject, TasksAdded,
};
use mainspring_core::state::State;
use mainspring_core::task::{Profile, ProfileSpec, Status};
use mainspring_core::values::{
    Actor, Bucket, Elapsed, Fence, Name, NodeInstance, Priority, RunId, RunStatus,
};

use super::FlowFold;
use crate::checkers::{Broken, Check};
use crate::settings::GROUPS;

fn run_id(number: u64) -> RunId {
    RunId::new(1, Bucket::home(GROUPS.of("acme")), number)
}

fn key() -> Arc<JobKey> {
    Arc::new(JobKey { tenant: Name::fixed("acme"), name: Name::fixed("flow") })
}

fn node(name: &'static str, needs: &[u32]) -> Node {
    Node {
        name: Name::fixed(name),
        work: NodeWork::Task(TaskWork {
            profile: Profile::new(ProfileSpec::default()),
            payload: Arc::from(*b"x"),
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
        output_kept: false,
        limits: vec![],
        spawns: None,
        needs_jobs: vec![],
    }
}

fn whole(node: u32) -> NodeInstance {
    NodeInstance { node, index: NodeInstance::WHOLE, turn: 0 }
}

fn item(node: u32, index: u32) -> NodeInstance {
    NodeInstance { node, index, turn: 0 }
}

/// A run of `a -> b`, and a mapped node `m` of two items; one run of the job may be at work, two of its tasks.
struct Story {
    fold: FlowFold,
    run: RunId,
}

impl Story {
    fn new() -> Self {
        let each =
            Each { items: "2".into(), active_max: 2, tolerance: Tolerance::NONE, on_empty: OnEmpty::Skip };
        let nodes = vec![node("a", &[]), node("b", &[0]), Node { each: Some(each), ..node("m", &[]) }];
        let bounds = Bounds { active_runs_max: 1, running_max: 2, ..Bounds::default() };
        let plan = Plan::new(nodes, FailurePolicy::FailAfterAll, bounds, None);
        let definition = Definition { plan: Arc::new(plan), source: Arc::from(*b"{}"), hash: 1 };
        let mut story = Self { fold: FlowFold::default(), run: run_id(1) };
        let applied = JobApplied { key: key(), version: 1, definition };
        story.flow(RunEvent::JobApplied(Box::new(applied))).expect("applied");
        story.create(1).expect("created");
        story.flow(RunEvent::RunStarted { id: story.run }).expect("started");
        story
    }

    fn tell(&mut self, event: &Event, ended: Option<Status>) -> Check {
        self.fold.follow(event, ended, Elapsed::ZERO, &State::default())
    }

    fn flow(&mut self, event: RunEvent) -> Check {
        self.tell(&Event::Run(event), None)
    }

    fn create(&mut self, number: u64) -> Check {
        self.create_of(number, key())
    }

    fn create_of(&mut self, number: u64, job: Arc<JobKey>) -> Check {
        let origin = Origin::of(StartedBy::Manual);
        let created = RunCreated::new(run_id(number), job, 1, Arc::from(*b"{}"), origin);
        self.flow(RunEvent::RunCreated(Box::new(created)))
    }

    fn spawn(&mut self, place: NodeInstance) -> Check {
        self.tell(&Event::TaskSpawned { run: self.run, place, due: None, payload: None, permits: None }, None)
    }

    fn succeed(&mut self, place: NodeInstance) -> Check {
        let id = self.run.task(place);
        self.tell(&Event::TaskSucceeded { id, fence: Fence::NONE, output: None }, Some(Status::Succeeded))
    }

    fn fail(&mut self, place: NodeInstance) -> Check {
        self.tell(&Event::TaskCancelled { id: self.run.task(place) }, Some(Status::Failed))
    }

    fn expand(&mut self, count: u32) -> Check {
        self.flow(RunEvent::MapExpanded { run: self.run, node: 2, count })
    }

    fn end(&mut self, status: RunStatus) -> Check {
        self.flow(RunEvent::RunEnded(Box::new(RunEnded { id: self.run, status, output: None, why: None })))
    }

    /// `a` and the items of `m` are over, `b` is not.
    fn nearly_over(&mut self) {
        self.spawn(whole(0)).expect("released");
        self.succeed(whole(0)).expect("ended");
        self.expand(2).expect("expanded");
        for index in 0..2 {
            self.spawn(item(2, index)).expect("released");
            self.succeed(item(2, index)).expect("ended");
        }
    }
}

#[track_caller]
fn broken(outcome: Check, invariant: &str) {
    assert_eq!(outcome.map_err(|Broken { invariant, .. }| invariant), Err(invariant));
}

#[test]
fn a_whole_run_passes() {
    let mut story = Story::new();
    story.nearly_over();
    story.spawn(whole(1)).expect("released");
    story.succeed(whole(1)).expect("ended");
    story.end(RunStatus::Succeeded).expect("ended");
    assert_eq!(story.fold.counts.joins, 1);
    assert!(story.fold.unfinished().is_empty());
}

#[test]
fn releases_against_the_rule_are_refused() {
    broken(Story::new().spawn(whole(1)), "I18");
    let mut story = Story::new();
    story.spawn(whole(0)).expect("released");
    story.fail(whole(0)).expect("ended");
    broken(story.spawn(whole(1)), "I18");
    let given_up = |status| RunEvent::NodeEnded { run: run_id(1), node: 1, status, why: None };
    broken(story.flow(given_up(NodeStatus::Skipped)), "I18");
    story.flow(given_up(NodeStatus::UpstreamFailed)).expect("its upstream failed");
}

#[test]
fn what_happens_twice_is_refused() {
    let mut story = Story::new();
    story.spawn(whole(0)).expect("released");
    broken(story.spawn(whole(0)), "I19");
    story.succeed(whole(0)).expect("ended");
    broken(story.succeed(whole(0)), "I19");
    story.expand(2).expect("expanded");
    broken(story.expand(2), "I19");
    broken(story.spawn(item(2, 1)), "I19");
    broken(story.create(1), "I19");
    broken(Story::new().expand(3), "I19");
}

#[test]
fn ends_that_the_nodes_do_not_say_are_refused() {
    let mut story = Story::new();
    story.nearly_over();
    broken(story.end(RunStatus::Succeeded), "I20");
    story.spawn(whole(1)).expect("released");
    broken(story.end(RunStatus::Succeeded), "I20");
    story.fail(whole(1)).expect("ended");
    broken(story.end(RunStatus::Succeeded), "I20");
    broken(story.flow(RunEvent::RunStopping { id: run_id(9), stop: RunStop::Cancel }), "I2");
    story.end(RunStatus::Failed).expect("ended");
    broken(story.spawn(whole(1)), "I20");
}

#[test]
fn bounds_hold() {
    let mut story = Story::new();
    story.create(2).expect("created");
    broken(story.flow(RunEvent::RunStarted { id: run_id(2) }), "I21");
    let mut story = Story::new();
    story.expand(2).expect("expanded");
    story.spawn(item(2, 0)).expect("released");
    story.spawn(item(2, 1)).expect("released");
    broken(story.spawn(whole(0)), "I21");
}

#[test]
fn clearing_stops_what_is_out_and_takes_what_follows() {
    let over = Actor { actor: Name::fixed("ann"), reason: Name::fixed("again") };
    let cleared = |nodes: &[u32]| {
        let (id, nodes) = (run_id(1), nodes.to_vec());
        RunEvent::RunCleared(Box::new(RunCleared {
            id,
            nodes,
            items: Vec::new(),
            over: over.clone(),
            ended: None,
        }))
    };
    let mut story = Story::new();
    story.spawn(whole(0)).expect("released");
    broken(story.flow(cleared(&[0, 1])), "I20");
    story.succeed(whole(0)).expect("ended");
    broken(story.flow(cleared(&[0])), "I18");
    story.flow(cleared(&[0, 1])).expect("cleared");
    broken(story.spawn(whole(0)), "I19");
    story.spawn(NodeInstance { turn: 1, ..whole(0) }).expect("the next turn");
}

/// A run of a job with one node that adds tasks, and one that needs it.
fn growing() -> Story {
    let nodes = vec![Node { spawns: Some("add".into()), ..node("a", &[]) }, node("b", &[0])];
    let plan = Plan::new(nodes, FailurePolicy::FailAfterAll, Bounds::default(), None);
    let definition = Definition { plan: Arc::new(plan), source: Arc::from(*b"{}"), hash: 1 };
    let mut story = Story { fold: FlowFold::default(), run: run_id(1) };
    let applied = JobApplied { key: key(), version: 1, definition };
    story.flow(RunEvent::JobApplied(Box::new(applied))).expect("applied");
    story.create(1).expect("created");
    story.flow(RunEvent::RunStarted { id: story.run }).expect("started");
    story.spawn(whole(0)).expect("released");
    story
}

fn added(story: &Story, bytes: usize) -> RunEvent {
    let nodes = crate::words::added(&story.fold.run(story.run).expect("known").plan, 0, bytes);
    RunEvent::TasksAdded(Box::new(TasksAdded { run: story.run, node: 0, nodes }))
}

fn gives(story: &mut Story) -> Check {
    let (id, output) = (story.run.task(whole(0)), Some(Arc::from([1_u8, 2])));
    story.tell(&Event::TaskSucceeded { id, fence: Fence::NONE, output }, Some(Status::Succeeded))
}

#[test]
fn additions_are_what_the_task_gave_and_others_wait_for_them() {
    let mut story = growing();
    let event = added(&story, 2);
    broken(story.flow(event), "I19");
    gives(&mut story).expect("succeeded");
    let other = added(&story, 3);
    broken(story.flow(other), "I19");
    let silent = RunEvent::NodeEnded { run: story.run, node: 0, status: NodeStatus::Succeeded, why: None };
    broken(story.flow(silent), "I18");
    let event = added(&story, 2);
    story.flow(event.clone()).expect("added");
    broken(story.flow(event), "I19");
    story.spawn(whole(2)).expect("the first of the addition");
    story.succeed(whole(2)).expect("ended");
    story.spawn(whole(3)).expect("the leaf");
    story.succeed(whole(3)).expect("ended");
    story.spawn(whole(1)).expect("released");
    let mut story = growing();
    gives(&mut story).expect("succeeded");
    let event = added(&story, 2);
    story.flow(event).expect("added");
    broken(story.spawn(whole(1)), "I18");
}

#[test]
fn what_was_added_goes_with_the_task_that_added_it() {
    let mut story = growing();
    gives(&mut story).expect("succeeded");
    let event = added(&story, 2);
    story.flow(event).expect("added");
    let over = Actor { actor: Name::fixed("ann"), reason: Name::fixed("again") };
    let cleared = |nodes: &[u32]| {
        let (id, nodes) = (run_id(1), nodes.to_vec());
        RunEvent::RunCleared(Box::new(RunCleared {
            id,
            nodes,
            items: Vec::new(),
            over: over.clone(),
            ended: None,
        }))
    };
    broken(story.flow(cleared(&[0, 1])), "I18");
    story.flow(cleared(&[0, 1, 2, 3])).expect("cleared");
    broken(story.spawn(NodeInstance { turn: 1, ..whole(2) }), "I19");
    story.spawn(NodeInstance { turn: 1, ..whole(0) }).expect("the next turn");
}

#[test]
fn a_release_before_the_jobs_that_it_needs_is_refused() {
    let need = |within| JobNeed { job: Name::fixed("flow"), within, timeout: None };
    let waits = Node { needs_jobs: vec![need(None)], ..node("w", &[]) };
    let mut story = Story::new();
    story.nearly_over();
    story.spawn(whole(1)).expect("released");
    story.succeed(whole(1)).expect("ended");
    let plan = Plan::new(vec![waits], FailurePolicy::FailAfterAll, Bounds::default(), None);
    let definition = Definition { plan: Arc::new(plan), source: Arc::from(*b"{}"), hash: 2 };
    let other = Arc::new(JobKey { tenant: Name::fixed("acme"), name: Name::fixed("waiting") });
    let applied = JobApplied { key: other.clone(), version: 1, definition };
    story.flow(RunEvent::JobApplied(Box::new(applied))).expect("applied");
    story.create_of(2, other).expect("created");
    story.flow(RunEvent::RunStarted { id: run_id(2) }).expect("started");
    let (due, payload, permits) = (None, None, None);
    let release = Event::TaskSpawned { run: run_id(2), place: whole(0), due, payload, permits };
    broken(story.tell(&release, None), "I18");
    story.flow(RunEvent::JobAwaited { run: run_id(2), node: 0 }).expect("it waits");
    story.end(RunStatus::Succeeded).expect("ended");
    broken(story.flow(RunEvent::JobAwaited { run: run_id(2), node: 0 }), "I18");
}

#[test]
fn a_note_without_its_change_is_refused() {
    let over = || Actor { actor: Name::fixed("ann"), reason: Name::fixed("") };
    let noted = |of| RunEvent::Noted(Box::new(Noted { of, over: over(), what: "paused".into() }));
    let paused = || RunEvent::JobPaused { key: key(), paused: true };
    let mut story = Story::new();
    story.flow(paused()).expect("paused");
    story.flow(noted(Subject::Job(key()))).expect("by somebody");
    broken(story.flow(noted(Subject::Job(key()))), "I15");
    let mut other = Story::new();
    other.flow(paused()).expect("paused");
    broken(other.flow(noted(Subject::Run(run_id(1)))), "I15");
}
