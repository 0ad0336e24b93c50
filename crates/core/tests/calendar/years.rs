//! Five years in every zone: what fires is what the clock changes in the zone data and the policy say.

use std::collections::BTreeSet;

use jiff::civil::{Date, Time, date, time};
use jiff::tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase};
use mainspring_core::calendar::{Cron, Dst, Missing, Timetable, Twice, Zone};

use super::{policies, timestamp, walk, wall};

/// Two times five years: with Samoa's lost day and Russia's changes, and nearly today.
const YEARS: [i16; 2] = [2010, 2021];

fn zones() -> impl Iterator<Item = (Zone, TimeZone)> {
    let database = TimeZoneDatabase::bundled();
    Zone::all().map(move |zone| (zone, database.get(zone.name()).expect("a zone")))
}

fn five_years(first: i16) -> (i64, i64) {
    let start =
        |year| TimeZone::UTC.to_timestamp(date(year, 1, 1).at(0, 0, 0, 0)).expect("in range").as_second();
    (start(first), start(first + 5))
}

fn table(text: &str, zone: Zone, dst: Dst) -> Timetable {
    Timetable::Cron { cron: Cron::parse(text, 0).expect("right"), zone, dst }
}

/// One local time of day, with what the zone makes of it on each day.
struct Daily {
    resolved: Vec<Resolved>,
}

enum Resolved {
    Once(i64),
    /// Taken away by the change at this instant.
    Missing(i64),
    Twice(i64, i64),
}

impl Daily {
    fn new(zone: &TimeZone, first: i16, at: Time) -> Self {
        let days = Date::new(first - 1, 12, 30).expect("a date").series(jiff::Span::new().days(1));
        let until = Date::new(first + 5, 1, 2).expect("a date");
        Self { resolved: days.take_while(|day| *day <= until).map(|day| resolve(zone, day, at)).collect() }
    }

    fn expected(&self, dst: Dst, after: i64, until: i64) -> BTreeSet<i64> {
        let mut instants = BTreeSet::new();
        for resolved in &self.resolved {
            match (resolved, dst.missing, dst.twice) {
                (Resolved::Once(at), _, _) => instants.extend([*at]),
                (Resolved::Missing(_), Missing::Skip, _) => {}
                (Resolved::Missing(change), Missing::After, _) => instants.extend([*change]),
                (Resolved::Missing(change), Missing::Before, _) => instants.extend([change - 1]),
                (Resolved::Twice(first, _), _, Twice::First) => instants.extend([*first]),
                (Resolved::Twice(_, second), _, Twice::Second) => instants.extend([*second]),
                (Resolved::Twice(first, second), _, Twice::Both) => instants.extend([*first, *second]),
            }
        }
        instants.retain(|at| *at > after && *at <= until);
        instants
    }
}

fn resolve(zone: &TimeZone, day: Date, at: Time) -> Resolved {
    let local = day.to_datetime(at);
    let instant = |offset: jiff::tz::Offset| offset.to_timestamp(local).expect("in range").as_second();
    match zone.to_ambiguous_timestamp(local).offset() {
        AmbiguousOffset::Unambiguous { offset } => Resolved::Once(instant(offset)),
        AmbiguousOffset::Fold { before, after } => Resolved::Twice(instant(before), instant(after)),
        AmbiguousOffset::Gap { before, .. } => {
            // Read with the old offset the time lies behind the change.
            let behind = timestamp(instant(before) + 1);
            let change = zone.preceding(behind).next().expect("the change that made the gap");
            Resolved::Missing(change.timestamp().as_second())
        }
    }
}

#[test]
fn fixed_times_follow_the_policy_in_every_zone() {
    let times = [
        ("30 2 * * *", time(2, 30, 0, 0)),
        ("30 0 * * *", time(0, 30, 0, 0)),
        ("0 0 * * *", time(0, 0, 0, 0)),
    ];
    for (zone, data) in zones() {
        for (first, (text, at)) in YEARS.into_iter().flat_map(|year| times.map(|time| (year, time))) {
            let daily = Daily::new(&data, first, at);
            let (after, until) = five_years(first);
            let mut walked = BTreeSet::new();
            for dst in policies() {
                let table = table(text, zone, dst);
                let expected = daily.expected(dst, after, until);
                assert_eq!(
                    table.count(wall(after), wall(until)),
                    expected.len() as u64,
                    "{text} in {zone:?}, {dst:?}"
                );
                // A policy that changes nothing here need not be walked again.
                if expected != walked {
                    let (found, _) = walk(&table, after, until);
                    walked = found.into_iter().collect();
                    assert_eq!(walked, expected, "{text} in {zone:?} with {dst:?} from {first}");
                }
            }
        }
    }
}

#[test]
fn hours_that_run_through_fire_by_elapsed_time_in_every_zone() {
    for (zone, data) in zones() {
        for (first, (text, every)) in
            YEARS.into_iter().flat_map(|year| [(year, ("0 * * * *", 3_600)), (year, ("*/30 * * * *", 1_800))])
        {
            let (after, until) = five_years(first);
            let expected = rounds(&data, after, until, every);
            for dst in policies() {
                let table = table(text, zone, dst);
                assert_eq!(
                    table.count(wall(after), wall(until)),
                    expected,
                    "{text} in {zone:?} with {dst:?}"
                );
            }
            if every < 3_600 {
                continue;
            }
            let (found, skipped) = walk(&table(text, zone, Dst::default()), after, until);
            assert_eq!((found.len() as u64, skipped), (expected, 0), "{text} in {zone:?} from {first}");
        }
    }
}

/// How often the local clock of a zone shows a multiple of `every` seconds in (`after`, `until`].
fn rounds(zone: &TimeZone, after: i64, until: i64, every: i64) -> u64 {
    let mut start = after + 1;
    let mut count = 0;
    let changes = zone.following(timestamp(after)).map(|change| change.timestamp().as_second());
    for end in changes.take_while(|change| *change <= until).chain([until + 1]) {
        let offset = i64::from(zone.to_offset(timestamp(start)).seconds());
        let until = |at: i64| (at + offset - 1).div_euclid(every);
        count += until(end) - until(start);
        start = end;
    }
    count.unsigned_abs()
}
