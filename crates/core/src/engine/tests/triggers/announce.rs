//! Ends that more triggers want than their record has room for.

use super::*;
use crate::engine::EngineConfig;
use crate::engine::tests::runs::Words;
use crate::values::{Limits, TaskId};

const JOBS: [&str; 4] = ["a", "b", "c", "d"];

fn with_room_for(announced_per_record: u32) -> Rig {
    let limits = Limits { announced_per_record, ..Limits::default() };
    let mut rig = Rig::with(EngineConfig { limits, ..EngineConfig::default() });
    rig.engine.set_evaluate(Arc::new(Words));
    rig
}

/// Four jobs with a trigger each that wants the end of a task. A decision takes two events.
fn wanting(announced_per_record: u32) -> Rig {
    let mut rig = with_room_for(announced_per_record);
    for name in JOBS {
        store(&mut rig, name, vec![("t", of_type("mainspring.task.succeeded"))], Vec::new());
    }
    rig.hello(1, 1, 1, &[]);
    rig
}

fn end_a_task(rig: &mut Rig) -> TaskId {
    let id = rig.submit();
    rig.report(id, OK);
    id
}

/// How many runs of each job began.
fn begun(rig: &Rig) -> [usize; 4] {
    JOBS.map(|job| rig.begun(job).len())
}

/// Puts the journal so far into a new engine, as after a crash.
fn crash(rig: Rig, announced_per_record: u32) -> Rig {
    let mut reborn = with_room_for(announced_per_record);
    (reborn.now, reborn.ids) = (rig.now, rig.ids);
    reborn.begin();
    for event in &rig.events {
        crate::state::fold(&mut reborn.engine.state, event);
        crate::state::fold(&mut reborn.shadow, event);
    }
    reborn.start_epoch(2);
    reborn.engine.recover();
    reborn.events = rig.events;
    reborn.check();
    reborn
}

#[test]
fn a_record_with_room_has_all_decisions() {
    let mut rig = wanting(1_000);
    end_a_task(&mut rig);
    assert_eq!(begun(&rig), [1; 4]);
    assert!(!rig.engine.state().operations().has_announcements());
}

#[test]
fn what_does_not_fit_is_decided_later_and_once() {
    for (room, first) in [(1, [1, 0, 0, 0]), (2, [1, 1, 0, 0]), (3, [1, 1, 1, 0]), (4, [1, 1, 1, 1])] {
        let mut rig = wanting(room);
        end_a_task(&mut rig);
        assert_eq!(begun(&rig), first, "room for {room}");
        rig.pass(0);
        assert_eq!(begun(&rig), [1; 4], "room for {room}");
        assert!(!rig.engine.state().operations().has_announcements());
    }
}

#[test]
fn a_crash_keeps_what_was_decided() {
    let mut rig = wanting(1);
    end_a_task(&mut rig);
    rig.begin();
    let mut batch = crate::engine::Batch::default();
    rig.engine.run_due(&mut batch);
    rig.absorb(batch);
    assert_eq!(begun(&rig), [1, 1, 0, 0]);
    let mut rig = crash(rig, 1);
    rig.pass(0);
    assert_eq!(begun(&rig), [1; 4]);
}

#[test]
fn an_end_does_not_overtake_an_earlier_one() {
    let mut rig = wanting(1);
    let ends = [end_a_task(&mut rig), end_a_task(&mut rig)];
    assert_eq!(begun(&rig), [1, 0, 0, 0], "the second end waits behind the first");
    rig.pass(0);
    for job in JOBS {
        let causes = rig.begun(job).into_iter().filter_map(|run| run.origin.cause?.notice.subject.clone());
        assert_eq!(causes.collect::<Vec<_>>(), ends.map(|id| id.to_string().into()));
    }
}

#[test]
fn who_listens_later_is_not_meant_and_who_went_does_not_decide() {
    let mut rig = wanting(1);
    end_a_task(&mut rig);
    store(&mut rig, "late", vec![("t", of_type("mainspring.task.*"))], Vec::new());
    store(&mut rig, "b", Vec::new(), Vec::new());
    store(&mut rig, "c", vec![("t", of_type("mainspring.task.failed"))], Vec::new());
    rig.pass(0);
    assert_eq!(begun(&rig), [1, 0, 0, 1]);
    assert_eq!(rig.begun("late").len(), 0);
}

#[test]
fn a_job_after_another_is_told_later_too() {
    let mut rig = with_room_for(1);
    store(&mut rig, "load", Vec::new(), Vec::new());
    store(&mut rig, "any", vec![("t", of_type("mainspring.run.succeeded"))], Vec::new());
    store(&mut rig, "next", vec![("t", on(On::After(vec![Name::fixed("load")])))], Vec::new());
    rig.hello(1, 1, 1, &[]);
    let run = by_hand(&mut rig, "load");
    rig.finish(run);
    assert_eq!((rig.begun("any").len(), rig.begun("next").len()), (1, 0));
    rig.pass(0);
    assert_eq!((rig.begun("any").len(), rig.begun("next").len()), (1, 1));
}
