//! Tasks that wait for an event.

use super::super::workflow::waits::wait_alone;
use super::*;
use crate::task::Status;

fn about(kind: &str, id: &str, subject: &str) -> Notice {
    Notice { subject: Some(subject.into()), ..notice(kind, id) }
}

#[test]
fn an_event_ends_the_waits_that_it_means_and_no_others() {
    let rows = [
        ("event order.paid", true),
        ("event order.*", true),
        ("event order.paid 7", true),
        ("event order.* 7", true),
        ("event order.paid 7 has_a_subject", true),
        ("event order.paid 8", false),
        ("event order.sent", false),
        ("event order.* 8", false),
        ("for 60000", false),
    ];
    let mut rig = with_words();
    let waits = rows.map(|(payload, means)| (wait_alone(&mut rig, payload), payload, means));
    send(&mut rig, about("order.paid", "e-1", "7"));
    for (id, payload, means) in waits {
        let expected = if means { Status::Succeeded } else { Status::Deferred };
        assert_eq!(rig.status(id), expected, "{payload}");
        if means {
            let output = rig.task(id).extra.as_ref().and_then(|extra| extra.output.clone());
            assert_eq!(output.as_deref(), Some(&b"e-1"[..]), "{payload}");
        }
    }
}

#[test]
fn an_event_of_another_tenant_is_not_meant() {
    let mut rig = with_words();
    let mut spec = super::super::spec();
    (spec.tenant, spec.executor) = (Name::fixed("other"), Name::fixed("wait"));
    let submit = rig.command(spec, crate::command::StartTime::Now);
    let id = submit.id;
    let submit = crate::command::Submit { payload: Arc::from(*b"event order.paid"), ..submit };
    rig.tell(Command::Submit(Box::new(submit))).expect("accepted");
    send(&mut rig, notice("order.paid", "e-1"));
    assert_eq!(rig.status(id), Status::Deferred);
}

#[test]
fn a_condition_that_is_broken_fails_the_wait() {
    let mut rig = with_words();
    let id = wait_alone(&mut rig, "event order.paid - nonsense");
    send(&mut rig, notice("order.paid", "e-1"));
    assert_eq!(rig.status(id), Status::Failed);
    let why = &rig.task(id).failures()[0].failure.message;
    assert!(why.contains("its condition: `nonsense`"), "{why}");
}

#[test]
fn an_event_that_does_not_come_is_too_late() {
    let mut rig = with_words();
    let id = wait_alone(&mut rig, "event order.paid");
    rig.pass(60_000);
    assert_eq!(rig.status(id), Status::Failed);
    // Nobody is called who does not wait any more.
    send(&mut rig, notice("order.paid", "e-1"));
    assert_eq!(rig.status(id), Status::Failed);
}

#[test]
fn the_end_of_a_task_of_ours_is_an_event_too() {
    let mut rig = with_words();
    let id = wait_alone(&mut rig, "event mainspring.task.succeeded");
    let other = rig.submit();
    rig.report(other, OK);
    assert_eq!(rig.status(id), Status::Succeeded);
}

#[test]
fn too_many_for_the_same_event_are_refused() {
    let mut rig = with_words();
    for _ in 0..500 {
        wait_alone(&mut rig, "event order.paid");
    }
    let one_more = wait_alone(&mut rig, "event order.paid");
    let elsewhere = wait_alone(&mut rig, "event order.paid 7");
    assert_eq!((rig.status(one_more), rig.status(elsewhere)), (Status::Failed, Status::Deferred));
    let why = &rig.task(one_more).failures()[0].failure.message;
    assert!(why.contains("ask for a `subject`"), "{why}");
}
