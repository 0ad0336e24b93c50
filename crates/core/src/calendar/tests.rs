//! Reading, describing and the shapes of days; what fires is compared with an oracle in `tests/calendar.rs`.

mod clock_changes;
mod describing;
mod reading;
mod zones;

use super::cron::Cron;
use super::dst::Dst;
use super::timetable::Timetable;
use super::zone::Zone;
use crate::values::Wall;

fn cron(text: &str) -> Cron {
    Cron::parse(text, 7).unwrap_or_else(|error| panic!("`{text}`: {error}"))
}

fn timetable(text: &str, zone: &str, dst: Dst) -> Timetable {
    Timetable::Cron { cron: cron(text), zone: Zone::find(zone).expect("a zone"), dst }
}

fn instant(text: &str) -> Wall {
    let at: jiff::Timestamp = text.parse().expect("an instant");
    Wall::from_millis(at.as_millisecond() as u64)
}

fn text(at: Wall) -> String {
    jiff::Timestamp::from_millisecond(at.millis() as i64).expect("in range").to_string()
}

fn next_texts(table: &Timetable, after: &str, count: usize) -> Vec<String> {
    let mut after = instant(after);
    let mut found = Vec::new();
    while found.len() < count
        && let Some(next) = table.next(after)
    {
        found.push(text(next.at));
        after = next.at;
    }
    found
}
