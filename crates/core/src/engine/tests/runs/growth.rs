//! Tasks that add tasks to their run.

use super::*;
use crate::run::ADDED_MAX;
use crate::run::decide::{Clear, ClearItems, Rerun, RerunFrom};

fn adding(name: &'static str, needs: &[u32]) -> Node {
    Node { spawns: Some("all".into()), ..node(name, needs) }
}

/// `plan` adds, `report` needs it, `aside` does not.
fn growing() -> Story {
    let nodes = vec![adding("plan", &[]), node("report", &[0]), node("aside", &[])];
    story(plan(nodes, FailurePolicy::FailFast))
}

fn clear(story: &mut Story, name: &'static str) {
    let (id, nodes) = (story.run, vec![Name::fixed(name)]);
    let clear = Clear { id, nodes, items: ClearItems::All, over: over(), fact: None };
    flow(&mut story.rig, RunCommand::Clear(Box::new(clear))).expect("cleared");
}

#[track_caller]
fn give_again(story: &mut Story, name: &str, output: &'static str) {
    let start = story.rig.start_of(story.task(name));
    let what = crate::task::decide::ReportKind::Succeeded { output: Some(output.as_bytes().into()) };
    story.rig.report_with(start.task, start.fence, start.worker, crate::values::Session::new(2), what);
}

#[test]
fn what_needs_the_adding_task_waits_for_the_leaves() {
    let mut story = growing();
    story.give("plan", "a b<a c");
    assert_eq!(story.node("plan"), NodeStatus::Succeeded);
    assert!(story.started("a") && story.started("c") && !story.started("b") && !story.started("report"));
    story.succeed("a");
    story.succeed("c");
    assert!(!story.started("report"), "b is a leaf");
    story.succeed("b");
    assert!(story.started("report"));
    story.succeed("report");
    story.succeed("aside");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn the_plan_of_the_version_is_not_touched() {
    let mut story = growing();
    let other = trigger(&mut story.rig, "flow");
    story.give("plan", "a");
    let job_runs = story.rig.engine.state().job_runs();
    assert_eq!(job_runs.run(other).expect("in memory").plan.len(), 3);
    assert_eq!(story.run().base().len(), 3);
    assert!(Arc::ptr_eq(story.run().base(), &job_runs.run(other).expect("in memory").plan));
    assert!(
        Arc::ptr_eq(&story.run().plan.nodes()[2], &story.run().base().nodes()[2]),
        "GR-1: nodes are shared"
    );
}

#[test]
fn a_failed_leaf_fails_what_waits_for_it() {
    let mut story = story(plan(vec![adding("plan", &[]), node("report", &[0])], FailurePolicy::FailAfterAll));
    story.give("plan", "a b");
    story.succeed("a");
    story.fail("b");
    assert_eq!(story.node("report"), NodeStatus::UpstreamFailed);
    story.assert_ended(RunStatus::Failed);
}

#[test]
fn added_tasks_may_add_tasks_and_everyone_waits_for_them() {
    let mut story = growing();
    story.give("plan", "!more then<more");
    story.give("more", "deep");
    story.succeed("aside");
    assert!(!story.started("then") && !story.started("report"));
    story.succeed("deep");
    story.succeed("then");
    story.succeed("report");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn a_task_without_output_or_with_an_empty_one_adds_nothing() {
    for output in [None, Some("")] {
        let mut story = growing();
        let (task, output) = (story.task("plan"), output.map(|text: &str| text.as_bytes().into()));
        story.rig.report(task, crate::task::decide::ReportKind::Succeeded { output });
        assert!(story.started("report") && story.run().own.is_none());
    }
}

#[test]
fn a_bad_addition_fails_the_task_with_what_is_wrong() {
    let mut story = growing();
    story.give("plan", "bad");
    assert_eq!(story.node("plan"), NodeStatus::Failed);
    assert_eq!(story.run().whys.get(&0).map(|why| &**why), Some("spawns: `all` gives a bad task"));
}

#[test]
fn a_run_is_given_no_more_than_it_may_hold() {
    let mut story = growing();
    let names: Vec<String> = (0..=ADDED_MAX).map(|number| format!("n{number}")).collect();
    let output: &'static str = Box::leak(names.join(" ").into_boxed_str());
    // The bound on outputs is another one.
    let index = story.rig.engine.state().job_runs().runs().find(story.run).expect("in memory");
    let run = story.rig.engine.state.job_runs.runs.get_mut(index).expect("in memory");
    run.outputs.insert((0, NodeInstance::WHOLE), output.as_bytes().into());
    run.nodes[0].status = NodeStatus::Judged;
    let event = crate::run::decide::grow::add_tasks(story.run(), 0, &Words);
    assert!(format!("{event:?}").contains("10000 in all"), "{event:?}");
}

#[test]
fn a_run_that_stops_takes_no_more_tasks() {
    let mut story = growing();
    let run = story.run;
    flow(&mut story.rig, RunCommand::CancelRun { id: run }).expect("cancelled");
    story.give("plan", "a");
    assert_eq!((story.node("plan"), story.run().plan.len()), (NodeStatus::Succeeded, 3));
    story.succeed("aside");
    story.assert_ended(RunStatus::Cancelled);
}

#[test]
fn a_paused_run_takes_its_tasks_when_it_goes_on() {
    let mut story = growing();
    let id = story.run;
    flow(&mut story.rig, RunCommand::PauseRun { id, paused: true }).expect("paused");
    story.give("plan", "a");
    assert_eq!(story.node("plan"), NodeStatus::Judged);
    flow(&mut story.rig, RunCommand::PauseRun { id, paused: false }).expect("resumed");
    assert!(story.started("a"));
}

/// What was decided before stays: a child whose rule was met by another has begun.
#[test]
fn a_child_that_has_begun_does_not_wait() {
    let nodes =
        vec![adding("plan", &[]), node("other", &[]), ruled("first", &[0, 1], TriggerRule::OneSuccess)];
    let mut story = story(plan(nodes, FailurePolicy::FailFast));
    story.succeed("other");
    assert!(story.started("first"));
    story.give("plan", "a");
    assert_eq!(story.run().plan.node(2).needs, [0, 1]);
    story.succeed("first");
    story.succeed("a");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn clearing_the_adding_task_takes_away_what_it_had_added() {
    let mut story = growing();
    story.give("plan", "a b<a");
    story.succeed("a");
    clear(&mut story, "plan");
    assert_eq!(story.run().find("a"), None);
    assert_eq!(story.run().plan.node(1).needs, [0], "nobody waits for it any more");
    let removed: Vec<NodeStatus> = story.run().nodes[3..].iter().map(|node| node.status).collect();
    assert_eq!(removed, [NodeStatus::Skipped; 2]);
    crash(&mut story);
    give_again(&mut story, "plan", "a");
    assert_eq!(story.index("a"), 5, "GR-3: with a number of its own");
    assert!(!story.started("report"));
    story.succeed("a");
    story.succeed("report");
}

#[test]
fn an_added_task_can_be_cleared_by_itself() {
    let mut story = growing();
    story.give("plan", "a b<a");
    story.succeed("a");
    story.fail("b");
    clear(&mut story, "b");
    assert_eq!((story.node("a"), story.node("plan")), (NodeStatus::Succeeded, NodeStatus::Succeeded));
    story.succeed("b");
    assert!(story.started("report"));
}

#[test]
fn added_tasks_outlive_a_crash() {
    let mut story = growing();
    story.give("plan", "a b<a");
    let before = story.run().clone();
    crash(&mut story);
    assert_same(&before, story.run());
    let start = story.rig.start_of(story.task("a"));
    story.rig.report_with(start.task, start.fence, start.worker, crate::values::Session::new(2), OK);
    assert!(story.started("b"));
}

#[test]
fn a_rerun_has_what_added_tasks_add_again() {
    let mut story = growing();
    story.give("plan", "a b");
    story.succeed("aside");
    story.succeed("a");
    story.fail("b");
    let id = RunId::new(crate::engine::tests::START, Bucket::home(Group::ZERO), 99);
    let rerun = Rerun {
        of: story.run,
        id,
        from: RerunFrom::Failure,
        parameters: None,
        newest: false,
        over: None,
        fact: None,
    };
    flow(&mut story.rig, RunCommand::Rerun(Box::new(rerun))).expect("repeated");
    story.run = id;
    assert_eq!((story.run().plan.len(), story.node("aside")), (3, NodeStatus::Succeeded));
    assert!(story.started("plan"));
    story.give("plan", "c");
    story.succeed("c");
    story.succeed("report");
    story.assert_ended(RunStatus::Succeeded);
}
