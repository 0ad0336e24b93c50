//! Matching local times, found by jumping from field to field. A local time is seconds since 1970-01-01 00:00 on the
//! clock of the zone; nothing here knows of zones.

use std::ops::Range;

use super::DAY;
use super::civil::{Month, date};
use super::cron::Cron;

/// No search goes beyond these years; instants end before.
const YEAR_MAX: i32 = 10_000;
const YEAR_MIN: i32 = 1969;

impl Cron {
    /// The first matching local time at or after this one.
    pub(super) fn local_from(&self, from: i64) -> Option<i64> {
        let day = from.div_euclid(DAY);
        let (mut month, of_month) = date(day);
        let days = self.days_of(month);
        if days >> of_month & 1 != 0
            && let Some(time) = self.time_from(from.rem_euclid(DAY) as u32)
        {
            return Some(day * DAY + i64::from(time));
        }
        // Days after this one; the shift by two steps keeps day 31 from overflowing.
        let mut left = days & (u32::MAX << of_month << 1);
        while left == 0 {
            month = self.month_after(month)?;
            left = self.days_of(month);
        }
        let day = month.first_day() + i64::from(left.trailing_zeros()) - 1;
        Some(day * DAY + i64::from(self.first_time()))
    }

    /// The last matching local time before this one.
    pub(super) fn local_before(&self, before: i64) -> Option<i64> {
        let day = before.div_euclid(DAY);
        let (mut month, of_month) = date(day);
        let days = self.days_of(month);
        if days >> of_month & 1 != 0
            && let Some(time) = self.time_before(before.rem_euclid(DAY) as u32)
        {
            return Some(day * DAY + i64::from(time));
        }
        let mut left = days & ((1 << of_month) - 1);
        while left == 0 {
            month = self.month_before(month)?;
            left = self.days_of(month);
        }
        let day = month.first_day() + i64::from(left.ilog2()) - 1;
        Some(day * DAY + i64::from(self.last_time()))
    }

    pub(super) fn matches_local(&self, local: i64) -> bool {
        self.local_from(local) == Some(local)
    }

    /// How many matching local times lie in a range; works month by month.
    pub(super) fn count_local(&self, range: Range<i64>) -> u64 {
        if range.is_empty() {
            return 0;
        }
        let (first, last) = (range.start.div_euclid(DAY), range.end.div_euclid(DAY));
        let before = self.times_before(range.start.rem_euclid(DAY) as u32);
        let until = self.times_before(range.end.rem_euclid(DAY) as u32);
        let (first_counts, last_counts) =
            (self.count_days(first..first + 1), self.count_days(last..last + 1));
        // The whole of every day from the first to before the last, less what the first has before the start.
        let whole = self.count_days(first..last) * u64::from(self.times_a_day());
        whole + last_counts * u64::from(until) - first_counts * u64::from(before)
    }

    fn count_days(&self, range: Range<i64>) -> u64 {
        let mut count = 0;
        let mut day = range.start;
        while day < range.end {
            let (month, of_month) = date(day);
            let following = month.following().first_day();
            let mut days = self.days_of(month) & (u32::MAX << of_month);
            if following > range.end {
                let end = range.end - month.first_day() + 1;
                days &= (1 << end) - 1;
            }
            count += u64::from(days.count_ones());
            day = following;
        }
        count
    }

    fn month_after(&self, month: Month) -> Option<Month> {
        let left = u32::from(self.months) & (u32::MAX << (month.month + 1));
        let found = if left != 0 {
            Month { year: month.year, month: left.trailing_zeros() }
        } else {
            Month { year: month.year + 1, month: self.months.trailing_zeros() }
        };
        (found.year <= YEAR_MAX).then_some(found)
    }

    fn month_before(&self, month: Month) -> Option<Month> {
        let left = u32::from(self.months) & ((1 << month.month) - 1);
        let found = if left != 0 {
            Month { year: month.year, month: left.ilog2() }
        } else {
            Month { year: month.year - 1, month: self.months.ilog2() }
        };
        (found.year >= YEAR_MIN).then_some(found)
    }

    fn first_time(&self) -> u32 {
        time(self.hours.trailing_zeros(), self.minutes.trailing_zeros(), self.seconds.trailing_zeros())
    }

    fn last_time(&self) -> u32 {
        time(self.hours.ilog2(), self.minutes.ilog2(), self.seconds.ilog2())
    }

    /// The first matching second of a day at or after this one.
    fn time_from(&self, from: u32) -> Option<u32> {
        let (hour, minute, second) = (from / 3600, from / 60 % 60, from % 60);
        let (first_minute, first_second) = (self.minutes.trailing_zeros(), self.seconds.trailing_zeros());
        if self.hours >> hour & 1 != 0 {
            if self.minutes >> minute & 1 != 0 {
                let seconds = self.seconds & (u64::MAX << second);
                if seconds != 0 {
                    return Some(time(hour, minute, seconds.trailing_zeros()));
                }
            }
            let minutes = self.minutes & (u64::MAX << (minute + 1));
            if minutes != 0 {
                return Some(time(hour, minutes.trailing_zeros(), first_second));
            }
        }
        let hours = self.hours & (u32::MAX << (hour + 1));
        (hours != 0).then(|| time(hours.trailing_zeros(), first_minute, first_second))
    }

    /// The last matching second of a day before this one.
    fn time_before(&self, before: u32) -> Option<u32> {
        let (hour, minute, second) = (before / 3600, before / 60 % 60, before % 60);
        if self.hours >> hour & 1 != 0 {
            if self.minutes >> minute & 1 != 0 {
                let seconds = self.seconds & ((1 << second) - 1);
                if seconds != 0 {
                    return Some(time(hour, minute, seconds.ilog2()));
                }
            }
            let minutes = self.minutes & ((1 << minute) - 1);
            if minutes != 0 {
                return Some(time(hour, minutes.ilog2(), self.seconds.ilog2()));
            }
        }
        let hours = self.hours & ((1 << hour) - 1);
        (hours != 0).then(|| time(hours.ilog2(), self.minutes.ilog2(), self.seconds.ilog2()))
    }

    fn times_a_day(&self) -> u32 {
        self.hours.count_ones() * self.minutes.count_ones() * self.seconds.count_ones()
    }

    /// How many matching seconds of a day lie before this one.
    fn times_before(&self, before: u32) -> u32 {
        let (hour, minute, second) = (before / 3600, before / 60 % 60, before % 60);
        let (a_minute, a_hour) =
            (self.seconds.count_ones(), self.minutes.count_ones() * self.seconds.count_ones());
        let mut count = (self.hours & ((1 << hour) - 1)).count_ones() * a_hour;
        if self.hours >> hour & 1 != 0 {
            count += (self.minutes & ((1 << minute) - 1)).count_ones() * a_minute;
            if self.minutes >> minute & 1 != 0 {
                count += (self.seconds & ((1 << second) - 1)).count_ones();
            }
        }
        count
    }
}

fn time(hour: u32, minute: u32, second: u32) -> u32 {
    hour * 3600 + minute * 60 + second
}
