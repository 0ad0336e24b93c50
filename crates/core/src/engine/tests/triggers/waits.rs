//! Tasks that wait for an event.

use super::*;
use crate::engine::tests::runs::waits::wait_alone;
use crate::engine::{Batch, EngineConfig};
use crate::task::decide::StartTime;
use crate::task::{ProfileSpec, Status};
use crate::values::{Limits, Millis, TaskId};

fn about(kind: &str, id: &str, subject: &str) -> CloudEvent {
    CloudEvent { subject: Some(subject.into()), ..notice(kind, id) }
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
    let mut spec = crate::engine::tests::spec();
    (spec.tenant, spec.executor) = (Name::fixed("other"), Name::fixed("wait"));
    let mut submit = rig.command(spec, StartTime::Now);
    let id = submit.id;
    submit.task.payload = Arc::from(*b"event order.paid");
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

fn output(rig: &Rig, id: TaskId) -> String {
    let extra = rig.task(id).extra.as_ref();
    let output = extra.and_then(|extra| extra.output.clone()).unwrap_or_default();
    String::from_utf8_lossy(&output).into_owned()
}

fn waits_ended(rig: &Rig) -> usize {
    rig.events.iter().filter(|event| matches!(event, Event::WaitEnded { .. })).count()
}

/// Waits for every beginning of a type from this length on, 500 each.
fn wait_for_prefixes(rig: &mut Rig, kind: &str, lengths: std::ops::Range<usize>) -> Vec<TaskId> {
    rig.begin();
    let mut batch = Batch::default();
    let mut ids = Vec::new();
    for length in lengths {
        for _ in 0..500 {
            let spec = ProfileSpec { executor: Name::fixed("wait"), ..crate::engine::tests::spec() };
            let mut submit = rig.command(spec, StartTime::Now);
            ids.push(submit.id);
            submit.task.payload = format!("event {}*", &kind[..length]).into_bytes().into();
            let submit = Command::Submit(Box::new(submit));
            rig.engine.handle(submit, &mut batch).expect("accepted");
        }
    }
    rig.absorb(batch);
    rig.pass(0);
    assert!(ids.iter().all(|id| rig.status(*id) == Status::Deferred));
    ids
}

#[test]
fn a_wait_for_any_event_is_not_ended_by_our_own() {
    let mut rig = with_words();
    let waits = ["event *", "event m*", "event mainspring*"].map(|payload| wait_alone(&mut rig, payload));
    let named = wait_alone(&mut rig, "event mainspring.*");
    let other = rig.submit();
    rig.report(other, OK);
    assert_eq!(rig.status(named), Status::Succeeded, "it asks for our own");
    for id in waits {
        assert_eq!(rig.status(id), Status::Deferred);
    }
    send(&mut rig, notice("mainspringy", "e-1"));
    for id in waits {
        assert_eq!((rig.status(id), output(&rig, id).as_str()), (Status::Succeeded, "e-1"));
    }
}

#[test]
fn thousands_of_waits_end_in_bounded_records_and_survive_a_crash() {
    let mut rig = with_words();
    let ids = wait_for_prefixes(&mut rig, "order.paid.by.card", 0..12);
    send(&mut rig, notice("order.paid.by.card", "e-1"));
    assert_eq!(waits_ended(&rig), Limits::default().event_waits_per_record as usize);
    let mut rig = crash(rig);
    rig.pass(0);
    for id in ids {
        assert_eq!((rig.status(id), output(&rig, id).as_str()), (Status::Succeeded, "e-1"));
    }
    assert!(!rig.engine.state().operations().has_deliveries());
}

#[test]
fn waits_for_ends_of_waits_do_not_recurse() {
    let mut rig = with_words();
    let ids = wait_for_prefixes(&mut rig, "mainspring.task.succeeded", 11..23);
    let other = rig.submit();
    rig.report(other, OK);
    rig.pass(0);
    for id in &ids {
        assert_eq!(rig.status(*id), Status::Succeeded);
    }
    let heard_first = ids.iter().filter(|id| output(&rig, **id).starts_with(&other.to_string())).count();
    assert_eq!(heard_first, ids.len(), "all heard of the same end");
    assert!(!rig.engine.state().operations().has_deliveries());
}

#[test]
fn an_event_does_not_overtake_another_and_is_not_heard_by_who_comes_later() {
    let limits = Limits { event_waits_per_record: 1, ..Limits::default() };
    let mut rig = Rig::with(EngineConfig { limits, ..EngineConfig::default() });
    rig.engine.set_evaluate(Arc::new(crate::engine::tests::runs::Words));
    let waits = [(); 3].map(|()| wait_alone(&mut rig, "event order.*"));
    send(&mut rig, notice("order.paid", "e-1"));
    assert_eq!(waits_ended(&rig), 1);
    rig.now.wall = rig.now.wall + Millis::new(1);
    let later = wait_alone(&mut rig, "event order.*");
    send(&mut rig, notice("order.paid", "e-2"));
    rig.pass(0);
    for id in waits {
        assert_eq!(output(&rig, id), "e-1");
    }
    assert_eq!(output(&rig, later), "e-2");
}
