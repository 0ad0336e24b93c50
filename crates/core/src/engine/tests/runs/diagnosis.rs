//! Where a run stands, told from what is there.

use super::*;
use crate::engine::Batch;
use crate::engine::question::{
    Hold, NODES_MAX, NodeStanding, PLACES_MAX, Question, RunDiagnosis, RunStanding,
};
use crate::run::RunStop;
use crate::values::{InRun, Requirements};

/// Asked without a step of the engine, which would repair what some stories break.
fn ask(rig: &mut Rig, id: RunId) -> RunDiagnosis {
    let mut batch = Batch::default();
    let answer = rig.engine.handle(Command::Ask(Question::Run { id }), &mut batch);
    assert!(batch.events.is_empty(), "QE-1");
    match answer {
        Ok(Answer::RunDiagnosis(diagnosis)) => *diagnosis,
        other => panic!("{other:?}"),
    }
}

impl Story {
    fn diagnosis(&mut self) -> RunDiagnosis {
        let id = self.run;
        ask(&mut self.rig, id)
    }

    /// Names, words and texts of the nodes, in the order they are told.
    fn told(&mut self) -> Vec<(String, &'static str, String)> {
        let nodes = self.diagnosis().nodes;
        nodes.iter().map(|n| (n.name.to_string(), n.standing.label(), n.to_string())).collect()
    }

    fn damage(&mut self, change: impl FnOnce(&mut Run)) {
        let job_runs = &mut self.rig.engine.state.job_runs;
        let index = job_runs.runs.find(self.run).expect("in memory");
        change(job_runs.runs.get_mut(index).expect("in memory"));
    }
}

/// Work for a pool that nobody serves.
fn elsewhere() -> NodeWork {
    let NodeWork::Task(work) = work("x") else { unreachable!("it is a task") };
    let requirements = Requirements { pool: Name::fixed("gpu"), ..Requirements::default() };
    let profile = Profile::new(crate::task::ProfileSpec { requirements, ..spec() });
    NodeWork::Task(TaskWork { profile, ..work })
}

fn bounded(nodes: Vec<Node>, bounds: Bounds) -> Plan {
    Plan::new(nodes, FailurePolicy::FailFast, bounds, None)
}

#[test]
fn an_unknown_run_is_not_found() {
    let mut rig = with_words();
    let id = RunId::from_bits(9);
    let refused = rig.tell(Command::Ask(Question::Run { id }));
    assert_eq!(refused.map_err(|refusal| refusal.code()), Err("RUN_NOT_FOUND"));
}

#[test]
fn nodes_wait_for_others_by_their_rule_and_tell_less_than_tasks_that_are_out() {
    let nodes = vec![
        Node { condition: Some("true".into()), ..ruled("late", &[1, 2], TriggerRule::OneFailed) },
        node("a", &[]),
        Node { work: elsewhere(), ..node("b", &[]) },
    ];
    let mut story = story(plan(nodes, FailurePolicy::FailFast));
    let diagnosis = story.diagnosis();
    assert_eq!(diagnosis.standing, RunStanding::Working { out: 2, unfinished: 3 });
    assert_eq!((diagnosis.status, diagnosis.more), (RunStatus::Running, 0));
    let told = story.told();
    let words: Vec<_> = told.iter().map(|(name, word, _)| (name.as_str(), *word)).collect();
    assert_eq!(words, [("b", "no_workers"), ("a", "held"), ("late", "waits_for_upstream")]);
    assert_eq!(told[2].2, "it waits for `a` (assigned), `b` (queued) by rule `one_failed`");
    let late = &diagnosis.nodes[2];
    assert_eq!(late.condition.as_deref(), Some("true"));
    story.succeed("a");
    assert_eq!(story.told()[1].2, "it waits for `b` (queued) by rule `one_failed`");
}

#[test]
fn a_task_of_a_run_says_which_part_it_is() {
    let mut story = story(plan(vec![Node { each: each("2"), ..node("m", &[]) }], FailurePolicy::FailFast));
    let id = story.item("m", 1);
    let answer = story.rig.tell(Command::Ask(Question::Why { id }));
    let Ok(Answer::Diagnosis(diagnosis)) = answer else { panic!("{answer:?}") };
    let part = diagnosis.part.expect("it is part of a run");
    assert_eq!((part.run, part.item()), (story.run, Some(1)));
    assert_eq!(part.node.as_deref(), Some("m"));
    let gone = crate::engine::question::Part::of(&InRun { run: part.run, place: part.place }, None);
    assert_eq!((gone.node, gone.place), (None, part.place));
}

#[test]
fn a_run_waits_for_a_place_that_others_hold_or_for_its_job() {
    let mut rig = with_words();
    let bounds = Bounds { active_runs_max: 1, ..wide() };
    apply(&mut rig, "flow", bounded(vec![node("a", &[])], bounds));
    let runs: Vec<RunId> = (0..3).map(|_| trigger(&mut rig, "flow")).collect();
    let diagnosis = ask(&mut rig, runs[2]);
    let held_by = vec![runs[0]];
    assert_eq!(diagnosis.standing, RunStanding::WaitsForPlace { ahead: 1, active: 1, max: 1, held_by });
    assert_eq!((diagnosis.nodes.len(), diagnosis.more), (0, 1));
    flow(&mut rig, RunCommand::PauseJob { key: key("flow"), paused: true, seen: None }).expect("paused");
    assert_eq!(ask(&mut rig, runs[2]).standing, RunStanding::JobPaused);
}

#[test]
fn a_paused_run_says_why_and_what_it_keeps_back() {
    let mut story = story(plan(vec![node("a", &[]), node("b", &[0])], FailurePolicy::FailFast));
    let id = story.run;
    flow(&mut story.rig, RunCommand::PauseRun { id, paused: true }).expect("paused");
    assert_eq!(story.diagnosis().standing, RunStanding::PausedByHand { out: 1 });
    story.succeed("a");
    let diagnosis = story.diagnosis();
    assert_eq!(diagnosis.standing, RunStanding::PausedByHand { out: 0 });
    assert_eq!(diagnosis.nodes[0].standing, NodeStanding::Release(Hold::Paused));
}

#[test]
fn too_many_items_pause_a_run_and_are_told() {
    let bounds = Bounds { fan_out_max: 3, ..wide() };
    let mut story = story(bounded(vec![Node { each: each("5"), ..node("m", &[]) }], bounds));
    let standing = story.diagnosis().standing;
    assert_eq!(standing, RunStanding::PausedForItems { node: Name::fixed("m"), count: 5, max: 3 });
    assert_eq!(standing.to_string(), "it paused itself: task `m` has 5 items, more than 3");
}

#[test]
fn bounds_of_a_run_keep_nodes_back() {
    let two = || vec![node("a", &[]), node("b", &[])];
    let mut full = story(bounded(two(), Bounds { running_max: 1, ..wide() }));
    let held = NodeStanding::Release(Hold::RunningMax { out: 1, max: 1 });
    assert_eq!(full.diagnosis().nodes[1].standing, held);
    let mut slow = story(bounded(two(), Bounds { release_per_second: 1, ..wide() }));
    let held = NodeStanding::Release(Hold::Rate { left: Millis::from_secs(1) });
    assert_eq!(slow.diagnosis().nodes[1].standing, held);
}

#[test]
fn a_mapped_node_tells_of_its_items() {
    let tolerant = Each { active_max: 2, tolerance: Tolerance::Count(1), ..each("5").expect("mapped") };
    let mut story =
        story(plan(vec![Node { each: Some(tolerant), ..node("m", &[]) }], FailurePolicy::FailFast));
    let first = story.item("m", 0);
    story.rig.report(first, failed(FailureClass::Permanent));
    let told = story.told();
    let text = "of 5 items 2 queued or running, which is as many as may be, 0 succeeded and 1 failed (1 may); item 1: ";
    assert!(told[0].2.starts_with(text), "{}", told[0].2);
    assert_eq!(told[0].1, "held");
}

#[test]
fn a_loop_tells_its_round_and_a_retry_its_time() {
    let mut story = story(plan(
        vec![Node { repeat: repeat("rounds 3", 5, 60_000), ..node("l", &[]) }],
        FailurePolicy::FailFast,
    ));
    story.succeed("l");
    let node = story.diagnosis().nodes.remove(0);
    assert_eq!((node.round, node.standing.label()), (Some((2, 5)), "waits_for_time"));
}

#[test]
fn a_child_run_is_named_with_its_state() {
    let mut rig = with_words();
    apply(&mut rig, "inner", plan(vec![node("x", &[])], FailurePolicy::FailFast));
    let work = NodeWork::Run { job: Name::fixed("inner"), parameters: Arc::from(*b"{}"), templated: false };
    apply(&mut rig, "flow", plan(vec![Node { work, ..node("sub", &[]) }], FailurePolicy::FailFast));
    let run = trigger(&mut rig, "flow");
    let mut story = Story { rig, run };
    let child = run.child(story.run().place(0, NodeInstance::WHOLE));
    flow(&mut story.rig, RunCommand::PauseRun { id: child, paused: true }).expect("paused");
    let node = story.diagnosis().nodes.remove(0);
    let running = NodeStanding::Child { item: None, run: child, status: RunStatus::Running, is_paused: true };
    assert_eq!(node.standing, running);
    assert_eq!(node.to_string(), format!("it waits for run `{child}`, which is running, paused"));
}

#[test]
fn a_run_that_stops_says_for_what_and_then_what_it_undoes() {
    let nodes = vec![Node { undo: Some(work("x")), ..node("a", &[]) }, node("b", &[0])];
    let mut story = story(plan(nodes, FailurePolicy::FailFast));
    story.succeed("a");
    let id = story.run;
    flow(&mut story.rig, RunCommand::CancelRun { id }).expect("cancelled");
    let standing = story.diagnosis().standing;
    assert_eq!(standing, RunStanding::Stopping { stop: RunStop::Cancel, out: 1 });
    assert_eq!(story.told()[0].1, "stopping");
    story.fail("b");
    let diagnosis = story.diagnosis();
    assert_eq!(diagnosis.standing, RunStanding::Undoing { done: 0, of: 1 });
    assert!(matches!(diagnosis.nodes[..], [_]), "{:?}", diagnosis.nodes);
    assert!(story.told()[0].2.starts_with("it is undone: "), "{:?}", story.told());
    assert_eq!(diagnosis.more, 0);
}

#[test]
fn what_is_stalled_or_lost_is_said_to_be() {
    let mut stalled = story(plan(vec![node("a", &[]), node("b", &[0])], FailurePolicy::FailFast));
    stalled.damage(|run| {
        run.nodes[0].status = NodeStatus::Waiting;
        run.out = 0;
    });
    assert_eq!(stalled.diagnosis().standing, RunStanding::Stalled);
    let mut lost = story(plan(vec![node("a", &[]), node("b", &[0])], FailurePolicy::FailFast));
    lost.damage(|run| run.nodes[0].turn += 1);
    let diagnosis = lost.diagnosis();
    assert_eq!(diagnosis.standing, RunStanding::Lost { count: 1 });
    assert_eq!(diagnosis.nodes[0].standing, NodeStanding::Lost { item: None });
}

#[test]
fn an_answer_is_bounded_whatever_the_run_holds() {
    let count = PLACES_MAX as u32 + 50;
    let mut nodes: Vec<Node> = (0..count).map(|_| node("n", &[])).collect();
    nodes.push(Node { needs: (0..count).collect(), ..node("join", &[]) });
    let mut story = story(plan(nodes, FailurePolicy::FailFast));
    let diagnosis = story.diagnosis();
    assert_eq!(diagnosis.nodes.len(), NODES_MAX);
    assert_eq!(diagnosis.more, count + 1 - NODES_MAX as u32);
    story.damage(|run| {
        run.nodes.iter_mut().take(count as usize - 5).for_each(|n| n.status = NodeStatus::Skipped);
    });
    story.damage(|run| run.unfinished = 6);
    let text = story.told().pop().expect("the join").2;
    assert_eq!(text.matches("`n` (").count(), 5, "{text}");
    story.damage(|run| run.nodes.iter_mut().take(15).for_each(|n| n.status = NodeStatus::Out));
    story.damage(|run| run.unfinished = 21);
    let text = story.told().pop().expect("the join").2;
    assert!(text.contains(") and 10 more by rule"), "{text}");
}
