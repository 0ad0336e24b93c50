//! Windows come when the schedule says, once.

use super::*;
use crate::schedule::ScheduleRefusal;
use crate::values::{Bucket, Group};

const ON_TIME: FiredAs = FiredAs::OnTime;

#[test]
fn every_window_begins_one_task() {
    let mut rig = with(minutely());
    rig.live_until(20 * MINUTE);
    let expected: Vec<_> = (17..=20).map(|minute| Told::Ran(minute * MINUTE, ON_TIME)).collect();
    assert_eq!(rig.told(), expected);
    for id in rig.made() {
        let task = rig.task(id);
        let window =
            task.extra.as_ref().and_then(|extra| extra.window.as_ref()).expect("it knows its window");
        assert_eq!(window.schedule, FIRST);
        assert_eq!(window.from, window.at - Millis::new(MINUTE));
    }
    assert_eq!(rig.schedule().last_made, rig.made().last().map(|id| Started::Task(*id)));
    assert_eq!(rig.schedule().next, Some(Wall::from_millis(21 * MINUTE)));
    assert_eq!(rig.schedule().fired, 4);
}

#[test]
fn a_crash_between_two_windows_forgets_and_repeats_none() {
    let mut rig = with(minutely().on(|terms| terms.active_max = u32::MAX));
    for minute in 17..60 {
        rig.live_until(minute * MINUTE);
        rig = crash(rig);
        // The clock is read again, and stands where it stood.
        rig.pass(0);
        rig = crash(rig);
    }
    let expected: Vec<_> = (17..60).map(|minute| Told::Ran(minute * MINUTE, ON_TIME)).collect();
    assert_eq!(rig.told(), expected);
}

#[test]
fn jitter_moves_the_beginning_and_not_the_window() {
    let spec = minutely().on(|terms| terms.jitter = Millis::new(9_000));
    let own = ScheduleHome { offset: Millis::new(7_000), ..ScheduleHome::default() };
    let mut rig = with(minutely());
    say(&mut rig, ScheduleCommand::Put { key: key("s"), spec, own, seen: None }).expect("accepted");
    rig.live_until(17 * MINUTE + 6_999);
    assert_eq!(rig.told(), []);
    rig.live_until(17 * MINUTE + 7_000);
    assert_eq!(rig.told(), [Told::Ran(17 * MINUTE, ON_TIME)]);
}

#[test]
fn a_fixed_delay_counts_from_the_end() {
    let mut rig = with(tasks(Timing::After(Millis::from_secs(30))));
    rig.pass(0);
    let [first] = rig.made()[..] else { panic!("one at once") };
    rig.live_until(18 * MINUTE);
    assert_eq!(rig.made().len(), 1, "the first one runs");
    rig.succeed(first);
    rig.pass(0);
    assert_eq!(rig.schedule().next, Some(Wall::from_millis(18 * MINUTE + 30_000)));
    rig.live_until(18 * MINUTE + 29_999);
    assert_eq!(rig.made().len(), 1);
    rig.live_until(18 * MINUTE + 30_000);
    assert_eq!(rig.made().len(), 2);
    let mut rig = crash(rig);
    let second = rig.made()[1];
    rig.hello(1, 2, 1, &[]);
    rig.pass(0);
    assert!(!rig.schedule().rare.active.is_empty(), "what runs is known after a crash: {second}");
}

#[test]
fn a_fixed_delay_that_is_changed_at_once_has_a_window_of_its_own() {
    let mut rig = with(tasks(Timing::After(Millis::from_secs(30))));
    rig.pass(0);
    let [first] = rig.made()[..] else { panic!("one at once") };
    rig.succeed(first);
    assert_eq!(rig.schedule().last, rig.now.wall, "no time has passed since");
    put(&mut rig, "s", tasks(Timing::After(Millis::from_secs(20))));
    rig.pass(1);
    let [first, second] = rig.made()[..] else { panic!("another one at once: {:?}", rig.made()) };
    assert_ne!(first, second);
    let [Told::Ran(one, _), Told::Ran(other, _)] = rig.told()[..] else { panic!("{:?}", rig.told()) };
    assert!(one < other);
}

#[test]
fn instants_and_an_end_leave_nothing_ahead() {
    let at = |minute: u64| Wall::from_millis(minute * MINUTE);
    let mut rig = with(tasks(Timing::Table(Timetable::instants(vec![at(18), at(17), at(18)]))));
    put(
        &mut rig,
        "t",
        minutely().on(|terms| {
            terms.end = Some(at(18));
            terms.start = Some(at(18));
        }),
    );
    rig.live_until(30 * MINUTE);
    let mut told = rig.told();
    told.sort_by_key(|told| format!("{told:?}"));
    let ran = |minute: u64| Told::Ran(minute * MINUTE, ON_TIME);
    assert_eq!(told, [ran(17), ran(18), ran(18)]);
    assert!(rig.engine.state().schedules().iter().all(|schedule| schedule.next.is_none()));
}

#[test]
fn what_cannot_fire_is_refused_and_what_exists_twice_is_one() {
    let mut rig = with(minutely());
    let past = minutely().on(|terms| terms.end = Some(Wall::from_millis(MINUTE)));
    let refused = say(
        &mut rig,
        ScheduleCommand::Put { key: key("t"), spec: past, own: ScheduleHome::default(), seen: None },
    );
    let expected = ScheduleRefusal::NeverFires { key: key("t") };
    assert_eq!(refused, Err(Rejection::Schedule(Box::new(expected))));
    let again = say(
        &mut rig,
        ScheduleCommand::Put { key: key("s"), spec: minutely(), own: ScheduleHome::default(), seen: None },
    );
    let next = Some(Wall::from_millis(17 * MINUTE));
    let revision = rig.schedule().revision();
    assert_eq!(again, Ok(ScheduleAnswer::Stored { next, changed: false, revision }));
    assert_eq!(rig.engine.state().schedules().len(), 1);
    let refused = say(&mut rig, ScheduleCommand::Delete { key: key("nobody"), seen: None });
    assert!(matches!(refused, Err(Rejection::Schedule(_))), "{refused:?}");
}

#[test]
fn an_edit_or_a_new_life_repeats_no_window() {
    let mut rig = with(minutely());
    rig.live_until(18 * MINUTE);
    assert_eq!(rig.told_anew().len(), 2);
    // Stored again in the very minute of a window.
    put(&mut rig, "s", tasks(cron("*/2 * * * *", "UTC")));
    say(&mut rig, ScheduleCommand::Delete { key: key("s"), seen: None }).expect("there is one");
    put(&mut rig, "s", minutely());
    assert_eq!(rig.schedule().last, Wall::from_millis(18 * MINUTE));
    rig.live_until(19 * MINUTE);
    assert_eq!(rig.told(), [Told::Ran(19 * MINUTE, ON_TIME)]);
    assert_eq!(rig.engine.state().schedules().len(), 1);
}

#[test]
fn what_has_come_before_an_edit_is_decided_by_the_old_content() {
    let mut rig = with(minutely());
    // The clock passes the window, and the edit comes before anything looked at timers.
    rig.now.wall = Wall::from_millis(17 * MINUTE);
    rig.now.elapsed = rig.now.elapsed + Millis::new(20_000);
    put(&mut rig, "s", tasks(cron("0 0 1 1 *", "UTC")));
    assert_eq!(rig.told(), [Told::Ran(17 * MINUTE, ON_TIME)]);
}

#[test]
fn a_time_that_a_clock_change_takes_away_is_recorded() {
    // New York put its clocks forward at 02:00 on 26 April 1970.
    let mut rig = with(tasks(cron("30 2 * * *", "America/New_York")));
    let hour = 3_600_000;
    for day in 1..=120 {
        rig.go_to(day * 24 * hour);
    }
    let gaps: Vec<_> = rig
        .told()
        .into_iter()
        .filter(|told| match told {
            Told::Passed { outcome, .. } => outcome.reason() == Reason::NoSuchTime,
            Told::Ran(..) => false,
        })
        .collect();
    // The window after the gap is that of 27 April, 02:30 at four hours behind UTC.
    let after = (116 * 24 + 6) * hour + hour / 2;
    assert_eq!(gaps, [skipped(after - 1, Reason::NoSuchTime)]);
}

#[test]
fn a_herd_is_served_by_urgency() {
    let mut rig = rig();
    for (name, band) in [("low", 2), ("mid", 1), ("top", 0)] {
        let band = crate::values::Band::ALL[band];
        let mut spec = minutely();
        if let Target::Task(plain) = &mut spec.target {
            plain.priority.band = band;
        }
        put(&mut rig, name, spec);
    }
    rig.go_to(17 * MINUTE);
    let order: Vec<_> = rig
        .events
        .iter()
        .filter_map(|event| match event {
            Event::TaskSubmitted(submitted) => {
                submitted.window.as_ref().map(|fired| fired.window.name.to_string())
            }
            _ => None,
        })
        .collect();
    assert_eq!(order, ["top", "mid", "low"]);
}

#[test]
fn a_schedule_without_a_timer_is_found_and_told_of() {
    let mut rig = with(minutely());
    rig.engine.timers.set_schedule(crate::values::ScheduleIndex(0), None);
    assert_eq!(rig.engine.unpaid().len(), 1);
    // Two sweeps later.
    for _ in 0..700 {
        rig.now.elapsed = rig.now.elapsed + Millis::from_secs(1);
        let mut batch = crate::engine::Batch::default();
        rig.engine.begin(rig.shadow.seq.next(), rig.now);
        rig.engine.run_due(&mut batch);
        rig.effects.extend(batch.effects);
    }
    assert_eq!(rig.engine.counts().schedules_unarmed, 1);
    assert!(rig.effects.contains(&crate::decision::Effect::ScheduleAlert { schedule: FIRST }));
    assert_eq!(rig.engine.unpaid(), []);
}

#[test]
fn a_deleted_schedule_is_forgotten_after_a_day_and_its_name_begins_anew() {
    let mut rig = with(minutely());
    let first = rig.schedule().id;
    rig.live_until(17 * MINUTE);
    let task = rig.made()[0];
    say(&mut rig, ScheduleCommand::Delete { key: key("s"), seen: None }).expect("it is there");
    let forgotten = |rig: &Rig| {
        let events = rig.events.iter();
        events.filter(|event| matches!(event, Event::Schedule(ScheduleEvent::Forgotten { .. }))).count()
    };
    let hours = |rig: &mut Rig, hours: u64| rig.live_until(rig.now.wall.millis() + hours * 60 * MINUTE);
    hours(&mut rig, 25);
    assert_eq!(forgotten(&rig), 0, "something of it is at work");
    rig.succeed(task);
    hours(&mut rig, 1);
    assert_eq!(forgotten(&rig), 1);
    assert!(rig.engine.state().schedules().find(&key("s")).is_none());
    put(&mut rig, "s", minutely());
    let second = rig.engine.state().schedules().find(&key("s")).expect("it is new");
    assert_eq!((second.id.number(), second.last, second.fired), (first.number() + 1, Wall::ZERO, 0));
    let rig = crash(rig);
    assert_eq!(rig.engine.state().schedules().next_id(first.bucket(), 0).number(), first.number() + 2);
}

#[test]
fn ids_of_schedules_and_of_their_tasks_lie_in_the_bucket_of_their_tenant() {
    let mut rig = with(minutely());
    for (number, group) in [3, 77, 255].into_iter().enumerate() {
        let bucket = Bucket::home(Group::new(group));
        let (own, name) = (ScheduleHome { bucket, ..ScheduleHome::default() }, ["a", "b", "c"][number]);
        say(&mut rig, ScheduleCommand::Put { key: key(name), spec: minutely(), own, seen: None })
            .expect("accepted");
        let id = rig.engine.state().schedules().find(&key(name)).expect("stored").id;
        assert_eq!((id.bucket(), id.number()), (bucket, number as u64 + 2), "{id}");
    }
    rig.live_until(18 * MINUTE);
    let groups: std::collections::BTreeSet<u8> =
        rig.made().iter().map(|id| id.bucket().group().get()).collect();
    assert_eq!(groups, [0, 3, 77, 255].into());
}
