//! Whether a local time matches a cron expression, read anew from its text for every question. Slow, and shares nothing
//! with the masks of the calendar.

use jiff::civil::{Date, DateTime};

const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

pub struct Naive {
    fields: [String; 6],
}

impl Naive {
    pub fn new(text: &str) -> Self {
        let mut fields: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        if fields.len() == 5 {
            fields.insert(0, "0".to_owned());
        }
        Self { fields: fields.try_into().expect("five or six fields") }
    }

    pub fn runs_through(&self) -> bool {
        let hours = &self.fields[2];
        hours.starts_with('*') || (hours.starts_with("0/") && !hours.contains(','))
    }

    pub fn date(&self, date: Date) -> bool {
        let [_, _, _, days, months, weekdays] = &self.fields;
        let month = plain(months, date.month().into(), 1, 12, &MONTHS);
        let day = days.split(',').any(|part| day_of_month(part, date));
        let weekday = weekdays.split(',').any(|part| day_of_week(part, date));
        let free = |text: &str| text.starts_with('*') || text == "?";
        month && if free(days) || free(weekdays) { day && weekday } else { day || weekday }
    }

    pub fn matches(&self, at: DateTime) -> bool {
        let [seconds, minutes, hours, ..] = &self.fields;
        plain(seconds, at.second().into(), 0, 59, &[])
            && plain(minutes, at.minute().into(), 0, 59, &[])
            && plain(hours, at.hour().into(), 0, 23, &[])
            && self.date(at.date())
    }
}

fn number(text: &str, first: i32, names: &[&str]) -> i32 {
    match names.iter().position(|name| *name == text) {
        Some(at) => first + at as i32,
        None => text.parse().unwrap_or_else(|_| panic!("`{text}` is no number")),
    }
}

fn plain(text: &str, value: i32, first: i32, last: i32, names: &[&str]) -> bool {
    text.split(',').any(|part| {
        let (range, step) = part.split_once('/').unwrap_or((part, ""));
        let (from, to) = match range.split_once('-') {
            Some((from, to)) => (number(from, first, names), number(to, first, names)),
            None if range == "*" || range == "?" => (first, last),
            None if step.is_empty() => (number(range, first, names), number(range, first, names)),
            None => (number(range, first, names), last),
        };
        let step = if step.is_empty() { 1 } else { number(step, 0, &[]) };
        // Goes from value to value as a person would, and round the end.
        let (mut at, mut gone) = (from, 0);
        loop {
            if at == value && gone % step == 0 {
                return true;
            }
            if at == to {
                return false;
            }
            at = if at == last { first } else { at + 1 };
            gone += 1;
        }
    })
}

fn is_working(date: Date) -> bool {
    date.weekday().to_sunday_zero_offset() % 6 != 0
}

fn day_of_month(part: &str, date: Date) -> bool {
    let last = date.last_of_month();
    let day = i32::from(date.day());
    if part == "L" {
        return date == last;
    }
    if part == "LW" {
        let after = i32::from(last.day()) - day;
        return is_working(date) && (1..=after).all(|ahead| !is_working(moved(date, ahead)));
    }
    if let Some(before) = part.strip_prefix("L-") {
        return i32::from(last.day()) - day == number(before, 0, &[]);
    }
    if let Some(wanted) = part.strip_suffix('W') {
        let wanted = number(wanted, 0, &[]);
        // Nearest first; where both sides are equally far there is always a day between.
        let order = [0, -1, 1, -2, 2].map(|ahead| wanted + ahead);
        let fits = |day: &i32| {
            (1..=i32::from(last.day())).contains(day) && is_working(moved(date.first_of_month(), day - 1))
        };
        return wanted <= i32::from(last.day()) && order.into_iter().find(fits) == Some(day);
    }
    plain(part, day, 1, 31, &[])
}

fn moved(date: Date, days: i32) -> Date {
    date.checked_add(jiff::Span::new().days(days)).expect("in range")
}

fn day_of_week(part: &str, date: Date) -> bool {
    let weekday = i32::from(date.weekday().to_sunday_zero_offset());
    let week = (date.day() - 1) / 7 + 1;
    if let Some((wanted, nth)) = part.split_once('#') {
        return number(wanted, 0, &WEEKDAYS) % 7 == weekday && number(nth, 0, &[]) == i32::from(week);
    }
    if let Some(wanted) = part.strip_suffix('L') {
        return number(wanted, 0, &WEEKDAYS) % 7 == weekday && date.day() + 7 > date.days_in_month();
    }
    if part.starts_with("7-") || part.starts_with("7/") {
        return day_of_week(&format!("0{}", &part[1..]), date);
    }
    match part.replace("-7", "-0") == *part {
        true if part == "7" => weekday == 0,
        true => plain(part, weekday, 0, 6, &WEEKDAYS),
        // Up to Sunday: goes round the end of the week.
        false => plain(&part.replace("-7", "-0"), weekday, 0, 6, &WEEKDAYS),
    }
}
