//! Schedules that a job file names, and the runs that they begin.

use super::*;
use crate::engine::Batch;
use crate::engine::tests::runs::{apply_with, flow, key as job, node, plan, with_words};
use crate::job::FailurePolicy;
use crate::run::StartedBy;
use crate::run::decide::RunCommand;
use crate::values::{Now, RunStatus};

fn runs() -> Spec {
    let target = Target::Run { parameters: Arc::from(*b"{}"), priority: None };
    Spec::new(target, cron("* * * * *", "UTC"))
}

fn story(specs: Vec<(Name, Spec)>) -> Rig {
    let mut rig = with_words();
    apply_with(&mut rig, "flow", plan(vec![node("a", &[])], FailurePolicy::FailFast), specs);
    rig
}

fn named(name: &'static str, spec: Spec) -> (Name, Spec) {
    (Name::fixed(name), spec)
}

#[test]
fn a_window_begins_a_run_of_the_newest_version() {
    let mut rig = story(vec![named("s", runs())]);
    rig.live_until(17 * MINUTE);
    let created = rig.events.iter().find_map(|event| match event {
        Event::Run(RunEvent::RunCreated(created)) => Some(created.clone()),
        _ => None,
    });
    let created = created.expect("a run");
    assert_eq!((created.origin.started_by, created.version), (StartedBy::Schedule, 1));
    let run = rig.engine.state().job_runs().run(created.id).expect("it is in memory");
    assert_eq!(run.status, RunStatus::Running);
    assert_eq!(run.origin.window.as_ref().map(|one| one.at), Some(Wall::from_millis(17 * MINUTE)));
    assert_eq!(*rig.schedule().rare.active, [Started::Run(created.id)]);
    let task = run.task_at(0, crate::values::NodeInstance::WHOLE);
    rig.succeed(task);
    assert_eq!(*rig.schedule().rare.active, []);
}

#[test]
fn a_file_without_a_schedule_takes_it_away() {
    let mut rig = story(vec![named("s", runs()), named("t", runs())]);
    apply_with(
        &mut rig,
        "flow",
        plan(vec![node("b", &[])], FailurePolicy::FailFast),
        vec![named("t", runs())],
    );
    rig.live_until(17 * MINUTE);
    assert_eq!(rig.told().len(), 1);
    assert!(rig.schedule().rare.deleted.is_some());
}

#[test]
fn a_paused_job_pauses_its_schedules_and_a_deleted_one_takes_them_along() {
    let mut rig = story(vec![named("s", runs())]);
    let pause = |rig: &mut Rig, paused| {
        flow(rig, RunCommand::PauseJob { key: job("flow"), paused, seen: None }).expect("there is one");
    };
    pause(&mut rig, true);
    rig.live_until(19 * MINUTE + 1_000);
    assert_eq!(rig.told(), []);
    pause(&mut rig, false);
    rig.pass(0);
    let passed = Told::Passed {
        first: 17 * MINUTE,
        last: 19 * MINUTE,
        count: 3,
        outcome: Unfired::Skipped(Reason::Paused),
    };
    assert_eq!(rig.told_anew(), [passed]);
    flow(&mut rig, RunCommand::DeleteJob { key: job("flow"), seen: None }).expect("there is one");
    rig.live_until(25 * MINUTE);
    assert_eq!(rig.told(), []);
    // Applied again it goes on, and what passed meanwhile is nobody's.
    apply_with(
        &mut rig,
        "flow",
        plan(vec![node("c", &[])], FailurePolicy::FailFast),
        vec![named("s", runs())],
    );
    rig.live_until(26 * MINUTE);
    assert_eq!(rig.told(), [Told::Ran(26 * MINUTE, FiredAs::OnTime)]);
}

#[test]
fn a_schedule_of_no_job_is_refused() {
    let mut rig = with_words();
    let refused = say(
        &mut rig,
        ScheduleCommand::Put { key: key("s"), spec: runs(), own: ScheduleHome::default(), seen: None },
    );
    assert!(matches!(refused, Err(Rejection::Run(_))), "{refused:?}");
}

#[test]
fn a_schedule_whose_window_panics_is_paused() {
    let target = Target::Run { parameters: Arc::from(*b"panic"), priority: None };
    let mut rig = story(vec![named("s", Spec::new(target, cron("* * * * *", "UTC")))]);
    rig.live_until(20 * MINUTE);
    assert!(rig.schedule().paused);
    assert_eq!((rig.engine.counts().panics, rig.told().len()), (1, 0));
}

#[test]
fn windows_whose_texts_must_be_parsed_are_spread_over_steps() {
    let spec = || {
        let target = Target::Run { parameters: Arc::from(*b"long"), priority: None };
        Spec::new(target, cron("* * * * *", "UTC"))
    };
    let names = ["a", "b", "c", "d", "e"];
    let mut rig = story(names.map(|name| named(name, spec())).into());
    rig.now = Now::new(17 * MINUTE, 17 * MINUTE);
    for begun in 1..=names.len() {
        rig.begin();
        let mut batch = Batch::default();
        rig.engine.run_due(&mut batch);
        rig.absorb(batch);
        assert_eq!(rig.told().len(), begun, "one a step");
        assert_eq!(rig.engine.has_schedule_work(), begun < names.len());
    }
}
