//! The watchdog of runs.

use super::*;
use crate::decision::{Effect, RunAlert};

fn alerts(story: &Story) -> Vec<RunAlert> {
    let told = story.rig.effects.iter().filter_map(|effect| match effect {
        Effect::RunAlert { alert, .. } => Some(*alert),
        _ => None,
    });
    told.collect()
}

fn watched(expected: Option<u64>) -> Story {
    let bounds = Bounds { expected: expected.map(Millis::new), ..wide() };
    story(Plan::new(vec![node("a", &[]), node("b", &[0])], FailurePolicy::FailFast, bounds, None))
}

/// The worker keeps telling that it lives.
fn pass(story: &mut Story, ms: u64) {
    let mut left = ms;
    while left > 0 {
        let step = left.min(5_000);
        story.rig.pass(step);
        story.rig.heartbeat(1, 1);
        left -= step;
    }
}

#[test]
fn a_run_that_takes_longer_than_expected_is_late_and_then_overdue() {
    let mut story = watched(Some(10_000));
    pass(&mut story, 10_000);
    assert_eq!((alerts(&story), story.run().is_late()), (vec![], false));
    pass(&mut story, 2);
    assert_eq!((alerts(&story), story.run().is_late()), (vec![RunAlert::Late], true));
    let question = crate::engine::question::Question::Run { id: story.run };
    let Ok(Answer::RunDiagnosis(told)) = story.rig.tell(Command::Ask(question)) else { panic!("no answer") };
    assert_eq!(told.marks, ["late"]);
    pass(&mut story, 10_000);
    assert_eq!(alerts(&story), [RunAlert::Late, RunAlert::Overdue]);
    story.succeed("a");
    story.succeed("b");
    story.assert_ended(RunStatus::Succeeded);
    assert!(story.run().is_late(), "from what is durable");
    let counts = story.rig.engine.counts();
    assert_eq!((counts.runs_late, counts.runs_overdue), (1, 1));
}

#[test]
fn a_run_in_time_is_not_late() {
    let mut story = watched(Some(10_000));
    story.succeed("a");
    story.succeed("b");
    pass(&mut story, 30_000);
    assert_eq!((alerts(&story), story.run().is_late()), (vec![], false));
}

#[test]
fn a_run_that_does_not_change_is_told_of_once() {
    let mut story = watched(None);
    pass(&mut story, 29 * 60_000);
    assert_eq!(alerts(&story), []);
    pass(&mut story, 20 * 60_000);
    assert_eq!((alerts(&story), story.run().is_quiet()), (vec![RunAlert::Quiet], true));
    story.succeed("a");
    assert!(!story.run().is_quiet(), "something changed");
}

/// Takes a run off every list, as a bug would.
fn forget(story: &mut Story) {
    let index = story.rig.engine.state().job_runs().runs().find(story.run).expect("in memory");
    story.rig.engine.work = crate::work::WorkList::default();
    let run = story.rig.engine.state.job_runs.runs.get_mut(index).expect("in memory");
    run.soft = crate::collections::Soft::default();
}

/// Ends a task and forgets what follows from it, without a look at the work list.
fn lose(story: &mut Story) {
    let task = story.task("a");
    let start = story.rig.start_of(task);
    let event = crate::event::Event::TaskSucceeded { id: task, fence: start.fence, output: None };
    crate::state::fold(&mut story.rig.engine.state, &event);
    crate::state::fold(&mut story.rig.shadow, &event);
    story.rig.events.push(event);
    forget(story);
}

#[test]
fn a_stuck_run_is_found_told_of_and_goes_on() {
    let mut story = watched(None);
    story.rig.pass(0);
    lose(&mut story);
    assert!(!story.rig.engine.unpaid().is_empty());
    let every = story.rig.engine.limits().sweep_every;
    sweep(&mut story, every);
    assert_eq!((alerts(&story), story.rig.engine.counts().runs_stalled), (vec![RunAlert::Stalled], 1));
    story.rig.pass(0);
    story.rig.hello(1, 2, 1, &[]);
    assert!(story.started("b"));
}

/// As `pass`, without the check that nothing is missed, which is what is to be put right.
fn sweep(story: &mut Story, after: Millis) {
    let now = story.rig.now;
    story.rig.now = crate::values::Now { elapsed: now.elapsed + after, ..now };
    for _ in 0..4 {
        story.rig.begin();
        let mut batch = crate::engine::Batch::default();
        story.rig.engine.run_due(&mut batch);
        for event in &batch.events {
            crate::state::fold(&mut story.rig.shadow, event);
        }
        story.rig.events.extend(batch.events);
        story.rig.effects.extend(batch.effects);
    }
}

#[test]
fn an_operator_has_a_run_looked_at_again() {
    let mut story = watched(None);
    lose(&mut story);
    let id = story.run;
    flow(&mut story.rig, RunCommand::ReevaluateRun { id, over: over() }).expect("looked at");
    assert!(story.started("b"));
    assert_eq!(story.run().notes.len(), 1);
    let gone = flow(&mut story.rig, RunCommand::ReevaluateRun { id: RunId::from_bits(5), over: over() });
    assert_eq!(gone.map_err(|refusal| refusal.code()), Err("RUN_NOT_FOUND"));
}

#[test]
fn a_waiting_or_paused_run_is_not_stuck() {
    let need = crate::job::JobNeed { job: Name::fixed("never"), within: None, timeout: None };
    let waits = Node { needs_jobs: vec![need], ..node("a", &[]) };
    let mut story = story(plan(vec![waits], FailurePolicy::FailFast));
    pass(&mut story, 40 * 60_000);
    let id = trigger(&mut story.rig, "flow");
    flow(&mut story.rig, RunCommand::PauseRun { id, paused: true }).expect("paused");
    pass(&mut story, 40 * 60_000);
    assert_eq!(alerts(&story), []);
}
