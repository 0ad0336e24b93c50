//! Clock changes, one story a policy. Full tables are in `tests/calendar.rs`.

use super::{instant, next_texts, timetable};
use crate::calendar::{Dst, HORIZON, Missing, Timetable, Twice};
use crate::values::{Millis, Wall};

const NEW_YORK: &str = "America/New_York";

fn dst(missing: Missing, twice: Twice) -> Dst {
    Dst { missing, twice }
}

#[test]
fn a_missing_time_follows_the_policy() {
    let rows = [
        (Missing::Skip, ["2025-03-08T07:30:00Z", "2025-03-10T06:30:00Z"]),
        (Missing::After, ["2025-03-08T07:30:00Z", "2025-03-09T07:00:00Z"]),
        (Missing::Before, ["2025-03-08T07:30:00Z", "2025-03-09T06:59:59Z"]),
    ];
    for (missing, found) in rows {
        let table = timetable("30 2 * * *", NEW_YORK, dst(missing, Twice::First));
        assert_eq!(next_texts(&table, "2025-03-08T00:00:00Z", 2), found, "{missing:?}");
    }
}

#[test]
fn skipped_times_are_counted() {
    let rows = [("30 2 * * *", 1), ("15,45 2 * * *", 2), ("* 2 * * *", 60), ("30 4 * * *", 0)];
    for (text, skipped) in rows {
        let table = timetable(text, NEW_YORK, Dst::default());
        let next = table.next(instant("2025-03-09T05:00:00Z")).expect("one more");
        assert_eq!(next.skipped, skipped, "{text}");
        assert_eq!(table.next(next.at).map(|next| next.skipped), Some(0), "{text}: once only");
    }
}

#[test]
fn a_time_that_comes_twice_follows_the_policy() {
    let rows = [
        (Twice::First, ["2025-11-02T05:30:00Z", "2025-11-03T06:30:00Z"]),
        (Twice::Second, ["2025-11-02T06:30:00Z", "2025-11-03T06:30:00Z"]),
        (Twice::Both, ["2025-11-02T05:30:00Z", "2025-11-02T06:30:00Z"]),
    ];
    for (twice, found) in rows {
        let table = timetable("30 1 * * *", NEW_YORK, dst(Missing::Skip, twice));
        assert_eq!(next_texts(&table, "2025-11-02T00:00:00Z", 2), found, "{twice:?}");
    }
    let both = timetable("0,30 1 * * *", NEW_YORK, dst(Missing::Skip, Twice::Both));
    let found = next_texts(&both, "2025-11-02T00:00:00Z", 4);
    assert_eq!(found, ["05:00", "05:30", "06:00", "06:30"].map(|time| format!("2025-11-02T{time}:00Z")));
}

#[test]
fn hours_that_run_through_follow_elapsed_time() {
    let table = timetable("*/30 * * * *", NEW_YORK, dst(Missing::After, Twice::First));
    let from = instant("2025-01-01T00:00:00Z");
    assert_eq!(table.count(from, instant("2026-01-01T00:00:00Z")), 365 * 48);
    let found = next_texts(&table, "2025-11-02T05:15:00Z", 4);
    assert_eq!(found, ["05:30", "06:00", "06:30", "07:00"].map(|time| format!("2025-11-02T{time}:00Z")));
}

#[test]
fn shifts_of_half_an_hour_and_of_a_day() {
    let lord_howe = |missing| timetable("15 2 * * *", "Australia/Lord_Howe", dst(missing, Twice::First));
    let found = next_texts(&lord_howe(Missing::After), "2025-10-04T12:00:00Z", 1);
    assert_eq!(found, ["2025-10-04T15:30:00Z"], "02:00 became 02:30");
    let found = next_texts(&lord_howe(Missing::Skip), "2025-10-04T12:00:00Z", 1);
    assert_eq!(found, ["2025-10-05T15:15:00Z"]);
    // Samoa had no 30 December 2011.
    let apia = |text, missing| timetable(text, "Pacific/Apia", dst(missing, Twice::First));
    let found = next_texts(&apia("0 12 * * *", Missing::Skip), "2011-12-29T00:00:00Z", 2);
    assert_eq!(found, ["2011-12-29T22:00:00Z", "2011-12-30T22:00:00Z"]);
    let found = next_texts(&apia("0 12 * * *", Missing::After), "2011-12-29T00:00:00Z", 3);
    assert_eq!(found, ["2011-12-29T22:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T22:00:00Z"]);
    let found = next_texts(&apia("0 0 * * *", Missing::After), "2011-12-29T12:00:00Z", 2);
    assert_eq!(found, ["2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"], "31 December 00:00 comes once");
}

#[test]
fn a_time_that_is_always_missing_ends_the_search() {
    let table = timetable("30 2 * 3 SUN#2", NEW_YORK, Dst::default());
    assert_eq!(table.next(instant("2025-01-01T00:00:00Z")), None);
    let after = timetable("30 2 * 3 SUN#2", NEW_YORK, dst(Missing::After, Twice::First));
    assert_eq!(next_texts(&after, "2025-01-01T00:00:00Z", 1), ["2025-03-09T07:00:00Z"]);
}

#[test]
fn the_last_and_the_first_instants() {
    let secondly = timetable("* * * * * *", "UTC", Dst::default());
    let end = Wall::from_millis(u64::MAX);
    let last = secondly.previous(end).expect("there is a last one");
    assert_eq!(last + Millis::from_secs(1), HORIZON);
    assert_eq!(secondly.next(last), None);
    assert_eq!(secondly.next(end), None);
    assert_eq!(secondly.previous(Wall::ZERO), None);
    assert_eq!(secondly.previous(Wall::from_millis(1)), Some(Wall::ZERO));
    assert_eq!(secondly.count(Wall::ZERO, end), HORIZON.millis() / 1000 - 1);
    assert_eq!(secondly.count(end, Wall::ZERO), 0);
}

#[test]
fn intervals_and_instants() {
    let every = Timetable::Every { every: Millis::new(700), anchor: Wall::from_millis(1_000) };
    let list = Timetable::instants([3_100, 1_000, 2_400, 1_700, 1_700].map(Wall::from_millis).to_vec());
    for table in [&every, &list] {
        let next = |after| table.next(Wall::from_millis(after)).map(|next| next.at.millis());
        let previous = |before| table.previous(Wall::from_millis(before)).map(Wall::millis);
        assert_eq!([next(0), next(1_000), next(1_699), next(1_700)], [1_000, 1_700, 1_700, 2_400].map(Some));
        assert_eq!([previous(1_000), previous(1_001), previous(1_700)], [None, Some(1_000), Some(1_000)]);
        assert_eq!(table.count(Wall::from_millis(1_000), Wall::from_millis(3_100)), 3);
        assert_eq!(table.count(Wall::ZERO, Wall::from_millis(3_099)), 3);
        let newest = table.newest(Wall::ZERO, Wall::from_millis(3_100), 2);
        assert_eq!(newest, [2_400, 3_100].map(Wall::from_millis));
    }
    assert_eq!(list.next(Wall::from_millis(3_100)), None);
    assert_eq!(every.next(Wall::from_millis(u64::MAX)), None);
    let never = Timetable::Every { every: Millis::ZERO, anchor: Wall::ZERO };
    assert_eq!(
        (never.next(Wall::ZERO), never.previous(HORIZON), never.count(Wall::ZERO, HORIZON)),
        (None, None, 0)
    );
}
