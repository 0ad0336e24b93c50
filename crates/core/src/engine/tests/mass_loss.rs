use super::*;
use crate::engine::{MASS_LOSS_MIN, REAP_STEP_MAX};
use crate::values::Band;

fn fill(rig: &mut Rig, count: usize) -> Vec<TaskId> {
    (0..count)
        .map(|n| {
            let mut submit = rig.command(spec(), StartTime::Now);
            submit.task.priority = Priority::of(Band::ALL[n % 3]);
            let id = submit.id;
            rig.tell(Command::Submit(Box::new(submit))).expect("accepted");
            id
        })
        .collect()
}

/// Loses worker 1 with everything it holds; answers the events of each step.
fn lose(rig: &mut Rig) -> Vec<usize> {
    rig.now = Now { elapsed: rig.now.elapsed + rig.engine.limits().lease, ..rig.now };
    let mut steps = Vec::new();
    loop {
        rig.begin();
        let mut batch = Batch::default();
        rig.engine.run_due(&mut batch);
        steps.push(batch.events.len());
        rig.absorb(batch);
        if !rig.engine.has_work() {
            return steps;
        }
    }
}

#[test]
fn a_mass_loss_comes_back_in_bounded_steps_urgent_work_first_and_spread_out() {
    let mut rig = rig();
    rig.hello(1, 1, 1, &[]);
    let ids = fill(&mut rig, 900);
    let before = rig.events.len();
    let steps = lose(&mut rig);
    assert!(steps.iter().all(|events| *events <= REAP_STEP_MAX), "{steps:?}");
    let order: Vec<Band> =
        rig.events[before..].iter().filter_map(Event::task).map(|id| rig.task(id).priority.band).collect();
    assert!(order.is_sorted(), "P0 first");
    let by_band = |band, status| {
        ids.iter().filter(|id| rig.task(**id).priority.band == band && rig.status(**id) == status).count()
    };
    assert_eq!(by_band(Band::P0, Status::Queued), 300, "urgent work at once");
    assert_eq!(by_band(Band::P2, Status::RetryWait), 300, "the rest with jitter");
    let dues: BTreeSet<u64> = ids
        .iter()
        .filter_map(|id| match rig.task(*id).state {
            TaskState::RetryWait { due, .. } => Some(due.millis()),
            _ => None,
        })
        .collect();
    assert!(dues.len() > 100, "spread over {} instants", dues.len());
    assert!(ids.iter().all(|id| rig.task(*id).extra.as_ref().is_some_and(|extra| extra.worker_kills == 0)));
}

#[test]
fn a_small_loss_comes_back_at_once_and_may_be_blamed() {
    let mut rig = rig();
    let id = rig.running(spec());
    const { assert!(MASS_LOSS_MIN > 1) };
    lose(&mut rig);
    assert_eq!(rig.status(id), Status::Queued);
    assert_eq!(rig.task(id).extra.as_ref().map(|extra| extra.worker_kills), Some(1));
}

#[test]
fn a_worker_that_speaks_up_before_its_work_is_reaped_keeps_it() {
    let mut rig = rig();
    rig.hello(1, 1, 1, &[]);
    let ids = fill(&mut rig, 900);
    let holding: Vec<(TaskId, Fence)> = ids.iter().map(|id| (*id, rig.start_of(*id).fence)).collect();
    rig.now = Now { elapsed: rig.now.elapsed + rig.engine.limits().lease, ..rig.now };
    rig.begin();
    let mut batch = Batch::default();
    rig.engine.run_due(&mut batch);
    rig.absorb(batch);
    assert!(rig.engine.has_work(), "only the first step was taken");
    rig.hello(1, 2, 1, &holding);
    rig.pass(0);
    let kept = ids.iter().filter(|id| rig.status(**id) == Status::Running).count();
    assert_eq!(kept, 900 - REAP_STEP_MAX);
}
