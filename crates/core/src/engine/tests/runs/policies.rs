//! What a failure does to a run, and what undoes what was done.

use super::*;

fn nodes() -> Vec<Node> {
    vec![
        node("a", &[]),
        node("bad", &[0]),
        node("slow", &[0]),
        node("after_bad", &[1]),
        node("after_slow", &[2]),
        ruled("cleanup", &[3, 4], TriggerRule::AllDone),
        ruled("alarm", &[1, 2], TriggerRule::OneFailed),
    ]
}

#[test]
fn fail_fast_stops_what_runs_but_not_what_answers_to_failure() {
    let mut story = story(plan(nodes(), FailurePolicy::FailFast));
    story.succeed("a");
    story.fail("bad");
    assert_eq!(story.rig.stops(story.task("slow")), 1);
    assert!(story.started("alarm"));
    assert_eq!(story.node("after_bad"), NodeStatus::UpstreamFailed);
    story.fail("slow");
    assert_eq!(story.node("slow"), NodeStatus::Cancelled);
    assert!(story.started("cleanup"), "{:?}", story.run().nodes);
    story.succeed("cleanup");
    story.succeed("alarm");
    story.assert_ended(RunStatus::Failed);
}

#[test]
fn fail_fast_skips_branches_that_had_not_begun() {
    let bounds = Bounds { running_max: 1, ..wide() };
    let nodes = vec![node("bad", &[]), node("other", &[]), node("after", &[1])];
    let mut story = story(Plan::new(nodes, FailurePolicy::FailFast, bounds, None));
    story.fail("bad");
    assert_eq!(story.node("other"), NodeStatus::Skipped);
    assert_eq!(story.node("after"), NodeStatus::Skipped);
    assert!(!story.started("other"));
    story.assert_ended(RunStatus::Failed);
}

#[test]
fn fail_after_all_goes_on_beside_the_failure() {
    let mut story = story(plan(nodes(), FailurePolicy::FailAfterAll));
    story.succeed("a");
    story.fail("bad");
    assert_eq!(story.rig.stops(story.task("slow")), 0);
    story.succeed("slow");
    story.succeed("after_slow");
    story.succeed("cleanup");
    story.succeed("alarm");
    assert_eq!(story.node("after_bad"), NodeStatus::UpstreamFailed);
    story.assert_ended(RunStatus::Failed);
}

#[test]
fn skip_failed_runs_what_needs_a_failed_node_when_the_rest_has_ended() {
    let nodes = vec![node("bad", &[]), node("good", &[]), node("both", &[0, 1])];
    let mut story = story(plan(nodes, FailurePolicy::SkipFailed));
    story.fail("bad");
    assert!(!story.started("both"));
    story.succeed("good");
    assert!(story.started("both"));
    story.succeed("both");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn undos_run_in_reverse_order_when_the_run_fails() {
    let undoable = |name, needs: &[u32], undo| Node { undo: Some(work(undo)), ..node(name, needs) };
    let nodes = vec![
        undoable("book", &[], "undo book"),
        undoable("pay", &[0], "undo pay"),
        undoable("idle", &[3], "undo idle"),
        node("ship", &[1]),
    ];
    let mut story = story(plan(nodes, FailurePolicy::FailFast));
    story.succeed("book");
    story.succeed("pay");
    story.fail("ship");
    let undo = |story: &Story, name: &str| story.run().task_at(story.index(name), NodeInstance::UNDO);
    assert_eq!((story.rig.starts(undo(&story, "pay")), story.rig.starts(undo(&story, "book"))), (1, 0));
    crash(&mut story);
    let task = undo(&story, "pay");
    let start = story.rig.start_of(task);
    let session = crate::values::Session::new(2);
    story.rig.report_with(task, start.fence, start.worker, session, failed(FailureClass::Permanent));
    assert_eq!(
        story.rig.starts(undo(&story, "book")),
        1,
        "an undo that fails does not keep others from running"
    );
    story.rig.report(undo(&story, "book"), OK);
    assert_eq!(story.rig.starts(undo(&story, "idle")), 0);
    story.assert_ended(RunStatus::Failed);
}

#[test]
fn what_was_undone_is_done_again_when_the_run_is_repaired() {
    let undoable = |name, needs: &[u32]| Node { undo: Some(work("undo")), ..node(name, needs) };
    let nodes = vec![undoable("book", &[]), undoable("pay", &[0]), node("ship", &[1])];
    let mut story = story(plan(nodes, FailurePolicy::FailFast));
    story.succeed("book");
    story.succeed("pay");
    story.fail("ship");
    for name in ["pay", "book"] {
        let undo = story.run().task_at(story.index(name), NodeInstance::UNDO);
        story.rig.report(undo, OK);
    }
    story.assert_ended(RunStatus::Failed);
    let clear = crate::run::decide::Clear {
        id: story.run,
        nodes: vec![Name::fixed("ship")],
        items: crate::run::decide::ClearItems::All,
        over: over(),
        fact: None,
    };
    flow(&mut story.rig, RunCommand::Clear(Box::new(clear))).expect("cleared");
    for name in ["book", "pay", "ship"] {
        assert_eq!(story.rig.starts(story.task(name)), 1, "{name}");
        story.succeed(name);
    }
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn a_run_forced_to_succeed_undoes_nothing() {
    let nodes = vec![Node { undo: Some(work("undo")), ..node("a", &[]) }, node("b", &[0])];
    let mut story = story(plan(nodes, FailurePolicy::FailFast));
    story.succeed("a");
    let force = RunCommand::ForceRun { id: story.run, status: RunStatus::Succeeded, over: over() };
    flow(&mut story.rig, force).expect("forced");
    story.fail("b");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn nothing_is_undone_when_all_went_well() {
    let nodes = vec![Node { undo: Some(work("undo")), ..node("a", &[]) }];
    let mut story = story(plan(nodes, FailurePolicy::FailFast));
    story.succeed("a");
    story.assert_ended(RunStatus::Succeeded);
}
