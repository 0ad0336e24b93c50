//! The calendar against others: vectors from outside, an oracle that goes minute by minute, and tables over all zones.
//! Everything here goes through the public door only.

mod naive;
mod oracle;
mod questions;
mod vectors;
mod years;

use jiff::Timestamp;
use mainspring_core::calendar::{Dst, Missing, Timetable, Twice};
use mainspring_core::values::Wall;

fn policies() -> impl Iterator<Item = Dst> {
    Missing::ALL
        .into_iter()
        .flat_map(|missing| Twice::ALL.into_iter().map(move |twice| Dst { missing, twice }))
}

fn wall(seconds: i64) -> Wall {
    Wall::from_millis(u64::try_from(seconds).expect("after 1970") * 1000)
}

fn seconds(at: Wall) -> i64 {
    assert_eq!(at.millis() % 1000, 0, "cron fires at whole seconds");
    (at.millis() / 1000) as i64
}

fn timestamp(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).expect("in range")
}

/// Instants in (`after`, `until`] by asking for one after the other, and how many local times were skipped on the way.
fn walk(table: &Timetable, after: i64, until: i64) -> (Vec<i64>, u32) {
    let (mut at, mut skipped, mut found) = (wall(after), 0, Vec::new());
    while let Some(next) = table.next(at) {
        assert!(next.at > at, "instants increase");
        at = next.at;
        if seconds(at) > until {
            break;
        }
        skipped += next.skipped;
        found.push(seconds(at));
    }
    (found, skipped)
}
