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
    let (kept, left) = (rig.submit(), rig.submit());
    rig.begin();
    let mut batch = Batch::default();
    let subject = PanicSubject::Command("test");
    let alert = |task| Effect::Alert { task, alert: crate::decision::Alert::SweptUp };
    let decided = rig.engine.look(subject, &mut batch, |_, out| {
        out.effect(alert(kept));
        out.push(Event::TaskCancelled { id: kept });
    });
    assert!(decided.is_ok());
    let before = (batch.events.len(), batch.effects.len());
    let undecided = rig.engine.look(subject, &mut batch, |_, out| {
        out.effect(alert(left));
        out.push(Event::TaskCancelled { id: left });
        panic!("boom");
    });
    assert_eq!(undecided.err().as_deref(), Some("boom"));
    assert_eq!((batch.events.len(), batch.effects.len()), before, "what was decided before stays");
    rig.absorb(batch);
    assert_eq!((rig.status(kept), rig.task(left).cancel_requested), (Status::Cancelled, false));
}

#[test]
fn a_panic_while_an_event_is_applied_is_passed_on() {
    let mut rig = rig();
    let unknown = rig.next_id();
    rig.begin();
    let mut batch = Batch::default();
    let engine = &mut rig.engine;
    let done = catch_unwind(AssertUnwindSafe(|| {
        engine.look(PanicSubject::Command("test"), &mut batch, |_, out| {
            out.push(Event::TaskCancelled { id: unknown });
        })
    }));
    assert!(done.is_err());
    assert!(rig.engine.is_applying());
    assert_eq!(rig.engine.counts().panics, 0);
}
