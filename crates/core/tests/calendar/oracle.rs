//! Random expressions, zones and bases: every answer is compared with a walk over all minutes, or all seconds.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase};
use mainspring_core::calendar::{Cron, Dst, Missing, Timetable, Twice, Zone};
use proptest::prelude::*;
use proptest::sample::select;

use super::naive::Naive;
use super::{policies, timestamp, walk, wall};

/// What should fire in (`after`, `until`], and how many missing times should be skipped.
struct Expected {
    instants: Vec<i64>,
    skipped: u32,
}

struct Oracle<'a> {
    naive: &'a Naive,
    zone: &'a TimeZone,
    dst: Dst,
    step: i64,
}

impl Oracle<'_> {
    fn expected(&self, after: i64, until: i64) -> Expected {
        let mut instants = Vec::new();
        let mut at = after - after.rem_euclid(self.step) + self.step;
        let mut skipped = 0;
        while at <= until {
            let local = self.zone.to_datetime(timestamp(at));
            if self.naive.matches(local) && self.counts(local, at) {
                instants.push(at);
            }
            at += self.step;
        }
        for (change, missing) in self.gaps(after, until) {
            match self.dst.missing {
                Missing::Skip => skipped += missing,
                Missing::After => instants.push(change),
                Missing::Before => instants.push(change - 1),
            }
        }
        instants.retain(|at| *at > after && *at <= until);
        instants.sort_unstable();
        instants.dedup();
        Expected { instants, skipped }
    }

    fn counts(&self, local: DateTime, at: i64) -> bool {
        let AmbiguousOffset::Fold { before, .. } = self.zone.to_ambiguous_timestamp(local).offset() else {
            return true;
        };
        let is_first = self.zone.to_offset(timestamp(at)) == before;
        match self.dst.twice {
            Twice::First => is_first || self.naive.runs_through(),
            Twice::Second => !is_first || self.naive.runs_through(),
            Twice::Both => true,
        }
    }

    /// Changes near the range that take matching local times away, each with how many.
    fn gaps(&self, after: i64, until: i64) -> Vec<(i64, u32)> {
        if self.naive.runs_through() {
            return Vec::new();
        }
        let changes = self.zone.following(timestamp(after - 86_400)).map(|change| change.timestamp());
        let near = changes.take_while(|change| change.as_second() <= until + 86_400);
        near.map(|change| (change.as_second(), self.missing(change)))
            .filter(|(_, missing)| *missing > 0)
            .collect()
    }

    fn missing(&self, change: Timestamp) -> u32 {
        let before = self.zone.to_offset(timestamp(change.as_second() - 1));
        let end = self.zone.to_datetime(change);
        let mut local = before.to_datetime(change);
        let mut missing = 0;
        while local < end {
            missing += u32::from(self.naive.matches(local));
            local = local.checked_add(jiff::Span::new().seconds(self.step)).expect("in range");
        }
        missing
    }
}

fn list(item: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = String> {
    prop_oneof![3 => item.clone(), 1 => proptest::collection::vec(item, 2..4).prop_map(|items| items.join(","))]
}

/// A value, a range (also round the end) or steps.
fn values(first: u32, last: u32) -> impl Strategy<Value = String> + Clone {
    let value = first..=last;
    prop_oneof![
        value.clone().prop_map(|value| value.to_string()),
        (value.clone(), value.clone()).prop_map(|(from, to)| format!("{from}-{to}")),
        (value.clone(), value.clone(), 1..=last).prop_map(|(from, to, step)| format!("{from}-{to}/{step}")),
        (value, 1..=last).prop_map(|(from, step)| format!("{from}/{step}")),
        (1..=last).prop_map(|step| format!("*/{step}")),
    ]
}

fn star_or(often: u32, other: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    prop_oneof![often => Just("*".to_owned()), 3 => other]
}

fn days() -> impl Strategy<Value = String> + Clone {
    let special =
        select(vec!["L", "L-1", "L-3", "L-30", "LW", "1W", "15W", "29W", "31W"]).prop_map(str::to_owned);
    prop_oneof![2 => values(1, 31), 1 => special]
}

fn weekdays() -> impl Strategy<Value = String> + Clone {
    let special =
        select(vec!["FRI-MON", "SUN", "7", "4-7", "7-2", "5L", "SUNL", "MON#1", "5#3", "SAT#5", "TUE/2"]);
    prop_oneof![1 => values(0, 6), 1 => special.prop_map(str::to_owned)]
}

fn expressions() -> impl Strategy<Value = String> {
    let hours = prop_oneof![2 => values(0, 3), 1 => values(0, 23)];
    let months = prop_oneof![2 => values(1, 12), 1 => Just("NOV-MAR".to_owned())];
    let parts = (
        star_or(1, list(values(0, 59))),
        star_or(2, list(hours)),
        star_or(6, list(days())),
        star_or(9, list(months)),
        star_or(6, list(weekdays())),
    );
    parts.prop_map(|(minute, hour, day, month, weekday)| format!("{minute} {hour} {day} {month} {weekday}"))
}

/// A zone, and an instant that is near one of its clock changes as often as not.
fn places() -> impl Strategy<Value = (Zone, i64)> {
    let favourites =
        ["America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "America/Sao_Paulo", "Asia/Beirut"];
    let favourites: Vec<Zone> = favourites.iter().filter_map(|name| Zone::find(name)).collect();
    let zone = prop_oneof![select(Zone::all().collect::<Vec<_>>()), select(favourites)];
    // After 1975, when the last zone had come to offsets of whole minutes.
    let place = (zone, 160_000_000_i64..6_000_000_000, -259_200_i64..86_400, any::<bool>());
    place.prop_map(|(zone, at, beside, near)| {
        let data = TimeZoneDatabase::bundled().get(zone.name()).expect("a zone");
        let change = data.following(timestamp(at)).next().map(|change| change.timestamp().as_second());
        (zone, change.filter(|_| near).map_or(at, |change| change + beside))
    })
}

fn check(text: &str, zone: Zone, dst: Dst, after: i64, until: i64, step: i64) -> Result<(), TestCaseError> {
    let naive = Naive::new(text);
    let data = TimeZoneDatabase::bundled().get(zone.name()).expect("a zone");
    let expected = Oracle { naive: &naive, zone: &data, dst, step }.expected(after, until);
    let Ok(cron) = Cron::parse(text, 0) else {
        prop_assert!(expected.instants.is_empty(), "`{}` was refused and can fire", text);
        return Ok(());
    };
    let table = Timetable::Cron { cron, zone, dst };
    let (found, skipped) = walk(&table, after, until);
    prop_assert_eq!(&found, &expected.instants, "`{}` in {:?} with {:?}", text, zone, dst);
    let (after, until) = (wall(after), wall(until));
    prop_assert_eq!(table.count(after, until), found.len() as u64, "count of `{}` in {:?}", text, zone);
    let newest: Vec<_> = found.iter().copied().map(wall).collect();
    prop_assert_eq!(table.newest(after, until, usize::MAX), newest, "newest of `{}` in {:?}", text, zone);
    // Gaps after the last instant belong to one that was not asked for.
    prop_assert!(skipped <= expected.skipped, "{} of {} skipped", skipped, expected.skipped);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fires_as_a_walk_over_minutes_says(
        text in expressions(), (zone, after) in places(), days in 1_i64..40, dst in select(policies().collect::<Vec<_>>()),
    ) {
        check(&text, zone, dst, after, after + days * 86_400, 60)?;
    }

    #[test]
    fn fires_as_a_walk_over_seconds_says(
        second in list(values(0, 59)), text in expressions(), (zone, after) in places(),
        hours in 1_i64..40, dst in select(policies().collect::<Vec<_>>()),
    ) {
        check(&format!("{second} {text}"), zone, dst, after, after + hours * 3_600, 1)?;
    }
}

#[test]
fn skipped_times_are_exactly_the_missing_ones() {
    let data = TimeZoneDatabase::bundled();
    for text in ["30 2 * * *", "*/10 0-3 * * *", "15 1,2 * * SUN", "0 0 * * *"] {
        for name in
            ["America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Pacific/Apia", "Africa/Cairo"]
        {
            let (naive, zone) = (Naive::new(text), data.get(name).expect("a zone"));
            let oracle = Oracle { naive: &naive, zone: &zone, dst: Dst::default(), step: 60 };
            // From 2010 to 2013, with firing times after every gap.
            let expected = oracle.expected(1_262_304_000, 1_356_998_400);
            let zone = Zone::find(name).expect("a zone");
            let table =
                Timetable::Cron { cron: Cron::parse(text, 0).expect("right"), zone, dst: Dst::default() };
            assert_eq!(
                walk(&table, 1_262_304_000, 1_356_998_400),
                (expected.instants, expected.skipped),
                "{text} in {name}"
            );
        }
    }
}
