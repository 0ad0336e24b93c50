//! Samples of schedules, and of what happens to them.

use mainspring_core::calendar::{Cron, Dst, Missing, Timetable, Twice, Zone};
use mainspring_core::collections::Soft;
use mainspring_core::schedule::{
    ExtrasCell, Overlap, Passed, Reason, Schedule, ScheduleEvent, ScheduleExtras, ScheduleHome, ScheduleKey,
    Spec, Stored, Target, Terms, Timing, Unfired, Waiting,
};
use mainspring_core::values::{Bucket, FiredAs, FiredBy, ScheduleId, Started, Window};
use mainspring_store::format::{read_schedule, write_schedule};

use super::*;

const SCHEDULE: ScheduleId = ScheduleId::from_bits(0x0050_0000_0000_012c);

pub fn window() -> Window {
    let from = Wall::from_millis(WALL.millis() - 86_400_000);
    let name = name("nightly");
    Window { schedule: SCHEDULE, name, at: WALL, from, fired_as: FiredAs::CatchUp }
}

fn key_of_schedule() -> Arc<ScheduleKey> {
    Arc::new(ScheduleKey { tenant: name("acme"), job: name("report"), name: name("nightly") })
}

fn run_target() -> Target {
    Target::Run { parameters: Arc::from(*b"{}"), priority: Priority::new(Band::P0, 3) }
}

/// `H` makes what the text alone does not say.
fn cron() -> Timetable {
    let cron = Cron::parse("H 2,4 L-3,15W 1-6 mon#2,friL", 77).expect("an expression");
    let zone = Zone::find("America/New_York").expect("a zone");
    Timetable::Cron { cron, zone, dst: Dst { missing: Missing::After, twice: Twice::Both } }
}

fn full_spec() -> Spec {
    let (labels, permits) = (Some(labels()), Some(permits()));
    let task = TaskSpec { labels, permits, ..TaskSpec::new(full_profile(), Arc::from(*b"payload")) };
    let terms = Terms {
        text: "H 2,4 L-3,15W 1-6 mon#2,friL".into(),
        start: Some(WALL),
        end: Some(WALL),
        jitter: Millis::new(600_000),
        catch_up: 100,
        grace: Millis::new(1),
        overlap: Overlap::Coalesce,
        active_max: 300,
        ..Terms::new(Timing::Table(cron()))
    };
    Spec { target: Target::Task(Box::new(task)), terms: Arc::new(terms) }
}

fn full_own() -> ScheduleHome {
    ScheduleHome { bucket: Bucket::from_bits(4095).expect("a bucket"), offset: Millis::new(599_999) }
}

fn plain_spec(timing: Timing) -> Spec {
    Spec::new(run_target(), timing)
}

fn stored(spec: Spec, own: ScheduleHome) -> Event {
    let (key, spec) = (key_of_schedule(), Arc::new(spec));
    let stored = Stored { id: SCHEDULE, key, spec, own, of_job: true, next: Some(WALL) };
    Event::Schedule(ScheduleEvent::Stored(Box::new(stored)))
}

fn passed(outcome: Unfired) -> Event {
    let passed = Passed { id: SCHEDULE, first: WALL, last: WALL, count: 525_600, outcome, next: None };
    Event::Schedule(ScheduleEvent::Passed(Box::new(passed)))
}

/// Of a run that a window began.
fn fired(next: Option<Wall>) -> Event {
    let job = Arc::new(JobKey { tenant: name("acme"), name: name("report") });
    let origin = Origin { window: Some(Box::new(window())), ..Origin::of(StartedBy::Schedule) };
    let created = RunCreated {
        fired_by: Some(FiredBy::Schedule { next }),
        ..RunCreated::new(RUN, job, 3, Arc::from(*b"{}"), origin)
    };
    Event::Run(RunEvent::RunCreated(Box::new(created)))
}

pub fn schedule_events() -> Vec<(&'static str, Event)> {
    let id = SCHEDULE;
    let every = Timetable::Every { every: Millis::from_secs(90), anchor: WALL };
    let instants = Timetable::instants(vec![WALL, Wall::from_millis(7)]);
    let held = ScheduleEvent::Held { id, window: WALL, next: None, fired_as: FiredAs::Late };
    vec![
        ("schedule_stored_cron", stored(full_spec(), full_own())),
        ("schedule_stored_every", stored(plain_spec(Timing::Table(every)), ScheduleHome::default())),
        ("schedule_stored_instants", stored(plain_spec(Timing::Table(instants)), ScheduleHome::default())),
        ("schedule_stored_after", stored(plain_spec(Timing::After(Millis::new(5))), ScheduleHome::default())),
        ("schedule_paused", Event::Schedule(ScheduleEvent::Paused { id, paused: true })),
        ("schedule_deleted", Event::Schedule(ScheduleEvent::Deleted { id })),
        ("schedule_forgotten", Event::Schedule(ScheduleEvent::Forgotten { id })),
        ("schedule_armed", Event::Schedule(ScheduleEvent::Armed { id, next: Some(WALL) })),
        ("schedule_fired_run", fired(Some(WALL))),
        ("schedule_fired_last", fired(None)),
        ("schedule_passed_missed", passed(Unfired::Missed(Reason::Late))),
        ("schedule_passed_skipped", passed(Unfired::Skipped(Reason::Deleted))),
        ("schedule_held", Event::Schedule(held)),
    ]
}

fn schedule(spec: Spec, own: ScheduleHome) -> Schedule {
    Schedule {
        id: SCHEDULE,
        key: key_of_schedule(),
        spec: Arc::new(spec),
        bucket: own.bucket,
        offset: own.offset,
        of_job: false,
        paused: false,
        created: WALL,
        changed: WALL,
        last: Wall::ZERO,
        last_made: None,
        next: None,
        rare: ExtrasCell::default(),
        fired: 0,
        skipped: 0,
        missed: 0,
        touched: Seq::new(300),
        soft: Soft::default(),
        written: Soft::default(),
    }
}

fn full_schedule() -> Schedule {
    let rare = ScheduleExtras {
        deleted: Some(WALL),
        forgotten: Some(Wall::from_millis(1_790_000_099_999)),
        resumed: Wall::from_millis(1),
        waiting: [Waiting { window: WALL, fired_as: FiredAs::Late }].into(),
        ..ScheduleExtras::default()
    };
    Schedule {
        of_job: true,
        paused: true,
        last: WALL,
        last_made: Some(Started::Task(ID)),
        next: Some(WALL),
        rare: rare.into(),
        fired: 1,
        skipped: 300,
        missed: u64::MAX,
        ..schedule(full_spec(), full_own())
    }
}

fn encode_schedule(schedule: &Schedule) -> Vec<u8> {
    let mut out = vec![];
    write_schedule(&mut out, schedule, &mut EncodedProfiles::default());
    out
}

#[test]
fn schedules_are_written_and_read_as_ever() {
    let after = plain_spec(Timing::After(Millis::from_secs(60)));
    for (name, schedule) in [("plain", schedule(after, ScheduleHome::default())), ("full", full_schedule())] {
        let bytes = encode_schedule(&schedule);
        let frozen = golden(&format!("schedule_{name}.hex"), &bytes);
        assert_eq!(hex(&bytes), hex(&frozen), "{name} is written differently");
        let read = read_schedule(&frozen, &mut ProfileCache::default());
        assert_eq!(read, Ok(schedule), "{name} is read differently");
    }
}

/// What a schedule is about in its row, with one thing changed.
#[track_caller]
fn changed(from: &[u8], to: &[u8]) -> Result<Schedule, FormatError> {
    assert_eq!(from.len(), to.len());
    let mut bytes = encode_schedule(&full_schedule());
    let at = bytes.windows(from.len()).position(|window| window == from).expect("these bytes are in the row");
    bytes[at..at + to.len()].copy_from_slice(to);
    read_schedule(&bytes, &mut ProfileCache::default())
}

#[test]
fn a_zone_that_this_version_does_not_know_is_named() {
    match changed(b"America/New_York", b"America/Old_York") {
        Err(FormatError::Zone { name, .. }) => assert_eq!(&*name, "America/Old_York"),
        other => panic!("{other:?}"),
    }
    let spelled = changed(b"America/New_York", b"america/new_york");
    assert!(matches!(spelled, Err(FormatError::Bad { what: "time zone", .. })), "{spelled:?}");
}

#[test]
fn masks_that_no_expression_has_are_refused() {
    let mut masks = match cron() {
        Timetable::Cron { cron, .. } => cron.masks(),
        other => panic!("{other:?}"),
    };
    assert!(Cron::from_masks(masks).is_some());
    for (at, mask) in [(0, 1 << 60), (2, 0), (3, 1), (6, 1), (9, 4)] {
        let good = std::mem::replace(&mut masks[at], mask);
        assert_eq!(Cron::from_masks(masks), None, "mask {at}");
        masks[at] = good;
    }
}
