//! Cases of schedules and of what became of their windows.

use mainspring_core::schedule::{Reason, Unfired, WindowRow};
use mainspring_core::values::{EntityKind, FiredAs, Name, RunId, ScheduleId, Started, TaskId, Wall};

use super::samples::{DAY_MS, cut, group, id};
use super::{Case, Harness, open, reopen};
use crate::{Cut, CutError, EntityRow, Opened, PAGE_MAX, ReadTables, Recovery, Store, Tables, WindowCursor};

pub fn cases<H: Harness>() -> Vec<Case<H>> {
    vec![
        ("schedules and windows survive with their cut", rows_survive),
        ("a window that is written twice is one row", a_window_is_one_row),
        ("of two rows of one window the newer one stays", the_newer_row_of_a_window_stays),
        ("windows that became different things are different rows", kinds_are_apart),
        ("pages of windows walk every row once, newest first", pages_walk_every_window),
        ("a page of windows is never above its bound", a_page_of_windows_is_bounded),
        ("a refused cut leaves schedules and windows alone", a_refused_cut_changes_nothing),
        ("dropping takes windows by when they were decided", dropping_takes_old_windows),
    ]
}

const FIRST_DAY: u64 = 100;

fn schedule(number: u32, what: &str) -> EntityRow {
    EntityRow {
        kind: EntityKind::Schedule,
        id: number.into(),
        group: group(number.into()),
        tenant: Name::default(),
        parent: Name::default(),
        ended: None,
        fixed: None,
        bytes: format!("schedule {number}, {what}").into_bytes(),
    }
}

/// With a bucket in its high bits.
fn of(number: u32) -> ScheduleId {
    ScheduleId::from_bits(u64::from(number) << 60 | u64::from(number))
}

/// Of every kind there is, some of many windows; decided a minute after the last of them.
fn window(schedule: u32, number: u64) -> WindowRow {
    let first = Wall::from_millis(FIRST_DAY * DAY_MS + number * 60_000);
    let many = number.is_multiple_of(4);
    let last = Wall::from_millis(first.millis() + if many { 30_000 } else { 0 });
    let reason = Reason::ALL[number as usize % Reason::ALL.len()];
    let fired_as = FiredAs::ALL[number as usize % FiredAs::ALL.len()];
    WindowRow {
        schedule: of(schedule),
        group: group(number),
        first,
        last,
        count: if many { u64::MAX - number } else { 1 },
        what: match number % 4 {
            0 => Err(Unfired::Missed(reason)),
            1 => Ok((Started::Run(RunId::from_bits(id(number).bits())), fired_as)),
            2 => Err(Unfired::Skipped(reason)),
            _ => Ok((Started::Task(TaskId::from_bits(u128::MAX - u128::from(number))), fired_as)),
        },
        at: Wall::from_millis(last.millis() + 60_000),
    }
}

fn schedules<S: Store>(opened: &mut Opened<S>) -> Vec<EntityRow> {
    opened.recovery.entities(EntityKind::Schedule, None, usize::MAX).expect("schedules")
}

#[track_caller]
fn walk(reader: &mut impl ReadTables, schedule: u32, limit: usize) -> Vec<WindowRow> {
    let (mut walked, mut before) = (vec![], None);
    loop {
        let page = reader.windows(of(schedule), before, limit).expect("page");
        assert!(page.len() <= limit);
        let Some(last) = page.last() else { return walked };
        before = Some(WindowCursor::of(last));
        walked.extend(page);
    }
}

fn newest_first(mut rows: Vec<WindowRow>) -> Vec<WindowRow> {
    rows.sort_by_key(|row| std::cmp::Reverse(WindowCursor::of(row)));
    rows
}

fn rows_survive<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    // Neither in order nor beside each other.
    let first = Cut {
        entities: [12, 0, 3].map(|n| schedule(n, "new")).to_vec(),
        windows: (1..=40).map(|n| window(3, n)).collect(),
        ..cut(opened.epoch, 0)
    };
    opened.tables.cut(&first).expect("cut");
    for _life in 0..2 {
        opened = reopen(harness, &store, opened);
        assert_eq!(schedules(&mut opened), [0, 3, 12].map(|n| schedule(n, "new")), "by id");
        assert_eq!(walk(&mut opened.reader, 3, 100), newest_first(first.windows.clone()));
    }
    opened.tables.cut(&Cut { entities: vec![schedule(3, "paused")], ..cut(opened.epoch, 0) }).expect("cut");
    opened = reopen(harness, &store, opened);
    let expected = [schedule(0, "new"), schedule(3, "paused"), schedule(12, "new")];
    assert_eq!(schedules(&mut opened), expected, "replaced");
}

/// A record that is replayed after a crash decides the same again.
fn a_window_is_one_row<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let rows: Vec<_> = (1..=8).map(|n| window(1, n)).collect();
    for _life in 0..2 {
        let cut = Cut { windows: rows.clone(), ..cut(opened.epoch, 0) };
        opened.tables.cut(&cut).expect("cut");
        opened.tables.cut(&cut).expect("the same cut again");
        opened = reopen(harness, &store, opened);
        assert_eq!(walk(&mut opened.reader, 1, 100), newest_first(rows.clone()));
    }
}

/// A backfill may run a window again, in the record after.
fn the_newer_row_of_a_window_stays<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let run = |window: u64, bits| {
        let made = Started::Run(RunId::from_bits(bits));
        WindowRow { what: Ok((made, FiredAs::Backfill)), ..self::window(1, window) }
    };
    // Many, so that an order that is not kept is seen.
    let (old, new): (Vec<_>, Vec<_>) = (1..=200).map(|n| (run(n, 1), run(n, 2))).unzip();
    let windows = [old, new.clone()].concat();
    opened.tables.cut(&Cut { windows, ..cut(opened.epoch, 0) }).expect("cut");
    assert_eq!(walk(&mut opened.reader, 1, 100), newest_first(new));
}

fn kinds_are_apart<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let base = window(1, 5);
    let (run, task) = (Started::Run(RunId::from_bits(5)), Started::Task(TaskId::from_bits(5)));
    let fired = [run, task].into_iter().flat_map(|made| FiredAs::ALL.map(|fired_as| Ok((made, fired_as))));
    let passed = Reason::ALL.into_iter().flat_map(|why| [Unfired::Skipped(why), Unfired::Missed(why)]);
    let rows: Vec<_> = fired.chain(passed.map(Err)).map(|what| WindowRow { what, ..base }).collect();
    opened.tables.cut(&Cut { windows: rows.clone(), ..cut(opened.epoch, 0) }).expect("cut");
    for limit in [1, 7, 100] {
        assert_eq!(walk(&mut opened.reader, 1, limit), newest_first(rows.clone()), "limit {limit}");
    }
}

fn pages_walk_every_window<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    // The first and the last instant there is, and other schedules around it.
    let edges = [0, i64::MAX.cast_unsigned()].map(|ms| {
        let at = Wall::from_millis(ms);
        WindowRow { first: at, last: at, at, ..window(2, 2) }
    });
    let rows: Vec<_> = (1..=150).map(|n| window(2, n * 37 % 151)).chain(edges).collect();
    let others = [1, 3].into_iter().flat_map(|other| (1..=20).map(move |n| window(other, n)));
    let all = rows.iter().copied().chain(others).collect();
    opened.tables.cut(&Cut { windows: all, ..cut(opened.epoch, 0) }).expect("cut");
    for limit in [1, 7, 100, 400] {
        assert_eq!(walk(&mut opened.reader, 2, limit), newest_first(rows.clone()), "limit {limit}");
    }
    assert_eq!(walk(&mut opened.reader, 4, 10), [], "a schedule that has none");
}

fn a_page_of_windows_is_bounded<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let many = (1..=PAGE_MAX as u64 + 50).map(|n| window(1, n)).collect();
    opened.tables.cut(&Cut { windows: many, ..cut(opened.epoch, 0) }).expect("cut");
    let page = opened.reader.windows(of(1), None, usize::MAX).expect("page");
    assert_eq!(page.len(), PAGE_MAX);
}

fn a_refused_cut_changes_nothing<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let epoch = opened.epoch;
    let kept = Cut { entities: vec![schedule(0, "new")], windows: vec![window(0, 1)], ..cut(epoch, 9) };
    opened.tables.cut(&kept).expect("cut");
    let late = Cut {
        entities: vec![schedule(0, "late"), schedule(1, "late")],
        windows: vec![window(0, 2)],
        ..cut(epoch, 8)
    };
    let outcome = opened.tables.cut(&late);
    assert!(matches!(outcome, Err(CutError::OutOfOrder { .. })), "{outcome:?}");
    assert_eq!(schedules(&mut opened), kept.entities);
    assert_eq!(walk(&mut opened.reader, 0, 10), kept.windows);
}

fn dropping_takes_old_windows<H: Harness>(harness: &H) {
    let store = harness.fresh();
    let mut opened = open(&store);
    let day = FIRST_DAY + 2;
    // A window of long ago that was decided late is as young as its decision.
    let late = WindowRow { at: Wall::from_millis(day * DAY_MS), ..window(1, 1) };
    let rows: Vec<_> = (1..=5_000).map(|n| window(1, n)).skip(1).chain([late]).collect();
    let all = Cut { entities: vec![schedule(1, "new")], windows: rows.clone(), ..cut(opened.epoch, 0) };
    opened.tables.cut(&all).expect("cut");
    opened.tables.drop_before(day as u32, Wall::ZERO).expect("drop");
    let kept: Vec<_> = rows.into_iter().filter(|row| row.at.millis() >= day * DAY_MS).collect();
    assert!(kept.contains(&late) && kept.len() > 1_000 && kept.len() < 4_000, "some of both");
    assert_eq!(walk(&mut opened.reader, 1, 700), newest_first(kept));
    assert_eq!(schedules(&mut opened), all.entities, "schedules stay");
}
