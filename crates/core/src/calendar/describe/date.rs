//! Days and months in words.

use super::words::{bits, list, numbers, ordinal, run, step};
use crate::calendar::Cron;
use crate::calendar::cron::Traits;

const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const NTH: [&str; 6] = ["first", "second", "third", "fourth", "fifth", "last"];

/// The days; `daily` says so when all of them match.
pub(super) fn days(cron: &Cron, daily: bool) -> String {
    let any_number = cron.days.count_ones() == 31;
    let any_weekday = cron.weekdays == 0x7f;
    match (any_number, any_weekday, cron.traits.has(Traits::BOTH_DAYS)) {
        (true, true, _) | (true, false, false) | (false, true, false) if daily => "every day".to_owned(),
        (true, true, _) | (true, false, false) | (false, true, false) => String::new(),
        (true, false, true) => format!("on {}", of_week(cron, "s")),
        (false, true, true) => format!("on {}", of_month(cron)),
        (false, false, true) => format!("on {}, if it is {}", of_month(cron), of_week(cron, "")),
        (false, false, false) => format!("on {} or on {}", of_month(cron), of_week(cron, "s")),
    }
}

pub(super) fn months(cron: &Cron) -> String {
    let months = bits(u64::from(cron.months));
    let name = |month: u32| MONTHS[month as usize - 1].to_owned();
    match run(&months, 1, 12) {
        _ if months.len() == 12 => String::new(),
        Some((first, last)) if months.len() > 2 => format!("from {} to {}", name(first), name(last)),
        _ => {
            let names: Vec<String> = months.into_iter().map(name).collect();
            format!("in {}", list(&names, "and"))
        }
    }
}

fn of_month(cron: &Cron) -> String {
    let numbered = bits(u64::from(cron.days));
    let mut parts = Vec::new();
    match (numbered.as_slice(), step(&numbered)) {
        ([], _) => {}
        ([one], _) => parts.push(format!("day {one} of the month")),
        ([first, .., last], Some(1)) => parts.push(format!("days {first} to {last} of the month")),
        ([first, .., last], Some(step)) => {
            parts.push(format!("every {} day from day {first} to {last} of the month", ordinal(step)));
        }
        (several, None) => parts.push(format!("days {} of the month", numbers(several))),
    }
    parts.extend(bits(u64::from(cron.from_last)).into_iter().map(|before| match before {
        0 => "the last day of the month".to_owned(),
        1 => "the day before the last day of the month".to_owned(),
        _ => format!("the day {before} days before the last day of the month"),
    }));
    parts.extend(bits(u64::from(cron.nearest)).into_iter().map(|day| match day {
        0 => "the last weekday of the month".to_owned(),
        _ => format!("the weekday nearest to day {day} of the month"),
    }));
    list(&parts, "and")
}

/// `plural` is what follows each weekday: `s`, or nothing.
fn of_week(cron: &Cron, plural: &str) -> String {
    let name = |weekday: u32| WEEKDAYS[weekday as usize];
    let every = bits(u64::from(cron.weekdays));
    let mut parts: Vec<String> = match cron.weekdays {
        0b011_1110 => vec![format!("{}weekday{plural}", if plural.is_empty() { "a " } else { "" })],
        0b100_0001 => vec!["weekends".to_owned()],
        _ => match run(&every, 0, 6) {
            Some((first, last)) if every.len() > 2 => vec![format!("{} to {}", name(first), name(last))],
            _ => every.into_iter().map(|weekday| format!("{}{plural}", name(weekday))).collect(),
        },
    };
    parts.extend(
        bits(cron.nth)
            .into_iter()
            .map(|bit| format!("the {} {} of the month", NTH[bit as usize % 6], name(bit / 6))),
    );
    list(&parts, if plural.is_empty() { "or" } else { "and" })
}
