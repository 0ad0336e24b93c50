//! The newest checkpoint reaches the next attempt, however soon it came after the one before.

use super::*;

fn stored(rig: &Rig, id: TaskId) -> Option<Arc<[u8]>> {
    rig.task(id).extra.as_ref().and_then(|extra| extra.checkpoint.clone())
}

fn save(rig: &mut Rig, id: TaskId, text: &'static str) {
    rig.report(id, ReportKind::Checkpoint(Arc::from(text.as_bytes())));
}

fn saved(rig: &Rig) -> usize {
    rig.events.iter().filter(|event| matches!(event, Event::CheckpointSaved { .. })).count()
}

#[test]
fn the_newest_within_the_gap_is_stored_when_the_gap_ends() {
    let mut rig = rig();
    let id = rig.running(spec());
    for text in ["1", "2", "3"] {
        save(&mut rig, id, text);
        rig.pass(100);
    }
    assert_eq!(stored(&rig, id).as_deref(), Some(&b"1"[..]), "one a second is written to the journal");
    rig.pass(699);
    assert_eq!(saved(&rig), 1);
    rig.pass(1);
    assert_eq!(stored(&rig, id).as_deref(), Some(&b"3"[..]));
    assert_eq!(saved(&rig), 2, "the second one was replaced before its time");
    // The gap counts from there.
    save(&mut rig, id, "4");
    rig.pass(999);
    assert_eq!(saved(&rig), 2);
    rig.pass(1);
    assert_eq!(stored(&rig, id).as_deref(), Some(&b"4"[..]));
}

/// What happens to an attempt, and how.
type Ending = (&'static str, fn(&mut Rig, TaskId));

#[test]
fn an_attempt_that_ends_within_the_gap_hands_its_newest_one_on() {
    let endings: [Ending; 4] = [
        ("fails", |rig, id| _ = rig.report(id, failed(FailureClass::Transient))),
        ("defers", |rig, id| {
            rig.report(id, ReportKind::Deferred { resume_after: Millis::from_secs(1) });
        }),
        ("loses its worker", |rig, _| {
            rig.hello(1, 2, 2, &[]);
            rig.pass(0);
        }),
        ("reaches its limit", |rig, id| {
            rig.pass(500);
            rig.report(id, failed(FailureClass::Timeout));
        }),
    ];
    for (name, end) in endings {
        let mut rig = rig();
        let id = rig.running(spec());
        save(&mut rig, id, "old");
        save(&mut rig, id, "new");
        end(&mut rig, id);
        assert_eq!(stored(&rig, id).as_deref(), Some(&b"new"[..]), "{name}");
        rig.pass(2_000);
        assert_eq!(rig.start_of(id).checkpoint.as_deref(), Some(&b"new"[..]), "{name}");
        rig.report(id, OK);
        assert_eq!(stored(&rig, id), None, "{name}: gone with success");
    }
}

#[test]
fn what_is_said_again_is_not_stored_again() {
    let mut rig = rig();
    let id = rig.running(spec());
    save(&mut rig, id, "page 3");
    rig.pass(2_000);
    save(&mut rig, id, "page 3");
    assert_eq!(saved(&rig), 1, "as in every new session");
    save(&mut rig, id, "page 4");
    save(&mut rig, id, "page 5");
    save(&mut rig, id, "page 4");
    rig.pass(1_000);
    assert_eq!(
        stored(&rig, id).as_deref(),
        Some(&b"page 4"[..]),
        "the newest counts, also if it is an old one"
    );
}

#[test]
fn one_that_is_too_large_is_not_stored() {
    let mut rig = rig();
    let id = rig.running(spec());
    save(&mut rig, id, "fits");
    rig.report(id, ReportKind::Checkpoint(vec![0; 65 << 10].into()));
    rig.pass(2_000);
    rig.report(id, failed(FailureClass::Transient));
    assert_eq!(stored(&rig, id).as_deref(), Some(&b"fits"[..]));
}
