//! A run although no event came.

use super::*;
use crate::calendar::{Cron, Dst, Timetable, Zone};
use crate::schedule::{Reason, ScheduleEvent, Target, Timing, Unfired};
use crate::values::FiredAs;

fn fallback() -> Rig {
    let cron = Cron::parse("*/2 * * * *", 0).expect("a cron expression");
    let table = Timetable::Cron { cron, zone: Zone::UTC, dst: Dst::default() };
    let target = Target::Run { parameters: Arc::from(*b"{}"), priority: None };
    let spec = Spec::new(target, Timing::Table(table));
    let mut rig = with_words();
    store(&mut rig, "flow", vec![("t", of_type("x"))], vec![(Name::fixed("@t"), spec)]);
    rig
}

fn windows(rig: &Rig) -> Vec<(u64, Result<FiredAs, Unfired>)> {
    let windows = rig.events.iter().filter_map(|event| match (event.window_fired(), event) {
        (Some(fired), _) => Some((fired.window, Ok(fired.fired_as))),
        (None, Event::Schedule(ScheduleEvent::Passed(passed))) => Some((passed.first, Err(passed.outcome))),
        _ => None,
    });
    windows.map(|(window, what)| (window.millis() / MINUTE, what)).collect()
}

fn live(rig: &mut Rig, minute: u64) {
    while rig.now.wall.millis() < minute * MINUTE {
        rig.pass((minute * MINUTE - rig.now.wall.millis()).min(1_000));
        rig.heartbeat(1, 1);
    }
}

#[test]
fn a_window_without_an_event_runs_and_one_with_it_does_not() {
    let mut rig = fallback();
    live(&mut rig, 19);
    assert_eq!(windows(&rig), [(18, Ok(FiredAs::NoEvent))]);
    let window = rig.begun("flow")[0].origin.window.clone().expect("a window");
    assert_eq!((window.fired_as, &*window.name), (FiredAs::NoEvent, "@t"));
    send(&mut rig, notice("x", "1"));
    live(&mut rig, 21);
    // It came in the window before this one, and not in this one.
    live(&mut rig, 23);
    let skipped = Err(Unfired::Skipped(Reason::EventCame));
    assert_eq!(windows(&rig)[1..], [(20, skipped), (22, Ok(FiredAs::NoEvent))]);
}

#[test]
fn an_event_that_began_nothing_did_not_come() {
    let mut rig = fallback();
    send(&mut rig, notice("y", "1"));
    live(&mut rig, 18);
    assert_eq!(windows(&rig), [(18, Ok(FiredAs::NoEvent))]);
}
