//! Which days of a month match.

use super::civil::{Month, weekday};
use super::cron::{Cron, Traits};

/// Days 1, 8, 15, 22 and 29.
const EVERY_SEVENTH: u32 = 0x2040_8102;

impl Cron {
    /// The matching days of a month, bits 1 to 31; 0 in a month that does not match.
    pub(super) fn days_of(&self, month: Month) -> u32 {
        if self.months >> month.month & 1 == 0 {
            return 0;
        }
        self.days_in(month.length(), weekday(month.first_day()))
    }

    /// The same of any month with so many days that begins with this weekday.
    pub(super) fn days_in(&self, length: u32, first: u32) -> u32 {
        let by_number = self.days | self.days_from_last(length) | self.days_nearest(length, first);
        let by_weekday = self.days_of_week(first) | self.days_of_nth(length, first);
        let matching =
            if self.traits.has(Traits::BOTH_DAYS) { by_number & by_weekday } else { by_number | by_weekday };
        matching & all_days(length)
    }

    fn days_from_last(&self, length: u32) -> u32 {
        // Bit 0 becomes bit `length`, bit 1 the one before; what falls below day 1 goes with the mask of all days.
        self.from_last.reverse_bits() >> (31 - length)
    }

    fn days_nearest(&self, length: u32, first: u32) -> u32 {
        bits(self.nearest).fold(0, |days, bit| match bit {
            0 => days | 1 << last_weekday(length, first),
            day if day <= length => days | 1 << nearest_weekday(day, length, first),
            _ => days,
        })
    }

    fn days_of_week(&self, first: u32) -> u32 {
        let from_first = (u32::from(self.weekdays) << 7 | u32::from(self.weekdays)) >> first & 0x7f;
        // One copy a week; the factor is EVERY_SEVENTH moved to bit 0, the shift brings it back to day 1.
        from_first.wrapping_mul(EVERY_SEVENTH >> 1) << 1
    }

    fn days_of_nth(&self, length: u32, first: u32) -> u32 {
        let mut left = self.nth;
        let mut days = 0;
        while left != 0 {
            let bit = left.trailing_zeros();
            left &= left - 1;
            let earliest = 1 + (bit / 6 + 7 - first) % 7;
            let day = match bit % 6 {
                5 => earliest + (length - earliest) / 7 * 7,
                week => earliest + 7 * week,
            };
            // A fifth one may not exist.
            days |= if day <= length { 1 << day } else { 0 };
        }
        days
    }
}

/// Bits 1 to `length`.
fn all_days(length: u32) -> u32 {
    u32::MAX >> (31 - length) & !1
}

fn bits(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |bit| mask >> bit & 1 != 0)
}

fn weekday_of(day: u32, first: u32) -> u32 {
    (first + day - 1) % 7
}

/// Monday to Friday, never in another month than the day asked for.
fn nearest_weekday(day: u32, length: u32, first: u32) -> u32 {
    match weekday_of(day, first) {
        6 if day == 1 => 3,
        6 => day - 1,
        0 if day == length => day - 2,
        0 => day + 1,
        _ => day,
    }
}

fn last_weekday(length: u32, first: u32) -> u32 {
    match weekday_of(length, first) {
        6 => length - 1,
        0 => length - 2,
        _ => length,
    }
}
