//! Decisions that panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::runs::{node, plan, story, with_words};
use super::triggers::{notice, of_type, send, taken, with};
use super::*;
use crate::engine::PanicSubject;
use crate::engine::tests::runs::waits::wait_alone;
use crate::job::{FailurePolicy, Node};
use crate::trigger::TriggerSpec;
use crate::values::RunStatus;

/// What was being decided when something panicked, since this was last asked.
fn subjects(rig: &mut Rig) -> Vec<PanicSubject> {
    rig.engine.take_panics().into_iter().map(|panicked| panicked.subject).collect()
}

fn why(rig: &Rig, id: TaskId) -> String {
    rig.task(id).failures()[0].failure.message.to_string()
}

/// The machine takes commands and finishes work.
fn assert_alive(rig: &mut Rig) {
    let id = rig.submit();
    rig.report(id, OK);
    assert_eq!(rig.status(id), Status::Succeeded);
    assert!(!rig.engine.has_work());
}

#[test]
fn a_wait_that_panics_fails_with_the_message() {
    let mut rig = with_words();
    let id = wait_alone(&mut rig, "panic");
    assert_eq!(rig.status(id), Status::Failed);
    assert!(why(&rig, id).contains("INTERNAL") && why(&rig, id).contains("boom"), "{}", why(&rig, id));
    assert_eq!(subjects(&mut rig), [PanicSubject::Task(id)]);
    assert_eq!(rig.engine.counts().panics, 1);
    assert_alive(&mut rig);
}

#[test]
fn a_condition_that_panics_fails_its_wait_and_not_the_event() {
    let mut rig = with_words();
    let (bad, good) = (wait_alone(&mut rig, "event a - panic"), wait_alone(&mut rig, "event a"));
    send(&mut rig, notice("a", "e-1"));
    assert_eq!((rig.status(bad), rig.status(good)), (Status::Failed, Status::Succeeded));
    assert_eq!(subjects(&mut rig), [PanicSubject::Task(bad)]);
    assert_alive(&mut rig);
}

#[test]
fn a_trigger_that_panics_declines_the_event() {
    let mut rig = with(TriggerSpec { condition: Some("panic".into()), ..of_type("a") });
    let (runs, declined) = taken(send(&mut rig, notice("a", "e-1")));
    assert_eq!((runs.len(), &declined[..]), (0, &["internal error: boom".to_owned()][..]));
    assert_alive(&mut rig);
}

#[test]
fn a_run_that_panics_fails_and_is_not_tried_again() {
    let first = node("first", &[]);
    let second = Node { condition: Some("panic".into()), ..node("second", &[0]) };
    let mut story = story(plan(vec![first, second], FailurePolicy::FailFast));
    story.succeed("first");
    story.assert_ended(RunStatus::Failed);
    assert_eq!(subjects(&mut story.rig), [PanicSubject::Run(story.run)]);
    assert_alive(&mut story.rig);
    story.rig.pass(3_600_000);
    assert_eq!(story.rig.engine.counts().panics, 1);
}

#[test]
fn what_a_decision_left_behind_is_taken_back() {
    let mut rig = rig();
    let kept = rig.submit();
    rig.begin();
    let mut batch = Batch::default();
    let alert = |task| Effect::Alert { task, alert: crate::decision::Alert::SweptUp };
    let done = rig.engine.guard(PanicSubject::Command("test"), &mut batch, |engine, batch| {
        batch.effects.push(alert(kept));
        engine.commit_one(Event::TaskCancelled { id: kept }, batch);
        batch.effects.push(alert(kept));
        panic!("boom");
    });
    assert_eq!(done.err().as_deref(), Some("boom"));
    // What belongs to the event that was applied stays.
    let alerts = batch.effects.iter().filter(|effect| matches!(effect, Effect::Alert { .. })).count();
    assert_eq!((batch.events.len(), alerts), (1, 1));
    rig.absorb(batch);
    assert_eq!(rig.status(kept), Status::Cancelled);
}

#[test]
fn a_panic_while_an_event_is_applied_is_passed_on() {
    let mut rig = rig();
    let unknown = rig.next_id();
    rig.begin();
    let mut batch = Batch::default();
    let engine = &mut rig.engine;
    let done = catch_unwind(AssertUnwindSafe(|| {
        engine.guard(PanicSubject::Command("test"), &mut batch, |engine, batch| {
            engine.commit_one(Event::TaskCancelled { id: unknown }, batch);
        })
    }));
    assert!(done.is_err());
    assert!(rig.engine.is_applying());
    assert_eq!(rig.engine.counts().panics, 0);
}
