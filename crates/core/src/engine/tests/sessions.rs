use super::*;
use crate::engine::question::Question;
use crate::worker::Availability;
use crate::worker::decide::{SessionCommand, SetCordon};

#[test]
fn a_silent_worker_is_lost_and_its_work_goes_to_another() {
    let mut rig = rig();
    let id = rig.running(spec());
    let first = rig.start_of(id);
    rig.pass(14_999);
    assert_eq!(rig.status(id), Status::Running, "not yet a whole lease");
    rig.hello(2, 1, 1, &[]);
    rig.pass(1);
    assert_eq!(rig.start_of(id).worker, worker(2));
    let zombie = rig.report_with(id, first.fence, first.worker, first.session, OK);
    assert_eq!(zombie, Some(ReportVerdict::Stale), "the zombie's word changes nothing");
    assert_eq!(rig.status(id), Status::Assigned);
    assert_eq!(rig.engine.counts().workers_lost, 1);
}

#[test]
fn a_resent_report_is_harmless() {
    let mut rig = rig();
    let id = rig.running(spec());
    assert_eq!(rig.report(id, OK), Some(ReportVerdict::Recorded));
    let events = rig.events.len();
    assert_eq!(rig.report(id, OK), Some(ReportVerdict::Duplicate));
    assert_eq!(rig.events.len(), events, "no event");
    assert_eq!(rig.engine.counts().duplicate_reports, 1);
}

#[test]
fn a_worker_that_reconnects_keeps_its_work() {
    let mut rig = rig();
    let id = rig.running(spec());
    let fence = rig.start_of(id).fence;
    rig.tell(Command::Session(SessionCommand::Closed { worker: worker(1), session: Session::new(1) }))
        .expect("ok");
    rig.pass(10_000);
    rig.hello(1, 2, 1, &[(id, fence)]);
    rig.pass(10_000);
    assert_eq!((rig.status(id), rig.starts(id)), (Status::Running, 1));
    rig.report(id, OK);
    assert_eq!(rig.status(id), Status::Succeeded);
}

#[test]
fn what_the_same_process_never_received_costs_nothing() {
    let mut rig = rig();
    rig.hello(1, 1, 1, &[]);
    let id = rig.submit();
    rig.hello(1, 2, 1, &[]);
    rig.pass(0);
    assert_eq!((rig.starts(id), rig.task(id).attempts, rig.task(id).failures().len()), (2, 1, 0));
}

#[test]
fn what_a_restarted_process_does_not_know_is_unknown() {
    let mut rig = rig();
    let id = rig.running(spec());
    rig.hello(1, 2, 2, &[]);
    rig.pass(0);
    assert_eq!((rig.starts(id), rig.task(id).attempts), (2, 2));
    assert_eq!(rig.task(id).failures()[0].failure.class, FailureClass::WorkerLost);
}

#[test]
fn a_spooled_result_in_the_hello_keeps_the_attempt_for_its_report() {
    let mut rig = rig();
    let id = rig.running(spec());
    let start = rig.start_of(id);
    // Restarted, but the result was on its disk.
    rig.hello(1, 2, 2, &[(id, start.fence)]);
    rig.pass(0);
    assert_eq!(rig.starts(id), 1);
    let verdict = rig.report_with(id, start.fence, worker(1), Session::new(2), OK);
    assert_eq!((verdict, rig.status(id)), (Some(ReportVerdict::Recorded), Status::Succeeded));
}

#[test]
fn a_worker_is_told_to_kill_what_it_should_not_have() {
    let mut rig = rig();
    let id = rig.running(spec());
    let fence = rig.start_of(id).fence;
    rig.report(id, OK);
    rig.hello(1, 2, 1, &[(id, fence)]);
    assert_eq!(rig.stops(id), 1);
}

#[test]
fn an_old_session_is_not_listened_to() {
    let mut rig = rig();
    rig.hello(1, 5, 1, &[]);
    let id = rig.submit();
    rig.hello(1, 4, 1, &[]);
    assert_eq!(rig.starts(id), 1, "a hello that was overtaken takes nothing away");
    rig.pass(10_000);
    rig.heartbeat(1, 4);
    rig.pass(5_000);
    assert_eq!(rig.engine.counts().workers_lost, 1, "a heartbeat of an old session is none");
}

#[test]
fn a_hello_to_an_earlier_epoch_is_a_sign_of_life_and_nothing_else() {
    let mut rig = rig();
    rig.hello(1, 1, 1, &[]);
    let old = rig.engine.state().epoch;
    rig.start_epoch(old.get() + 1);
    rig.pass(10_000);
    let late = Hello {
        worker: worker(1),
        epoch: old,
        session: Session::new(2),
        incarnation: Incarnation::new(1),
        offer: WorkerOffer::default(),
        holding: Vec::new(),
    };
    rig.tell(Command::Session(SessionCommand::Hello(Box::new(late)))).expect("never refused");
    let fleet = rig.engine.workers();
    let live = fleet.find(worker(1)).and_then(|index| fleet.get(index)?.session);
    assert_eq!(live, Some(Session::new(1)), "the session is not taken over");
    rig.pass(5_000);
    assert_eq!(rig.engine.counts().workers_lost, 0, "it was heard five seconds ago");
    rig.pass(10_000);
    assert_eq!(rig.engine.counts().workers_lost, 1);
}

fn set_cordon(to: Availability, why: &'static str) -> Command {
    let by = Actor { actor: Name::fixed("anna"), reason: Name::fixed(why) };
    Command::Cordon(Box::new(SetCordon { worker: worker(1), to, by }))
}

#[test]
fn a_hello_to_another_owner_is_not_listened_to() {
    let mut rig = rig();
    let own = rig.engine.state().epoch;
    let hello = |epoch, session| Hello {
        worker: worker(1),
        epoch,
        session: Session::new(session),
        incarnation: Incarnation::new(1),
        offer: WorkerOffer::default(),
        holding: Vec::new(),
    };
    let rows = [
        // epoch, session, what is live after it
        (Epoch::new(own.get() + 1), 1, None),
        (own, 2, Some(2)),
        (Epoch::ZERO, 3, Some(3)),
        (Epoch::new(own.get() + 7), 4, Some(3)),
    ];
    for (epoch, session, live) in rows {
        let said = Command::Session(SessionCommand::Hello(Box::new(hello(epoch, session))));
        rig.tell(said).expect("never refused");
        let fleet = rig.engine.workers();
        let found = fleet.find(worker(1)).and_then(|index| fleet.get(index)?.session);
        assert_eq!(found, live.map(Session::new), "epoch {epoch}, session {session}");
    }
}

#[test]
fn a_cordoned_or_draining_worker_gets_nothing_new() {
    for closed in [Availability::Cordoned, Availability::Draining] {
        let mut rig = rig();
        let running = rig.running(spec());
        let cordon = |to| set_cordon(to, "kernel update");
        rig.tell(cordon(closed)).expect("known worker");
        let waiting = rig.submit();
        assert_eq!((rig.status(running), rig.status(waiting)), (Status::Running, Status::Queued));
        let leaving = SessionCommand::Leaving { worker: worker(1), session: Session::new(1) };
        rig.tell(Command::Session(leaving)).expect("never refused");
        rig.hello(1, 2, 2, &[(running, rig.start_of(running).fence)]);
        assert_eq!(rig.status(waiting), Status::Queued, "a restart of the worker does not lift it");
        rig.tell(cordon(Availability::Open)).expect("known worker");
        assert_eq!(rig.status(waiting), Status::Assigned);
        let told: Vec<(u64, bool)> = (rig.effects.iter())
            .filter_map(|effect| match effect {
                Effect::Drain { session, draining, .. } => Some((session.get(), *draining)),
                _ => None,
            })
            .collect();
        let drained = [(1, true), (2, true), (2, false)];
        assert_eq!(told, if closed == Availability::Draining { &drained[..] } else { &[] });
    }
}

#[test]
fn a_cordon_is_journaled_once_with_who_and_why() {
    let mut rig = rig();
    rig.hello(1, 1, 1, &[]);
    let cordons = |rig: &Rig| {
        let events = rig.events.iter().filter(|event| matches!(event, Event::Cordon(_)));
        events.count()
    };
    let rows = [
        (Availability::Open, "never closed", 0, None),
        (Availability::Cordoned, "disk", 1, Some("disk")),
        (Availability::Cordoned, "said again", 1, Some("disk")),
        (Availability::Draining, "replaced", 2, Some("replaced")),
        (Availability::Open, "done", 3, None),
        (Availability::Open, "said again", 3, None),
        (Availability::Cordoned, "again", 4, Some("again")),
    ];
    for (to, why, events, reason) in rows {
        assert_eq!(rig.tell(set_cordon(to, why)), Ok(Answer::Cordon));
        let cordon = rig.engine.state().cordons().holding(worker(1));
        assert_eq!(cordon.map(|cordon| cordon.by.reason.as_str()), reason, "{why}");
        assert_eq!(
            (cordons(&rig), rig.engine.state().cordons().availability(worker(1))),
            (events, to),
            "{why}"
        );
    }
}

#[test]
fn a_cordon_of_a_worker_that_is_away_is_shown_and_can_be_lifted() {
    let mut rig = rig();
    rig.tell(set_cordon(Availability::Draining, "it is gone")).expect("room");
    let workers = |rig: &mut Rig| match rig.tell(Command::Ask(Question::Workers { only: Some(worker(1)) })) {
        Ok(Answer::Workers(workers)) => workers,
        other => panic!("{other:?}"),
    };
    let shown = workers(&mut rig);
    assert_eq!(shown.len(), 1);
    assert_eq!((shown[0].is_known(), shown[0].availability), (false, Availability::Draining));
    rig.tell(set_cordon(Availability::Open, "it does not come back")).expect("never refused");
    assert_eq!(workers(&mut rig), []);
}

#[test]
fn no_more_workers_are_cordoned_than_may() {
    let limits = crate::values::Limits { cordons_max: 0, ..Default::default() };
    let mut rig = Rig::with(EngineConfig { limits, ..EngineConfig::default() });
    let refused = Err(Rejection::TooManyCordons { max: 0 });
    assert_eq!(rig.tell(set_cordon(Availability::Cordoned, "one too many")), refused);
}

#[test]
fn a_worker_that_leaves_gets_nothing_new_until_it_comes_back() {
    let mut rig = rig();
    rig.hello(1, 1, 1, &[]);
    let leaving = |session| {
        let session = Session::new(session);
        Command::Session(SessionCommand::Leaving { worker: worker(1), session })
    };
    rig.tell(leaving(1)).expect("never refused");
    let waiting = rig.submit();
    assert_eq!(rig.status(waiting), Status::Queued);
    rig.hello(1, 2, 2, &[]);
    assert_eq!(rig.status(waiting), Status::Assigned);
    rig.tell(leaving(1)).expect("never refused");
    let next = rig.submit();
    assert_eq!(rig.status(next), Status::Assigned, "the word of an old session does not count");
}

#[test]
fn a_refusal_pauses_before_the_next_try_and_costs_nothing() {
    let mut rig = rig();
    rig.hello(1, 1, 1, &[]);
    let id = rig.submit();
    assert_eq!(rig.report(id, ReportKind::Refused), Some(ReportVerdict::Recorded));
    assert_eq!((rig.status(id), rig.task(id).retries_spent), (Status::RetryWait, 0));
    rig.pass(1_000);
    assert_eq!(rig.status(id), Status::Assigned);
}

#[test]
fn a_worker_whose_heartbeat_may_lie_unread_is_not_judged_for_a_lease() {
    let mut rig = rig();
    let id = rig.running(spec());
    rig.pass(14_000);
    rig.engine.set_unread(true);
    rig.pass(10_000);
    assert_eq!(rig.status(id), Status::Running, "its word may be in the mailbox");
    rig.engine.set_unread(true);
    rig.pass(5_000);
    assert_eq!(rig.status(id), Status::Queued, "but not for ever");
}

#[test]
fn a_lost_worker_that_still_speaks_is_told_to_connect_anew() {
    let mut rig = rig();
    rig.hello(1, 1, 1, &[]);
    rig.pass(15_000);
    let ends = |rig: &Rig| rig.effects.iter().filter(|e| matches!(e, Effect::SessionLost { .. })).count();
    assert_eq!((rig.engine.counts().workers_lost, ends(&rig)), (1, 0));
    rig.heartbeat(1, 1);
    assert_eq!(ends(&rig), 1, "it would never be given work again");
    rig.hello(1, 2, 1, &[]);
    rig.heartbeat(1, 2);
    assert_eq!(ends(&rig), 1);
}
