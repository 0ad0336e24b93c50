use super::*;
use crate::decision::Alert;

/// A whole sweep later. What was taken away by hand is not looked at before the sweep has put it right.
fn sweep(rig: &mut Rig) {
    let every = rig.engine.limits().sweep_every;
    rig.now = Now { elapsed: rig.now.elapsed + every, ..rig.now };
    for _ in 0..3 {
        rig.begin();
        let mut batch = Batch::default();
        rig.engine.run_due(&mut batch);
        for event in &batch.events {
            fold(&mut rig.shadow, event);
        }
        rig.effects.extend(batch.effects);
    }
    rig.check();
}

fn swept(rig: &Rig) -> Vec<TaskId> {
    let swept = rig.effects.iter().filter_map(|effect| match effect {
        Effect::Alert { task, alert: Alert::SweptUp } => Some(*task),
        _ => None,
    });
    swept.collect()
}

/// A rig whose first step has been taken, so that the time of the last sweep is known.
fn rig() -> Rig {
    let mut rig = super::rig();
    rig.pass(0);
    rig
}

#[test]
fn a_sweep_of_a_healthy_shard_finds_nothing() {
    let mut rig = rig();
    rig.submit();
    rig.submit_as(spec(), StartTime::After(Millis::from_secs(3600)));
    sweep(&mut rig);
    assert_eq!((swept(&rig), rig.engine.counts().swept_up), (vec![], 0));
}

#[test]
fn a_lost_timer_is_armed_again() {
    let mut rig = rig();
    let id = rig.submit_as(spec(), StartTime::After(Millis::from_secs(3600)));
    let index = rig.engine.state.tasks.find(id).expect("in memory");
    rig.engine.timers.set(index, None);
    assert_eq!(rig.engine.unpaid().len(), 1);
    sweep(&mut rig);
    assert_eq!(swept(&rig), [id]);
}

#[test]
fn a_queued_task_that_no_queue_holds_is_queued_again() {
    let mut rig = rig();
    let id = rig.submit();
    let index = rig.engine.state.tasks.find(id).expect("in memory");
    rig.engine.dispatcher.remove(index);
    sweep(&mut rig);
    assert_eq!(swept(&rig), [id]);
}

#[test]
fn an_attempt_whose_worker_nobody_watches_is_reaped() {
    let mut rig = rig();
    let id = rig.running(spec());
    let holder = rig.engine.workers.find(worker(1)).expect("connected");
    rig.engine.timers.set_worker(holder, None);
    let closed = SessionCommand::Closed { worker: worker(1), session: Session::new(1) };
    rig.begin();
    rig.engine.session(closed, &mut Batch::default());
    sweep(&mut rig);
    assert_eq!((swept(&rig), rig.status(id)), (vec![id], Status::Queued));
}
