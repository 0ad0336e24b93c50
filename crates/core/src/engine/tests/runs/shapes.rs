//! Chains, diamonds, loops, runs inside runs; and what bounds them.

use super::*;

#[test]
fn a_diamond_joins_once() {
    let nodes = vec![node("a", &[]), node("b", &[0]), node("c", &[0]), node("d", &[1, 2])];
    let mut story = story(plan(nodes, FailurePolicy::FailFast));
    assert!(!story.started("b"));
    story.succeed("a");
    assert!(story.started("b") && story.started("c") && !story.started("d"));
    story.succeed("b");
    assert!(!story.started("d"));
    story.succeed("c");
    assert_eq!(story.rig.starts(story.task("d")), 1);
    story.succeed("d");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn a_crash_anywhere_in_a_diamond_loses_and_repeats_nothing() {
    for crashes_after in 0..4 {
        let nodes = vec![node("a", &[]), node("b", &[0]), node("c", &[0]), node("d", &[1, 2])];
        let mut story = story(plan(nodes, FailurePolicy::FailFast));
        for (step, name) in ["a", "b", "c", "d"].into_iter().enumerate() {
            if step == crashes_after {
                crash(&mut story);
            }
            let task = story.task(name);
            let start = story.rig.start_of(task);
            story.rig.report_with(task, start.fence, start.worker, crate::values::Session::new(2), OK);
        }
        story.assert_ended(RunStatus::Succeeded);
        for name in ["a", "b", "c", "d"] {
            assert_eq!(story.rig.starts(story.task(name)), 1, "{name}, crash before step {crashes_after}");
        }
    }
}

#[test]
fn a_condition_decides_and_skipping_goes_on_by_rule() {
    let condition =
        |name, needs: &[u32], text: &'static str| Node { condition: Some(text.into()), ..node(name, needs) };
    let nodes = vec![
        node("a", &[]),
        condition("yes", &[0], "true"),
        condition("no", &[0], "false"),
        node("after_no", &[2]),
        ruled("join", &[1, 2], TriggerRule::NoneFailed),
        condition("bad", &[0], "perhaps"),
    ];
    let mut story = story(plan(nodes, FailurePolicy::FailAfterAll));
    story.succeed("a");
    assert_eq!(story.node("no"), NodeStatus::Skipped);
    assert_eq!(story.node("after_no"), NodeStatus::Skipped);
    assert_eq!(story.node("bad"), NodeStatus::Failed);
    assert!(story.run().whys[&story.index("bad")].contains("`perhaps` is no condition"));
    story.succeed("yes");
    story.succeed("join");
    story.assert_ended(RunStatus::Failed);
}

#[test]
fn what_is_undefined_fails_before_it_starts() {
    let nodes = vec![Node { work: work("undefined"), ..node("a", &[]) }];
    let story = story(plan(nodes, FailurePolicy::FailFast));
    assert_eq!(story.node("a"), NodeStatus::Failed);
    assert_eq!(story.rig.starts(story.task("a")), 0);
    story.assert_ended(RunStatus::Failed);
}

#[test]
fn a_loop_goes_on_until_its_condition_or_its_bound() {
    for (until, max, status, rounds) in
        [("rounds 3", 5, RunStatus::Succeeded, 3), ("rounds 9", 4, RunStatus::Failed, 4)]
    {
        let nodes = vec![Node { repeat: repeat(until, max, 1000), ..node("poll", &[]) }, node("after", &[0])];
        let mut story = story(plan(nodes, FailurePolicy::FailFast));
        for round in 1..=rounds {
            assert!(story.started("poll"), "round {round}");
            story.succeed("poll");
            story.rig.pass(1000);
        }
        if status == RunStatus::Succeeded {
            story.succeed("after");
        }
        story.assert_ended(status);
        assert_eq!(story.run().node(0).rounds, rounds - 1);
    }
}

#[test]
fn a_node_can_be_a_run_of_another_job() {
    let mut rig = with_words();
    let child = Plan::new(vec![node("inner", &[])], FailurePolicy::FailFast, wide(), Some("all".into()));
    apply(&mut rig, "child", child);
    let sub = NodeWork::Run { job: Name::fixed("child"), parameters: Arc::from(*b"{}"), templated: false };
    let missing =
        NodeWork::Run { job: Name::fixed("nobody"), parameters: Arc::from(*b"{}"), templated: false };
    let nodes = vec![
        Node { work: sub, ..node("sub", &[]) },
        node("after", &[0]),
        Node { work: missing, ..ruled("missing", &[0], TriggerRule::AllDone) },
    ];
    apply(&mut rig, "flow", plan(nodes, FailurePolicy::FailAfterAll));
    let run = trigger(&mut rig, "flow");
    let mut story = Story { rig, run };
    let child = story.run().id.child(story.run().place(0, NodeInstance::WHOLE));
    let inner = story
        .rig
        .engine
        .state()
        .job_runs()
        .run(child)
        .expect("the child runs")
        .task_at(0, NodeInstance::WHOLE);
    story.rig.report(inner, crate::task::decide::ReportKind::Succeeded { output: Some(Arc::from(*b"42")) });
    assert_eq!(story.node("sub"), NodeStatus::Succeeded);
    assert_eq!(&*story.run().outputs[&(0, NodeInstance::WHOLE)], b"42");
    assert_eq!(story.node("missing"), NodeStatus::Failed);
    story.succeed("after");
    story.assert_ended(RunStatus::Failed);
}

#[test]
fn runs_of_a_job_wait_for_their_turn() {
    use RunStatus::{Queued, Running, Succeeded};
    let mut rig = with_words();
    let bounds = Bounds { active_runs_max: 2, ..wide() };
    apply(&mut rig, "flow", Plan::new(vec![node("a", &[])], FailurePolicy::FailFast, bounds, None));
    let runs: Vec<RunId> = (0..4).map(|_| trigger(&mut rig, "flow")).collect();
    let status = |rig: &Rig, run: RunId| rig.engine.state().job_runs().run(run).expect("in memory").status;
    let all = |rig: &Rig| runs.iter().map(|run| status(rig, *run)).collect::<Vec<_>>();
    assert_eq!(all(&rig), [Running, Running, Queued, Queued]);
    let first =
        rig.engine.state().job_runs().run(runs[1]).expect("in memory").task_at(0, NodeInstance::WHOLE);
    rig.report(first, OK);
    assert_eq!(all(&rig), [Running, Succeeded, Running, Queued]);
    flow(&mut rig, RunCommand::PauseJob { key: key("flow"), paused: true, seen: None }).expect("paused");
    let third =
        rig.engine.state().job_runs().run(runs[2]).expect("in memory").task_at(0, NodeInstance::WHOLE);
    rig.report(third, OK);
    assert_eq!(all(&rig), [Running, Succeeded, Succeeded, Queued]);
    flow(&mut rig, RunCommand::PauseJob { key: key("flow"), paused: false, seen: None }).expect("resumed");
    assert_eq!(all(&rig), [Running, Succeeded, Succeeded, Running]);
}

#[test]
fn a_run_releases_at_its_rate_and_within_its_width() {
    let bounds = Bounds { release_per_second: 10, running_max: 15, ..wide() };
    let nodes = vec![Node { each: each("100"), ..node("map", &[]) }];
    let mut story = story(Plan::new(nodes, FailurePolicy::FailFast, bounds, None));
    assert_eq!(story.run().out, 10);
    story.rig.pass(99);
    assert_eq!(story.run().out, 10);
    for out in 11..=15 {
        story.rig.pass(if out == 11 { 1 } else { 100 });
        assert_eq!(story.run().out, out, "one in 100 ms");
    }
    story.rig.pass(1000);
    assert_eq!(story.run().out, 15);
    for item in 0..5 {
        story.rig.report(story.item("map", item), OK);
    }
    assert_eq!(story.run().out, 15);
    assert_eq!(story.run().groups[&0].released, 20);
}

#[test]
fn a_run_that_takes_too_long_is_stopped() {
    let bounds = Bounds { timeout: Some(Millis::from_secs(60)), ..wide() };
    let nodes = vec![node("a", &[]), node("b", &[0])];
    let mut story = story(Plan::new(nodes, FailurePolicy::FailFast, bounds, None));
    let task = story.task("a");
    story.rig.report(task, crate::task::decide::ReportKind::Accepted);
    for _ in 0..6 {
        story.rig.heartbeat(1, 1);
        story.rig.pass(10_000);
    }
    assert_eq!(story.rig.stops(task), 1);
    story.rig.report(task, failed(FailureClass::Transient));
    story.assert_ended(RunStatus::Failed);
    assert!(story.run().why.as_deref().is_some_and(|why| why.contains("timeout")));
}
