//! Runs that had ended, or whose nodes had, and that go on: everything counts once.

use super::*;
use crate::event::Event;
use crate::run::RunEvent;
use crate::run::decide::{Clear, ClearItems};

fn clear(story: &mut Story, id: RunId, names: &[&'static str]) -> Result<RunAnswer, Rejection> {
    let nodes = names.iter().map(|name| Name::fixed(name)).collect();
    flow(
        &mut story.rig,
        RunCommand::Clear(Box::new(Clear { id, nodes, items: ClearItems::All, over: over(), fact: None })),
    )
}

fn status(story: &Story, id: RunId) -> RunStatus {
    story.rig.engine.state().job_runs().run(id).expect("in memory").status
}

fn bounded(nodes: Vec<Node>, bounds: Bounds) -> Story {
    story(Plan::new(nodes, FailurePolicy::FailFast, bounds, None))
}

/// Its last item is released, and no place is left in which it would be looked at before that item ends.
#[test]
fn a_mapped_node_is_expanded_once() {
    let nodes = vec![Node { each: each("2"), ..node("map", &[]) }, node("after", &[0])];
    let mut story = bounded(nodes, Bounds { running_max: 1, ..wide() });
    for index in 0..2 {
        let item = story.item("map", index);
        story.rig.report(item, OK);
    }
    let expanded = |event: &&Event| matches!(event, Event::Run(RunEvent::MapExpanded { .. }));
    assert_eq!(story.rig.events.iter().filter(expanded).count(), 1);
    story.succeed("after");
    story.assert_ended(RunStatus::Succeeded);
}

/// It waits for its share of releases, with no item out, when the run begins to stop.
#[test]
fn a_mapped_node_that_answers_to_failure_goes_on_in_a_run_that_failed() {
    let map = Node { each: each("3"), ..ruled("map", &[], TriggerRule::Always) };
    let bounds = Bounds { release_per_second: 2, ..wide() };
    let mut story = bounded(vec![node("bad", &[]), map], bounds);
    let item = story.item("map", 0);
    story.rig.report(item, OK);
    story.fail("bad");
    story.rig.pass(1_000);
    for index in 1..3 {
        let item = story.item("map", index);
        story.rig.report(item, OK);
    }
    assert_eq!(story.node("map"), NodeStatus::Succeeded);
    story.assert_ended(RunStatus::Failed);
}

/// There is no place for it when what it answered to is cleared, and what comes instead is nothing it answers to.
#[test]
fn a_node_that_was_ready_is_judged_again_when_others_are_cleared() {
    let nodes = vec![
        node("flaky", &[]),
        Node { condition: Some("false".into()), ..node("unwanted", &[]) },
        node("long", &[]),
        node("both", &[0, 1]),
        ruled("alarm", &[3], TriggerRule::OneFailed),
    ];
    let bounds = Bounds { running_max: 1, ..wide() };
    let mut story = story(Plan::new(nodes, FailurePolicy::FailAfterAll, bounds, None));
    story.fail("flaky");
    assert_eq!((story.node("both"), story.node("long")), (NodeStatus::UpstreamFailed, NodeStatus::Out));
    assert_eq!(story.node("alarm"), NodeStatus::Waiting, "ready, behind the only place");
    let run = story.run;
    clear(&mut story, run, &["flaky"]).expect("cleared");
    assert_eq!((story.node("both"), story.node("alarm")), (NodeStatus::Skipped, NodeStatus::Skipped));
    story.succeed("long");
    story.succeed("flaky");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn a_run_that_was_cancelled_before_it_began_can_be_cleared() {
    let mut story = bounded(vec![node("a", &[]), node("b", &[0])], Bounds { active_runs_max: 1, ..wide() });
    let second = trigger(&mut story.rig, "flow");
    flow(&mut story.rig, RunCommand::CancelRun { id: second }).expect("cancelled");
    assert_eq!(status(&story, second), RunStatus::Cancelled);
    clear(&mut story, second, &[]).expect("cleared");
    assert_eq!(status(&story, second), RunStatus::Queued, "the first still has the only place");
    story.succeed("a");
    story.succeed("b");
    assert_eq!(status(&story, second), RunStatus::Running);
    story.run = second;
    crash(&mut story);
    let start = story.rig.start_of(story.task("a"));
    story.rig.report_with(start.task, start.fence, start.worker, crate::values::Session::new(2), OK);
    story.succeed("b");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn a_cleared_run_has_its_whole_timeout_again() {
    let bounds = Bounds { timeout: Some(Millis::from_secs(10)), ..wide() };
    let mut story = bounded(vec![node("a", &[])], bounds);
    story.fail("a");
    story.assert_ended(RunStatus::Failed);
    story.rig.pass(60_000);
    story.rig.hello(1, 2, 1, &[]);
    let run = story.run;
    clear(&mut story, run, &[]).expect("cleared");
    assert_eq!((status(&story, run), story.node("a")), (RunStatus::Running, NodeStatus::Out));
    story.rig.pass(9_000);
    assert_eq!(story.run().stop, None);
    story.rig.pass(1_000);
    assert_eq!(story.run().stop, Some(crate::run::RunStop::Timeout));
}

#[test]
fn what_is_done_again_after_its_undo_can_be_undone_again() {
    let undoable = |name, needs: &[u32]| Node { undo: Some(work("undo")), ..node(name, needs) };
    let nodes = vec![undoable("book", &[]), undoable("pay", &[0]), node("ship", &[1])];
    let mut story = story(plan(nodes, FailurePolicy::FailFast));
    let undo = |story: &Story, name: &str| story.run().task_at(story.index(name), NodeInstance::UNDO);
    for _ in 0..2 {
        story.succeed("book");
        story.succeed("pay");
        story.fail("ship");
        for name in ["pay", "book"] {
            let task = undo(&story, name);
            assert_eq!(story.rig.starts(task), 1, "each turn has an undo of its own");
            story.rig.report(task, OK);
        }
        story.assert_ended(RunStatus::Failed);
        // All that was undone runs again, whatever is named.
        let run = story.run;
        clear(&mut story, run, &["ship"]).expect("cleared");
    }
}

#[test]
fn an_undo_does_not_go_on_beside_the_node_it_undoes() {
    let nodes = vec![Node { undo: Some(work("undo")), ..node("book", &[]) }, node("ship", &[0])];
    let mut story = story(plan(nodes, FailurePolicy::FailFast));
    story.succeed("book");
    story.fail("ship");
    let (run, task) = (story.run, story.run().task_at(0, NodeInstance::UNDO));
    clear(&mut story, run, &["book"]).expect("cleared");
    assert_eq!(story.rig.stops(task), 1);
    story.rig.report(task, failed(FailureClass::Transient));
    story.succeed("book");
    story.succeed("ship");
    story.assert_ended(RunStatus::Succeeded);
}

/// Job `flow` with a node that runs job `child`, and the child's run.
fn parent_and_child() -> (Story, RunId) {
    let mut rig = with_words();
    apply(&mut rig, "child", plan(vec![node("inner", &[])], FailurePolicy::FailFast));
    let sub = NodeWork::Run { job: Name::fixed("child"), parameters: Arc::from(*b"{}"), templated: false };
    let nodes = vec![Node { work: sub, ..node("sub", &[]) }, node("after", &[0])];
    apply(&mut rig, "flow", plan(nodes, FailurePolicy::FailFast));
    let run = trigger(&mut rig, "flow");
    let story = Story { rig, run };
    let child = run.child(story.run().place(0, NodeInstance::WHOLE));
    (story, child)
}

#[test]
fn a_run_is_not_cleared_behind_the_back_of_the_one_that_started_it() {
    let (mut story, child) = parent_and_child();
    let inner = child.task(NodeInstance { node: 0, index: NodeInstance::WHOLE, turn: 0 });
    story.rig.report(inner, OK);
    let refused = clear(&mut story, child, &["inner"]);
    assert_eq!(refused.map_err(|refusal| refusal.code()), Err("RUN_NOT_ENDED"));
    story.succeed("after");
    story.assert_ended(RunStatus::Succeeded);
    clear(&mut story, child, &["inner"]).expect("its parent has ended");
    story.rig.report(child.task(NodeInstance { node: 0, index: NodeInstance::WHOLE, turn: 1 }), OK);
    assert_eq!(status(&story, child), RunStatus::Succeeded);
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn a_run_that_waits_is_forced_at_once() {
    let mut story = bounded(vec![node("a", &[])], Bounds { active_runs_max: 1, ..wide() });
    let second = trigger(&mut story.rig, "flow");
    let force = RunCommand::ForceRun { id: second, status: RunStatus::Succeeded, over: over() };
    let answer = flow(&mut story.rig, force);
    assert_eq!(answer, Ok(RunAnswer::Run { id: second, status: RunStatus::Succeeded }));
    assert_eq!(status(&story, second), RunStatus::Succeeded);
}

#[test]
fn what_waits_goes_on_when_a_paused_job_is_deleted() {
    let mut story = bounded(vec![node("a", &[])], wide());
    flow(&mut story.rig, RunCommand::PauseJob { key: key("flow"), paused: true, seen: None })
        .expect("paused");
    let second = trigger(&mut story.rig, "flow");
    assert_eq!(status(&story, second), RunStatus::Queued);
    flow(&mut story.rig, RunCommand::DeleteJob { key: key("flow"), seen: None }).expect("deleted");
    assert_eq!(status(&story, second), RunStatus::Running);
}
