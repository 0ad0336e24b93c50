//! Reads cron expressions. Only the form is read here; what fires is in `days` and `search`.

mod days;
mod piece;
mod values;

use self::piece::Piece;
use super::CRON_BYTES_MAX;
use super::cron::{Cron, Traits};
use super::error::{CronError, Field};

/// The names that stand for whole expressions.
const ALIASES: [(&str, &str); 7] = [
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * 0"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];

pub(super) fn parse(text: &str, seed: u64) -> Result<Cron, CronError> {
    if text.len() > CRON_BYTES_MAX {
        let wrong = format!("the expression has {} bytes, and at most {CRON_BYTES_MAX} are read", text.len());
        return Err(CronError::whole(wrong, "write ranges and steps instead of long lists"));
    }
    let text = match text.trim_start().strip_prefix('@') {
        Some(_) => alias(text.trim())?,
        None => text,
    };
    let pieces = split(text);
    let cron = match pieces.as_slice() {
        &[minute, hour, day, month, weekday] => {
            read([None, Some(minute), Some(hour), Some(day), Some(month), Some(weekday)], seed)
        }
        &[second, minute, hour, day, month, weekday] => {
            read([Some(second), Some(minute), Some(hour), Some(day), Some(month), Some(weekday)], seed)
        }
        other => Err(wrong_count(other.len())),
    }?;
    if can_fire(&cron) { Ok(cron) } else { Err(never()) }
}

fn alias(text: &str) -> Result<&'static str, CronError> {
    let found = ALIASES.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    found.map(|(_, meaning)| meaning).ok_or_else(|| {
        let advice = if text.to_ascii_lowercase().starts_with("@every") {
            "use a schedule with an interval, which needs no cron expression".to_owned()
        } else {
            format!("use one of {}, or five fields", ALIASES.map(|(name, _)| format!("`{name}`")).join(", "))
        };
        CronError::whole(format!("there is no `{text}`"), advice)
    })
}

fn split(text: &str) -> Vec<Piece<'_>> {
    let words = text.split_ascii_whitespace();
    words.map(|word| Piece { text: word, at: word.as_ptr().addr() - text.as_ptr().addr() }).collect()
}

fn wrong_count(count: usize) -> CronError {
    let order = "write `minute hour day-of-month month day-of-week`, with the second before it if needed";
    match count {
        0 => CronError::whole("the expression is empty", order),
        7 => CronError::whole(
            "the expression has 7 fields, and there is no field for the year",
            "leave the year out; use instants for what happens in one year only",
        ),
        1 => CronError::whole("the expression has 1 field instead of 5 or 6", order),
        _ => CronError::whole(format!("the expression has {count} fields instead of 5 or 6"), order),
    }
}

fn read(pieces: [Option<Piece<'_>>; 6], seed: u64) -> Result<Cron, CronError> {
    let mask = |field: Field| match pieces[field as usize] {
        Some(piece) => values::field(field, piece, seed),
        None => Ok(1),
    };
    let day = pieces[Field::DayOfMonth as usize].unwrap_or_default();
    let weekday = pieces[Field::DayOfWeek as usize].unwrap_or_default();
    let hour = pieces[Field::Hour as usize].unwrap_or_default();
    let seconds = mask(Field::Second)?;
    let minutes = mask(Field::Minute)?;
    let hours = mask(Field::Hour)? as u32;
    let days = days::of_month(day, seed)?;
    let months = mask(Field::Month)? as u16;
    let weekdays = days::of_week(weekday, seed)?;
    let free = |piece: Piece<'_>| piece.text.starts_with(['*', '?']);
    // `0/n` is `*/n` in other words, and `H/n` with another start.
    let steps = (hour.has_prefix("0/") || hour.has_prefix("H/")) && !hour.text.contains(',');
    let through = hour.text.starts_with('*') || steps;
    Ok(Cron {
        seconds,
        minutes,
        hours,
        days: days.numbers,
        from_last: days.from_last,
        nearest: days.nearest,
        months,
        weekdays: weekdays.every,
        nth: weekdays.nth,
        traits: Traits::default()
            .with(Traits::BOTH_DAYS, free(day) || free(weekday))
            .with(Traits::RUNS_THROUGH, through),
    })
}

/// Looks at every kind of month there is: 12 of them, in leap years and others, beginning with each weekday. All of
/// these come within 400 years.
pub(super) fn can_fire(cron: &Cron) -> bool {
    let lengths = |month: u32| match month {
        2 => 28..=29,
        4 | 6 | 9 | 11 => 30..=30,
        _ => 31..=31,
    };
    (1..=12)
        .filter(|month| cron.months >> month & 1 != 0)
        .flat_map(lengths)
        .any(|length| (0..7).any(|first| cron.days_in(length, first) != 0))
}

fn never() -> CronError {
    CronError::whole(
        "the expression can never fire: no month that it names has such a day",
        "check day of month and month against each other; `L` is the last day of any month",
    )
}
