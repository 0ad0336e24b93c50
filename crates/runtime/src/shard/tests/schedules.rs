//! Schedules over crashes: no window is lost, none begins something twice.

use super::*;
use mainspring_core::calendar::Timetable;
use mainspring_core::event::Event;
use mainspring_core::schedule::decide::{ScheduleAnswer, ScheduleCommand};
use mainspring_core::schedule::{
    Overlap, Passed, Reason, Schedule, ScheduleEvent, ScheduleHome, ScheduleKey, Spec, TASKS_JOB, Target,
    Timing, Unfired, WindowRow,
};
use mainspring_core::values::{Bucket, EntityKind, Group, ScheduleId, Started};
use mainspring_store::OpenError;
use mainspring_store::WindowCursor;
use mainspring_store::format::{FormatError, ProfileCache, read_events};

const MINUTE: u64 = 60_000;
const YEAR: u64 = 365 * 24 * 60 * MINUTE;
const ID: ScheduleId = ScheduleId::from_bits(1);

fn cutting() -> ShardConfig {
    ShardConfig { cut_every: Millis::ZERO, ..ShardConfig::default() }
}

fn key(name: &'static str) -> ScheduleKey {
    ScheduleKey { tenant: Name::fixed("acme"), job: Name::fixed(TASKS_JOB), name: Name::fixed(name) }
}

fn every_minute(overlap: Overlap) -> Spec {
    let requirements = Requirements { pool: Name::fixed("default"), ..Requirements::default() };
    let profile = Profile::new(ProfileSpec { requirements, ..ProfileSpec::default() });
    let task = TaskSpec::new(profile, Arc::from(*b"payload"));
    let timing = Timing::Table(Timetable::Every { every: Millis::new(MINUTE), anchor: Wall::ZERO });
    Spec::new(Target::Task(Box::new(task)), timing).on(|terms| terms.overlap = overlap)
}

impl Rig {
    fn put(&mut self, name: &'static str, spec: Spec) {
        self.put_own(name, spec, ScheduleHome::default());
    }

    fn put_own(&mut self, name: &'static str, spec: Spec, own: ScheduleHome) {
        let command = ScheduleCommand::Put { key: key(name), spec, own, seen: None };
        match self.call(Command::Schedule(Box::new(command))) {
            Ok(Answer::Schedule(ScheduleAnswer::Stored { next: Some(_), changed: true, .. })) => {}
            other => panic!("{other:?}"),
        }
    }

    fn scheduled(&self) -> &Schedule {
        self.shard.engine().state().schedules().get(ID).expect("a schedule")
    }

    fn next_window(&mut self) -> Wall {
        let next = self.scheduled().next.expect("a window");
        self.ms = next.millis();
        next
    }

    /// Time goes on to the next window, and everything succeeds.
    fn pass_window(&mut self) -> Wall {
        let window = self.next_window();
        self.run();
        window
    }

    /// What the journal says of schedules, by record.
    fn decided(&self) -> Vec<(Seq, Event)> {
        let mut decided = vec![];
        for record in &self.disk.records {
            let mut keep = |event: Event| {
                if matches!(event, Event::Schedule(_)) || event.window_fired().is_some() {
                    decided.push((record.seq, event));
                }
                Ok::<_, FormatError>(())
            };
            read_events(&record.body, record.events, &mut ProfileCache::default(), &mut keep)
                .expect("readable");
        }
        decided
    }

    fn fired(&self) -> Vec<Wall> {
        self.decided()
            .iter()
            .filter_map(|(_, event)| event.window_fired())
            .map(|fired| fired.window)
            .collect()
    }

    #[track_caller]
    fn assert_paid(&self) {
        assert_eq!(self.shard.engine().unpaid(), []);
    }

    /// Rows of windows, each once, however often it was written; two that differ are a mistake.
    #[track_caller]
    fn ledger(&self) -> Vec<WindowRow> {
        let mut rows = BTreeMap::new();
        for row in &self.disk.windows {
            let known = rows.insert((row.schedule, WindowCursor::of(row)), *row);
            assert!(known.is_none_or(|known| known == *row), "{known:?} became {row:?}");
        }
        rows.into_values().collect()
    }

    fn cut_now(&mut self) {
        self.shard.hurry_cut();
        self.run();
    }
}

#[track_caller]
fn assert_each_once(windows: &[Wall]) {
    assert!(windows.is_sorted_by(|a, b| a < b), "a window came twice or late: {windows:?}");
}

#[test]
fn a_schedule_is_the_same_after_a_crash_with_and_without_a_cut() {
    for config in [quiet(), cutting()] {
        let mut rig = rig_with(config);
        rig.hello();
        rig.put("first", every_minute(Overlap::Queue));
        // The first begins a task, which goes on; the others wait for it.
        for _ in 0..3 {
            rig.pass_window();
        }
        let before = rig.scheduled().clone();
        assert_eq!((before.fired, before.rare.waiting.len(), before.rare.active.len()), (1, 2, 1));
        let mut rig = rig.crash_and_open(2);
        let after = rig.scheduled();
        assert_eq!((after, &after.rare.active), (&before, &before.rare.active));
        rig.assert_paid();
        // What waited goes on, in its order.
        rig.hello();
        for ended in 1..=3 {
            rig.succeed();
            assert_eq!(rig.fired().len(), (ended + 1).min(3), "of three windows");
        }
        assert_each_once(&rig.fired());
        assert!(rig.scheduled().rare.active.is_empty());
        rig.assert_paid();
    }
}

#[test]
fn no_window_begins_something_twice_wherever_the_crash_comes() {
    let mut rig = rig_with(quiet());
    rig.hello();
    rig.put("first", every_minute(Overlap::Allow));
    let mut windows = vec![];
    for life in 0..12 {
        windows.push(rig.next_window());
        rig.step();
        match life % 4 {
            // Nothing of it became durable: it comes again, and only then it exists.
            0 => assert!(rig.fired().len() < windows.len()),
            // Durable, and not in the tables.
            1 => rig.run(),
            // In the tables.
            2 => {
                rig.run();
                rig.cut_now();
            }
            // The cut of it is not written.
            _ => {
                rig.append(Ok(()));
                rig.shard.hurry_cut();
                rig.step();
                assert!(!rig.cuts.is_empty() || !rig.appends.is_empty());
            }
        }
        rig = rig.crash_and_open(life + 2);
        rig.assert_paid();
        assert_eq!(rig.fired(), windows, "after life {life}");
    }
    rig.cut_now();
    let begun = rig.ledger();
    assert_eq!(begun.iter().map(|row| row.first).collect::<Vec<_>>(), windows);
    let tasks: Vec<TaskId> = rig.shard.engine().state().tasks().iter().map(|(_, task)| task.id).collect();
    for row in begun {
        let Ok((Started::Task(id), _)) = row.what else { panic!("{row:?}") };
        assert!(tasks.contains(&id), "{id} is there");
    }
    assert_eq!(tasks.len(), windows.len());
}

#[test]
fn an_outage_of_a_year_costs_one_record() {
    for config in [quiet(), cutting()] {
        let mut rig = rig_with(config);
        rig.hello();
        rig.put("first", every_minute(Overlap::Allow));
        let first = rig.scheduled().next.expect("a window");
        let stored = rig.decided().len();
        rig.ms += YEAR;
        let mut rig = Rig::open(rig.disk, rig.config, 2, rig.ms);
        rig.append(Ok(()));
        // The first step that is not about opening.
        rig.step();
        rig.append(Ok(()));
        let decided = rig.decided().split_off(stored);
        let [(at, Event::Schedule(ScheduleEvent::Passed(passed))), (with, begun)] = &decided[..] else {
            panic!("{decided:?}");
        };
        let fired = begun.window_fired().expect("the newest window fires");
        assert_eq!(at, with, "one record");
        let Passed { id, first: from, last, count, outcome, .. } = **passed;
        assert_eq!((id, from, outcome), (ID, first, Unfired::Missed(Reason::Late)));
        assert_eq!((last.millis() + MINUTE, count), (fired.window.millis(), YEAR / MINUTE - 1));
        rig.run();
        rig.cut_now();
        assert_eq!(rig.ledger().len(), 2);
        assert_eq!((rig.scheduled().fired, rig.scheduled().missed), (1, count));
        rig.assert_paid();
    }
}

#[test]
fn an_outage_that_nothing_makes_up_for_begins_nothing() {
    let mut rig = rig_with(quiet());
    rig.put("first", every_minute(Overlap::Allow).on(|terms| terms.grace = Millis::ZERO));
    // Half a minute after a window.
    rig.ms = rig.scheduled().next.expect("a window").millis() + YEAR + MINUTE / 2;
    let mut rig = rig.crash_and_open(2);
    rig.run();
    assert_eq!(rig.fired(), []);
    assert_eq!((rig.scheduled().missed, rig.starts.len()), (YEAR / MINUTE + 1, 0));
    rig.assert_paid();
}

#[test]
fn schedules_that_say_the_same_share_it_after_a_start_from_the_tables() {
    let mut rig = rig_with(cutting());
    let own = ScheduleHome { bucket: Bucket::home(Group::ZERO), offset: Millis::new(500) };
    rig.put("first", every_minute(Overlap::Allow));
    rig.put_own("second", every_minute(Overlap::Allow), own);
    rig.put("third", every_minute(Overlap::Queue));
    rig.cut_now();
    assert_eq!(rig.disk.entities.len(), 3);
    let rig = rig.crash_and_open(2);
    let schedules = rig.shard.engine().state().schedules();
    let [first, second, third] =
        ["first", "second", "third"].map(|name| schedules.find(&key(name)).expect("a schedule"));
    assert!(Arc::ptr_eq(&first.spec, &second.spec));
    assert_eq!((first.own(), second.own()), (ScheduleHome::default(), own));
    assert_eq!((first.spec.overlap, third.spec.overlap), (Overlap::Allow, Overlap::Queue));
}

#[test]
fn the_shard_wakes_for_the_next_window() {
    let mut rig = rig_with(quiet());
    let own = ScheduleHome { offset: Millis::new(500), ..ScheduleHome::default() };
    rig.put_own("first", every_minute(Overlap::Allow), own);
    let mut rig = rig.crash_and_open(2);
    let window = rig.scheduled().next.expect("a window");
    while rig.fired().is_empty() {
        let sleep = rig.shard.sleep().expect("a schedule is on").get();
        assert!(sleep > 0, "it spins");
        rig.ms += sleep;
        assert!(rig.ms <= window.millis() + 500, "it slept too long");
        rig.run();
    }
    assert_eq!((rig.ms, rig.fired()), (window.millis() + 500, vec![window]));
}

#[test]
fn a_deleted_schedule_stays_known_over_a_crash() {
    for config in [quiet(), cutting()] {
        let mut rig = rig_with(config);
        rig.put("first", every_minute(Overlap::Allow));
        rig.put("second", every_minute(Overlap::Allow));
        let window = rig.pass_window();
        let delete =
            |name| Command::Schedule(Box::new(ScheduleCommand::Delete { key: key(name), seen: None }));
        rig.call(delete("first")).expect("it is there");
        let mut rig = rig.crash_and_open(2);
        assert!(rig.scheduled().rare.deleted.is_some());
        assert!(rig.call(delete("first")).is_err(), "it is deleted");
        // The clock was put back since: what was decided is not decided again.
        rig.put("first", every_minute(Overlap::Allow));
        assert_eq!((rig.scheduled().id, rig.scheduled().last), (ID, window));
        rig.assert_paid();
    }
}

#[test]
fn a_row_that_was_lost_stops_the_opening() {
    let mut rig = rig_with(cutting());
    rig.put("first", every_minute(Overlap::Allow));
    rig.put("second", every_minute(Overlap::Allow));
    rig.disk.entities.remove(&(EntityKind::Schedule, 1));
    let reading = rig.reading();
    match Shard::<u32>::recover(rig.config, Epoch::new(2), &mut rig.disk, reading) {
        Err(OpenError::Unreadable { why, .. }) => assert!(why.contains("1 rows of kind `schedule`"), "{why}"),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it opens"),
    }
}

#[test]
fn a_record_about_a_schedule_that_nobody_knows_stops_the_opening() {
    let mut rig = rig_with(quiet());
    rig.put("first", every_minute(Overlap::Allow));
    rig.pass_window();
    // The record that stored it.
    rig.disk.records.remove(1);
    let reading = rig.reading();
    match Shard::<u32>::recover(rig.config, Epoch::new(3), &mut rig.disk, reading) {
        Err(OpenError::Unreadable { why, .. }) => {
            assert!(why.starts_with("it touches schedule 0x1,"), "{why}");
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it opens"),
    }
}

/// A wrong clock was believed for a while, and the next start has the right one.
#[test]
fn windows_that_were_decided_stay_decided_when_the_time_is_set_back() {
    for config in [quiet(), cutting()] {
        let mut rig = rig_with(config);
        rig.hello();
        rig.put("first", every_minute(Overlap::Allow));
        for _ in 0..3 {
            rig.pass_window();
        }
        let right = rig.ms;
        rig.ms += 2 * YEAR;
        rig.run();
        let (fired, next) = (rig.fired(), rig.scheduled().next);
        assert!(next.is_some_and(|next| next.millis() > right + YEAR));
        rig.ms = right + MINUTE;
        let mut rig = rig.crash_and_open(2);
        assert!(rig.shard.clock().set_back().is_some());
        rig.assert_paid();
        for _ in 0..5 {
            rig.ms += MINUTE;
            rig.run();
        }
        assert_eq!((rig.fired(), rig.scheduled().next), (fired, next), "no window is decided again");
        // Delays count from the right time.
        rig.hello();
        let id = rig.submitted(StartTime::After(Millis::from_secs(1)));
        rig.ms += 1_000;
        rig.run();
        assert!(rig.starts.iter().any(|start| start.task == id), "a second has passed");
    }
}

#[test]
fn a_jump_of_the_clock_at_a_start_decides_nothing() {
    let mut rig = rig_with(cutting());
    rig.hello();
    rig.put("first", every_minute(Overlap::Allow));
    rig.pass_window();
    let (fired, far) = (rig.fired(), rig.submitted(StartTime::After(Millis::new(YEAR))));
    let ahead = Reading::new(Millis::ZERO, Wall::from_millis(rig.ms + 2 * YEAR));
    let (mut shard, _) =
        Shard::<u32>::recover(rig.config, Epoch::new(2), &mut rig.disk, ahead).expect("opens");
    shard.step(ahead);
    let (now, due) = (shard.engine().state().now, rig.ms);
    assert!(shard.clock().is_in_doubt() && now.wall.millis() == due, "{now:?}");
    while let Some(output) = shard.poll() {
        if let Output::Append(record) = output {
            assert_eq!((record.now.wall.millis(), record.events), (due, 1), "only the epoch begins");
        }
    }
    assert_eq!(rig.fired(), fired);
    assert!(shard.engine().state().tasks().find(far).is_none(), "it stays parked");
}

#[test]
fn a_forgotten_schedule_leaves_memory_and_its_number_is_not_given_away_again() {
    let mut rig = rig_with(cutting());
    rig.put("first", every_minute(Overlap::Allow));
    let delete = Command::Schedule(Box::new(ScheduleCommand::Delete { key: key("first"), seen: None }));
    rig.call(delete).expect("it is there");
    for _ in 0..26 * 60 {
        rig.ms += MINUTE;
        rig.run();
    }
    assert!(rig.shard.engine().state().schedules().is_empty(), "behind the barrier");
    assert!(rig.disk.entities[&(EntityKind::Schedule, 1)].ended.is_some(), "retention drops it");
    let mut rig = rig.crash_and_open(2);
    assert!(rig.shard.engine().state().schedules().is_empty());
    rig.put("first", every_minute(Overlap::Allow));
    let again = rig.shard.engine().state().schedules().find(&key("first")).expect("it is new");
    assert_eq!(again.id, ScheduleId::from_bits(2));
}
