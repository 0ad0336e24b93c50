//! Questions are answered from what is there, and change nothing.

use super::*;
use crate::engine::question::{Diagnosis, Question, Standing, Unfinished};

pub(super) fn standing(rig: &mut Rig, id: TaskId) -> Standing {
    let before = rig.events.len();
    let answer = rig.tell(Command::Ask(Question::Why { id }));
    assert_eq!(rig.events.len(), before, "QE-1");
    match answer {
        Ok(Answer::Diagnosis(diagnosis)) => {
            let Diagnosis { id: of, status, part: None, standing, .. } = *diagnosis else {
                panic!("{diagnosis:?}")
            };
            assert_eq!((of, status), (id, rig.status(id)));
            standing
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_diagnosis_follows_the_task() {
    let mut rig = rig();
    let later = rig.submit_as(spec(), StartTime::After(Millis::from_secs(60)));
    let id = rig.submit();
    assert_eq!(standing(&mut rig, later).label(), "waits_for_time");
    assert_eq!(standing(&mut rig, id).label(), "no_workers");
    rig.tell(Command::Cancel { id, stop_running: false }).expect("it waits");
    assert_eq!(standing(&mut rig, id), Standing::Ended);
    let none = TaskId::from_bits(9);
    let refused = rig.tell(Command::Ask(Question::Why { id: none }));
    assert_eq!(refused, Err(Rejection::TaskNotFound { id: none }));
}

#[test]
fn a_walk_over_the_unfinished_finds_each_once() {
    let mut rig = rig();
    let mut ids: Vec<TaskId> = (0..7).map(|_| rig.submit()).collect();
    let ended = ids.pop().expect("seven");
    rig.tell(Command::Cancel { id: ended, stop_running: false }).expect("it waits");
    let mut other = spec();
    other.tenant = Name::fixed("other");
    rig.submit_as(other, StartTime::Now);
    let mut found = Vec::new();
    let mut from = Some(0);
    while let Some(at) = from {
        let which =
            Unfinished { from: at, limit: 2, tenant: Some(Name::fixed("acme")), ..Unfinished::default() };
        let answer = rig.tell(Command::Ask(Question::Unfinished(Box::new(which))));
        let Ok(Answer::Unfinished(page)) = answer else { panic!("{answer:?}") };
        assert!(page.tasks.len() <= 2);
        found.extend(page.tasks.iter().map(|task| task.id));
        from = page.next;
    }
    ids.sort();
    found.sort();
    assert_eq!(found, ids);
}

/// A table that was large once has very many slots, and nobody waits for a look at them that cannot find anything.
#[test]
fn no_slot_is_looked_at_for_states_that_no_task_has() {
    let mut rig = rig();
    let ids: Vec<TaskId> = (0..3).map(|_| rig.submit()).collect();
    let page = |rig: &mut Rig, statuses: Vec<Status>| {
        let which = Unfinished { limit: 1, statuses, ..Unfinished::default() };
        let answer = rig.tell(Command::Ask(Question::Unfinished(Box::new(which))));
        let Ok(Answer::Unfinished(page)) = answer else { panic!("{answer:?}") };
        (page.tasks.len(), page.next.is_some())
    };
    assert_eq!(page(&mut rig, vec![]), (1, true));
    assert_eq!(page(&mut rig, vec![Status::Queued]), (1, true));
    assert_eq!(page(&mut rig, vec![Status::Running, Status::Deferred]), (0, false));
    for id in ids {
        rig.tell(Command::Cancel { id, stop_running: false }).expect("it waits");
    }
    assert_eq!(page(&mut rig, vec![]), (0, false));
}
