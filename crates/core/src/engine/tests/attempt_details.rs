//! What a worker knows of an attempt beside how it ended is kept with the attempt.

use super::*;
use crate::values::AttemptDetails;

/// As a report has them.
#[expect(clippy::unnecessary_wraps, reason = "a report may have none")]
fn details(cpu_ms: u64) -> Option<Box<AttemptDetails>> {
    Some(Box::new(AttemptDetails { cpu_ms: Some(cpu_ms), ..AttemptDetails::default() }))
}

fn end(rig: &mut Rig, id: TaskId, what: ReportKind, details: Option<Box<AttemptDetails>>) {
    let start = rig.start_of(id);
    let (worker, session, fence) = (start.worker, start.session, start.fence);
    let report = Report { worker, session, task: id, fence, what, details };
    rig.tell(Command::Report(Box::new(report))).expect("never refused");
}

fn of_newest(rig: &Rig, id: TaskId) -> Option<u64> {
    rig.task(id).extra.as_ref().and_then(|extra| extra.details.as_ref()?.cpu_ms)
}

fn progress(rig: &mut Rig, id: TaskId, text: &str) {
    rig.report(id, ReportKind::Progress(Some(text.into())));
}

#[test]
fn each_attempt_keeps_its_own() {
    let mut rig = rig();
    let id = rig.running(spec());
    end(&mut rig, id, failed(FailureClass::Transient), details(7));
    assert_eq!(rig.task(id).failures()[0].details, details(7));
    assert_eq!(of_newest(&rig, id), None, "the next attempt begins with none");
    rig.pass(100);
    end(&mut rig, id, ReportKind::Succeeded { output: None }, details(8));
    assert_eq!((rig.task(id).status(), of_newest(&rig, id)), (Status::Succeeded, Some(8)));
    // A result that was heard before changes nothing.
    let events = rig.events.len();
    end(&mut rig, id, ReportKind::Succeeded { output: None }, details(9));
    assert_eq!((rig.events.len(), of_newest(&rig, id)), (events, Some(8)));
}

#[test]
fn an_attempt_without_any_costs_nothing() {
    let mut rig = rig();
    let id = rig.running(spec());
    end(&mut rig, id, ReportKind::Succeeded { output: None }, None);
    assert!(!rig.events.iter().any(|event| matches!(event, Event::DetailsReported { .. })));
    assert_eq!(rig.task(id).extra, None);
}

#[test]
fn the_last_progress_outlives_a_lost_worker() {
    let mut rig = rig();
    let id = rig.running(spec());
    progress(&mut rig, id, "1 of 3");
    progress(&mut rig, id, "2 of 3");
    rig.report(id, ReportKind::Progress(None));
    let live = rig.task(id).lease().and_then(|lease| lease.soft.progress.clone());
    assert_eq!(live.as_deref(), Some("2 of 3"), "shown while it runs");
    assert!(
        !rig.events.iter().any(|event| matches!(event, Event::DetailsReported { .. })),
        "not journaled yet"
    );
    rig.hello(1, 2, 2, &[]);
    rig.pass(0);
    let kept = rig.task(id).failures()[0].details.clone();
    assert_eq!(kept.and_then(|details| details.progress).as_deref(), Some("2 of 3"));
}

#[test]
fn what_the_worker_says_at_the_end_counts() {
    let mut rig = rig();
    let id = rig.running(spec());
    progress(&mut rig, id, "2 of 3");
    let last = AttemptDetails { progress: Some("3 of 3".into()), ..AttemptDetails::default() };
    end(&mut rig, id, failed(FailureClass::Transient), Some(Box::new(last.clone())));
    assert_eq!(rig.task(id).failures()[0].details.as_deref(), Some(&last));
}
