//! Tasks that only wait.

use super::*;
use crate::engine::question::{Question, Standing};
use crate::task::ProfileSpec;
use crate::task::decide::ReportKind;
use crate::wait::FoundRun;

type Act = fn(&mut Rig, TaskId);

fn waiter(name: &'static str, payload: String, needs: &[u32]) -> Node {
    let profile = Profile::new(ProfileSpec { executor: Name::fixed("wait"), ..spec() });
    let work = NodeWork::Task(TaskWork {
        profile,
        payload: payload.into_bytes().into(),
        priority: Priority::default(),
        labels: None,
        templated: false,
    });
    Node { work, ..node(name, needs) }
}

fn waiting(payload: String) -> Story {
    story(plan(vec![waiter("pause", payload, &[]), node("after", &[0])], FailurePolicy::FailFast))
}

/// A run of a job with one task, which waits for a worker's word.
fn source(rig: &mut Rig) -> (RunId, TaskId) {
    apply(rig, "source", plan(vec![node("only", &[])], FailurePolicy::FailFast));
    let run = trigger(rig, "source");
    let task = rig.engine.state().job_runs().run(run).expect("in memory").task_at(0, NodeInstance::WHOLE);
    (run, task)
}

/// Two runs: one that is waited for, and one with a task that waits for it.
fn waiting_for_run(word: &str) -> (Story, TaskId) {
    let mut rig = with_words();
    let (run, task) = source(&mut rig);
    let plan = plan(
        vec![waiter("pause", format!("{word} {run} 60000"), &[]), node("after", &[0])],
        FailurePolicy::FailFast,
    );
    apply(&mut rig, "flow", plan);
    let run = trigger(&mut rig, "flow");
    (Story { rig, run }, task)
}

#[test]
fn a_time_is_awaited_without_a_worker() {
    let mut story = waiting("for 5000".to_owned());
    let task = story.task("pause");
    assert_eq!((story.rig.status(task), story.rig.starts(task)), (Status::Deferred, 0));
    story.rig.pass(4_999);
    assert!(!story.started("after"));
    story.rig.pass(1);
    assert_eq!(story.rig.status(task), Status::Succeeded);
    assert!(story.started("after"), "in the record of the end");
    assert_eq!(story.rig.starts(task), 0);
    story.succeed("after");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn a_time_that_is_awaited_survives_a_crash() {
    let mut story = waiting("for 5000".to_owned());
    crash(&mut story);
    assert_eq!(story.rig.status(story.task("pause")), Status::Deferred);
    story.rig.pass(5_000);
    assert!(story.started("after"));
}

#[test]
fn a_run_that_succeeds_calls_those_that_wait_for_it() {
    for crashed in [false, true] {
        let (mut story, task) = waiting_for_run("run");
        if crashed {
            crash(&mut story);
        }
        assert_eq!(story.rig.status(story.task("pause")), Status::Deferred);
        story.rig.report(task, OK);
        assert_eq!(story.rig.status(story.task("pause")), Status::Succeeded, "crashed: {crashed}");
        assert!(story.started("after"));
    }
}

#[test]
fn a_run_that_fails_fails_them() {
    let (mut story, task) = waiting_for_run("run");
    story.rig.report(task, failed(FailureClass::Permanent));
    let pause = story.task("pause");
    assert_eq!(story.rig.status(pause), Status::Failed);
    let why = &story.rig.task(pause).failures()[0].failure.message;
    assert!(why.contains("ended as failed"), "{why}");
}

#[test]
fn a_run_that_has_ended_is_enough() {
    let mut rig = with_words();
    let (run, task) = source(&mut rig);
    rig.report(task, OK);
    let flow = plan(vec![waiter("pause", format!("run {run} 60000"), &[])], FailurePolicy::FailFast);
    apply(&mut rig, "flow", flow);
    let run = trigger(&mut rig, "flow");
    Story { rig, run }.assert_ended(RunStatus::Succeeded);
}

#[test]
fn a_run_of_another_tenant_does_not_exist_for_a_wait() {
    for ended in [false, true] {
        let mut rig = with_words();
        let (run, task) = source(&mut rig);
        if ended {
            rig.report(task, OK);
        }
        let id = wait_alone_as(&mut rig, "other", &format!("run {run} 60000"));
        assert_eq!(rig.status(id), Status::Failed, "ended: {ended}");
        assert_eq!(*rig.task(id).failures()[0].failure.message, *format!("there is no run `{run}`"));
    }
}

#[test]
fn a_run_that_memory_does_not_know_is_looked_up() {
    let ended = |tenant, status| FoundRun::Ended { tenant: Name::fixed(tenant), status };
    let rows = [
        (ended("acme", RunStatus::Succeeded), Status::Succeeded),
        (ended("acme", RunStatus::Failed), Status::Failed),
        (ended("other", RunStatus::Succeeded), Status::Failed),
        (FoundRun::Nothing, Status::Failed),
        (FoundRun::Unread, Status::Deferred),
    ];
    for (found, status) in rows {
        let run = RunId::new(1, Bucket::home(Group::ZERO), 9);
        let mut story = waiting(format!("run {run} 600000"));
        let (asked, wanted) = story.rig.engine.wants_run().expect("it asks");
        assert_eq!((asked, wanted), (story.task("pause"), run));
        assert_eq!(story.rig.engine.wants_run(), None, "once");
        story.rig.find_run(asked, wanted, found.clone());
        assert_eq!(story.rig.status(asked), status, "{found:?}");
    }
}

#[test]
fn tables_that_cannot_be_read_are_asked_again() {
    let run = RunId::new(1, Bucket::home(Group::ZERO), 9);
    let mut story = waiting(format!("run {run} 90000000"));
    let (task, _) = story.rig.engine.wants_run().expect("it asks");
    story.rig.find_run(task, run, FoundRun::Unread);
    assert_eq!(story.rig.engine.wants_run(), None);
    for _ in 0..2 {
        story.rig.pass(story.rig.engine.limits().sweep_every.get());
    }
    assert_eq!(story.rig.engine.wants_run(), Some((task, run)));
}

#[test]
fn a_wait_ends_with_its_deadline() {
    for (word, status) in [("run", Status::Failed), ("skip", Status::Skipped)] {
        let (mut story, _) = waiting_for_run(word);
        story.rig.pass(59_999);
        assert_eq!(story.rig.status(story.task("pause")), Status::Deferred);
        story.rig.pass(1);
        assert_eq!(story.rig.status(story.task("pause")), status);
    }
}

#[test]
fn a_payload_that_says_nothing_fails_the_task() {
    let story = waiting("nonsense".to_owned());
    let pause = story.task("pause");
    assert_eq!(story.rig.status(pause), Status::Failed);
    assert_eq!(&*story.rig.task(pause).failures()[0].failure.message, "`nonsense` is no wait");
}

#[test]
fn an_operator_ends_a_wait() {
    let stories: [(Act, Status); 3] = [
        (|rig, id| drop(rig.tell(Command::RunNow { id })), Status::Succeeded),
        (|rig, id| drop(rig.tell(Command::Cancel { id, stop_running: false })), Status::Cancelled),
        (
            |rig, id| drop(rig.tell(Command::Force { id, status: Status::Skipped, over: over() })),
            Status::Skipped,
        ),
    ];
    for (act, status) in stories {
        let (mut story, task) = waiting_for_run("run");
        let pause = story.task("pause");
        act(&mut story.rig, pause);
        assert_eq!(story.rig.status(pause), status);
        // Nobody is called who does not wait any more.
        story.rig.report(task, OK);
        assert_eq!(story.rig.status(pause), status);
    }
}

#[test]
fn another_payload_is_another_wait() {
    let mut rig = with_words();
    let id = wait_alone(&mut rig, "for 5000");
    let payload = Some(Payload::from(*b"for 9000"));
    rig.tell(Command::Amend { id, due: None, priority: None, payload }).expect("it waits");
    rig.pass(5_000);
    assert_eq!(rig.status(id), Status::Deferred);
    rig.pass(4_000);
    assert_eq!(rig.status(id), Status::Succeeded);
}

#[test]
fn one_that_waits_can_be_asked_for_what() {
    let (mut story, _) = waiting_for_run("run");
    let id = story.task("pause");
    let Ok(Answer::Diagnosis(diagnosis)) = story.rig.tell(Command::Ask(Question::Why { id })) else {
        panic!("no diagnosis");
    };
    assert!(matches!(diagnosis.standing, Standing::WaitsFor { .. }), "{:?}", diagnosis.standing);
    assert_eq!(diagnosis.standing.label(), "waits_for_run");
}

/// A task without a run that only waits.
pub(in crate::engine::tests) fn wait_alone(rig: &mut Rig, payload: &str) -> TaskId {
    wait_alone_as(rig, "acme", payload)
}

fn wait_alone_as(rig: &mut Rig, tenant: &'static str, payload: &str) -> TaskId {
    let spec = ProfileSpec { executor: Name::fixed("wait"), tenant: Name::fixed(tenant), ..spec() };
    let mut submit = rig.command(spec, crate::task::decide::StartTime::Now);
    let id = submit.id;
    submit.task.payload = payload.as_bytes().into();
    rig.tell(Command::Submit(Box::new(submit))).expect("accepted");
    id
}

/// A task without a run that looks for something, at most so long.
fn look_alone(rig: &mut Rig, ms: &str) -> TaskId {
    let spec = ProfileSpec { executor: Name::fixed("poll"), ..spec() };
    let mut submit = rig.command(spec, crate::task::decide::StartTime::Now);
    let id = submit.id;
    submit.task.payload = ms.as_bytes().into();
    rig.tell(Command::Submit(Box::new(submit))).expect("accepted");
    id
}

#[test]
fn a_poll_ends_with_its_deadline_although_nobody_polls() {
    for crashed in [false, true] {
        let mut rig = with_words();
        let id = look_alone(&mut rig, "60000");
        rig.pass(59_999);
        assert_eq!(rig.status(id), Status::Queued);
        if crashed {
            rig = crate::engine::tests::recovery::reopened(&rig, crate::engine::EngineConfig::default());
        }
        rig.pass(1);
        assert_eq!(rig.status(id), Status::Failed, "crashed: {crashed}");
        let failure = &rig.task(id).failures()[0].failure;
        assert_eq!(failure.class, FailureClass::Timeout);
        assert_eq!(&*failure.message, "it was not there in time: no worker of pool `default` ever looked");
        let over = over();
        rig.tell(Command::Revive { id, fact: None, over, dead_only: false }).expect("revived");
        rig.pass(59_999);
        assert_eq!(rig.status(id), Status::Queued, "another wait, another deadline");
    }
}

#[test]
fn the_deadline_of_a_poll_counts_over_all_polls() {
    let mut rig = with_words();
    rig.hello(1, 1, 1, &[]);
    let id = look_alone(&mut rig, "60000");
    let later = ReportKind::Deferred { resume_after: Millis::from_secs(30) };
    rig.report(id, later.clone());
    rig.pass(30_000);
    assert_eq!(rig.status(id), Status::Queued, "its worker is lost");
    rig.hello(1, 2, 2, &[]);
    rig.report(id, later);
    rig.pass(30_000);
    rig.pass(0);
    assert_eq!(rig.status(id), Status::Failed, "there is no worker, and the time is over");
    let found = look_alone(&mut rig, "60000");
    rig.hello(1, 3, 3, &[]);
    rig.report(found, OK);
    assert_eq!(rig.status(found), Status::Succeeded);
    rig.pass(60_000);
    assert_eq!(rig.status(found), Status::Succeeded);
}
