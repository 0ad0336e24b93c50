//! Nodes that need other jobs.

use super::*;
use crate::engine::question::{JobWait, NodeStanding, Question, RunDiagnosis, RunStanding};
use crate::job::JobNeed;

fn need(within: Option<u64>, timeout: Option<u64>) -> Node {
    let need = JobNeed {
        job: Name::fixed("source"),
        within: within.map(Millis::new),
        timeout: timeout.map(Millis::new),
    };
    Node { needs_jobs: vec![need], ..node("load", &[]) }
}

fn waiting(load: Node) -> Story {
    story(plan(vec![load, node("after", &[0])], FailurePolicy::FailFast))
}

/// A run of the job that others wait for, from beginning to end.
fn succeed_source(rig: &mut Rig) {
    apply(rig, "source", plan(vec![node("only", &[])], FailurePolicy::FailFast));
    let run = trigger(rig, "source");
    let task = rig.engine.state().job_runs().run(run).expect("in memory").task_at(0, NodeInstance::WHOLE);
    rig.report(task, OK);
}

#[test]
fn a_success_that_is_there_is_enough() {
    let mut rig = with_words();
    succeed_source(&mut rig);
    apply(&mut rig, "flow", plan(vec![need(None, None)], FailurePolicy::FailFast));
    let run = trigger(&mut rig, "flow");
    let story = Story { rig, run };
    assert!(story.started("load") && story.run().holds.is_empty());
}

#[test]
fn it_waits_for_a_job_that_does_not_exist_yet_and_is_woken_at_once() {
    let mut story = waiting(need(None, None));
    assert!(!story.started("load"));
    assert_eq!(story.run().holds.len(), 1);
    succeed_source(&mut story.rig);
    assert!(story.started("load") && story.run().holds.is_empty());
    story.succeed("load");
    story.succeed("after");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn a_failure_of_the_job_wakes_nobody() {
    let mut story = waiting(need(None, None));
    apply(&mut story.rig, "source", plan(vec![node("only", &[])], FailurePolicy::FailFast));
    let source = trigger(&mut story.rig, "source");
    let task =
        story.rig.engine.state().job_runs().run(source).expect("in memory").task_at(0, NodeInstance::WHOLE);
    story.rig.report(task, failed(FailureClass::Permanent));
    assert!(!story.started("load"));
}

#[test]
fn an_old_success_does_not_count() {
    let mut rig = with_words();
    succeed_source(&mut rig);
    rig.pass(5_001);
    apply(&mut rig, "flow", plan(vec![need(Some(5_000), None)], FailurePolicy::FailFast));
    let run = trigger(&mut rig, "flow");
    let mut story = Story { rig, run };
    assert!(!story.started("load"));
    succeed_source(&mut story.rig);
    assert!(story.started("load"));
}

#[test]
fn it_fails_when_it_has_waited_too_long_also_over_a_crash() {
    for crashes in [false, true] {
        let mut story = waiting(need(None, Some(10_000)));
        // The story is folded at the instant of the crash.
        if crashes {
            crash(&mut story);
        }
        story.rig.pass(9_000);
        assert_eq!(story.node("load"), NodeStatus::Waiting);
        story.rig.pass(1_001);
        assert_eq!(story.node("load"), NodeStatus::Failed);
        let why = story.run().whys.get(&0).map(ToString::to_string);
        assert_eq!(why.as_deref(), Some("needs_jobs: `source` did not succeed in time"));
        story.assert_ended(RunStatus::Failed);
    }
}

#[test]
fn a_crash_loses_no_wait() {
    let mut story = waiting(need(None, None));
    let before = story.run().clone();
    crash(&mut story);
    assert_same(&before, story.run());
    apply(&mut story.rig, "source", plan(vec![node("only", &[])], FailurePolicy::FailFast));
    let source = trigger(&mut story.rig, "source");
    let task =
        story.rig.engine.state().job_runs().run(source).expect("in memory").task_at(0, NodeInstance::WHOLE);
    let start = story.rig.start_of(task);
    story.rig.report_with(task, start.fence, start.worker, crate::values::Session::new(2), OK);
    assert!(story.started("load"));
}

#[test]
fn a_run_that_ended_is_forgotten() {
    let mut story = waiting(need(None, None));
    let id = story.run;
    flow(&mut story.rig, RunCommand::CancelRun { id }).expect("cancelled");
    story.assert_ended(RunStatus::Cancelled);
    assert!(story.rig.engine.state().job_runs().awaiting_jobs().next().is_none());
}

fn diagnosed(story: &mut Story) -> RunDiagnosis {
    let id = story.run;
    let answer = story.rig.tell(Command::Ask(Question::Run { id }));
    let Ok(Answer::RunDiagnosis(diagnosis)) = answer else { panic!("{answer:?}") };
    *diagnosis
}

#[test]
fn its_diagnosis_names_the_job_since_when_and_for_how_long() {
    let mut story = waiting(need(Some(5_000), Some(10_000)));
    let since = story.rig.now.wall;
    story.rig.pass(4_000);
    let diagnosis = diagnosed(&mut story);
    assert_eq!(diagnosis.standing, RunStanding::WaitsForJobs { nodes: 1 });
    let wait = JobWait {
        job: Name::fixed("source"),
        within: Some(Millis::new(5_000)),
        since,
        fails: Some((since + Millis::new(10_000), Millis::new(6_000))),
        exists: false,
        succeeded: None,
    };
    let load = &diagnosis.nodes[0];
    assert_eq!(load.standing, NodeStanding::Jobs { waits_for: vec![wait], more: 0 });
    let text = "it could run, and waits for a success of job `source`, which does not exist, at most 5000 ms old, for 6000 ms more";
    assert_eq!(load.to_string(), text);
    assert_eq!(load.standing.advice(), "apply job `source` and trigger it");
    assert_eq!(diagnosis.nodes[1].standing.label(), "waits_for_upstream");
}

#[test]
fn its_diagnosis_tells_of_a_success_that_is_too_old_and_of_a_job_that_was_deleted() {
    let mut rig = with_words();
    succeed_source(&mut rig);
    let succeeded = rig.now.wall;
    rig.pass(5_001);
    apply(&mut rig, "flow", plan(vec![need(Some(5_000), None)], FailurePolicy::FailFast));
    let run = trigger(&mut rig, "flow");
    let mut story = Story { rig, run };
    for exists in [true, false] {
        let diagnosis = diagnosed(&mut story);
        let NodeStanding::Jobs { waits_for, more: 0 } = &diagnosis.nodes[0].standing else {
            panic!("{diagnosis:?}")
        };
        assert_eq!((waits_for[0].exists, waits_for[0].succeeded), (exists, Some(succeeded)));
        if exists {
            flow(&mut story.rig, RunCommand::DeleteJob { key: key("source"), seen: None }).expect("deleted");
        }
    }
    let id = story.run;
    flow(&mut story.rig, RunCommand::PauseRun { id, paused: true }).expect("paused");
    assert_eq!(diagnosed(&mut story).standing, RunStanding::PausedByHand { out: 0 });
}
