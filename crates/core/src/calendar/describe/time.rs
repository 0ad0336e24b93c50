//! The time of day in words.

use super::words::{bits, list, numbers, run, step};
use crate::calendar::Cron;

/// So many times of day are listed one by one.
const LISTED_MAX: usize = 6;

pub(super) struct Time {
    pub text: String,
    /// Times of day rather than a rhythm: without days it has to say "every day".
    pub fixed: bool,
}

pub(super) fn describe(cron: &Cron) -> Time {
    let (seconds, minutes, hours) = (bits(cron.seconds), bits(cron.minutes), bits(u64::from(cron.hours)));
    if seconds.len() * minutes.len() * hours.len() <= LISTED_MAX {
        return Time { text: format!("at {}", listed(&seconds, &minutes, &hours)), fixed: true };
    }
    let in_hours = in_hours(&hours);
    let text = if seconds == [0] {
        if minutes == [0] {
            return Time { text: every_hours(&hours), fixed: false };
        }
        format!("{} {in_hours}", rhythm("minute", "of the hour", &minutes))
    } else if minutes.len() == 60 {
        format!("{} {in_hours}", rhythm("second", "of the minute", &seconds))
    } else {
        let of = format!("of {}", plural("minute", &minutes));
        format!("{} {in_hours}", rhythm("second", &of, &seconds))
    };
    Time { text: text.trim_end().to_owned(), fixed: false }
}

fn listed(seconds: &[u32], minutes: &[u32], hours: &[u32]) -> String {
    let mut times = Vec::new();
    for hour in hours {
        for minute in minutes {
            for second in seconds {
                times.push(match seconds {
                    [0] => format!("{hour:02}:{minute:02}"),
                    _ => format!("{hour:02}:{minute:02}:{second:02}"),
                });
            }
        }
    }
    list(&times, "and")
}

fn plural(unit: &str, values: &[u32]) -> String {
    format!("{unit}{} {}", if values.len() == 1 { "" } else { "s" }, numbers(values))
}

/// "every 15 minutes", "every 15 minutes from minute 5", "at minutes 1 and 7 of the hour".
fn rhythm(unit: &str, of: &str, values: &[u32]) -> String {
    let (first, last) = (values.first().copied().unwrap_or(0), values.last().copied().unwrap_or(0));
    // In a list of minutes "of minute 5" has to be said even if seconds go round.
    let suffix = if of.starts_with("of the ") { String::new() } else { format!(" {of}") };
    match step(values) {
        Some(1) if values.len() == 60 => format!("every {unit}{suffix}"),
        Some(step) if 60 % step == 0 && values.len() as u32 == 60 / step => match first {
            0 => format!("every {step} {unit}s{suffix}"),
            _ => format!("every {step} {unit}s from {unit} {first}{suffix}"),
        },
        Some(1) => format!("every {unit} from {first} to {last} {of}"),
        Some(step) => format!("every {step} {unit}s from {first} to {last} {of}"),
        None => format!("at {} {of}", plural(unit, values)),
    }
}

fn every_hours(hours: &[u32]) -> String {
    match step(hours) {
        Some(1) if hours.len() == 24 => "every hour".to_owned(),
        Some(step) if 24 % step == 0 && hours.len() as u32 == 24 / step => match hours.first() {
            Some(0) => format!("every {step} hours"),
            first => format!("every {step} hours from {:02}:00", first.copied().unwrap_or(0)),
        },
        _ => match run(hours, 0, 23) {
            Some((first, last)) => format!("every hour from {first:02}:00 to {last:02}:00"),
            None => format!("at minute 0 {}", in_hours(hours)),
        },
    }
}

/// "between 09:00 and 17:59", "in hours 1, 5 and 9"; nothing for all hours.
fn in_hours(hours: &[u32]) -> String {
    match (run(hours, 0, 23), step(hours)) {
        _ if hours.len() == 24 => String::new(),
        (Some((first, last)), _) => format!("between {first:02}:00 and {last:02}:59"),
        (None, Some(step))
            if hours.first() == Some(&0) && 24 % step == 0 && hours.len() as u32 == 24 / step =>
        {
            format!("in every {} hour", super::words::ordinal(step))
        }
        (None, _) => format!("in {}", plural("hour", hours)),
    }
}
