//! What only the two day fields have: `L`, `L-3`, `15W`, `LW`, `FRIL`, `MON#2`.

use super::piece::Piece;
use super::values::{item, value};
use crate::calendar::{CronError, Field};

/// Masks as in [`crate::calendar::Cron`].
#[derive(Default)]
pub(super) struct DaysOfMonth {
    pub numbers: u32,
    pub from_last: u32,
    pub nearest: u32,
}

#[derive(Default)]
pub(super) struct DaysOfWeek {
    pub every: u8,
    pub nth: u64,
}

/// The last day less so many; one more would be in no month.
const FROM_LAST_MAX: u32 = 30;
/// Place of "the last one" among the six bits of a weekday.
const LAST: u32 = 5;

pub(super) fn of_month(piece: Piece<'_>, seed: u64) -> Result<DaysOfMonth, CronError> {
    const FIELD: Field = Field::DayOfMonth;
    let mut days = DaysOfMonth::default();
    for part in piece.split(',') {
        if part.is("L") {
            days.from_last |= 1;
        } else if part.is("LW") || part.is("WL") {
            days.nearest |= 1;
        } else if let Some(count) = part.without_prefix("L-") {
            let count = count.number().filter(|count| *count <= FROM_LAST_MAX).ok_or_else(|| {
                let advice = format!("use `L-1` to `L-{FROM_LAST_MAX}` for so many days before the last one");
                part.wrong(FIELD, format!("`{}` is not understood", part.text), advice)
            })?;
            days.from_last |= 1 << count;
        } else if let Some(day) = part.without_suffix("W") {
            days.nearest |= 1 << value(FIELD, day)?;
        } else {
            days.numbers |= item(FIELD, part, seed)? as u32;
        }
    }
    Ok(days)
}

pub(super) fn of_week(piece: Piece<'_>, seed: u64) -> Result<DaysOfWeek, CronError> {
    const FIELD: Field = Field::DayOfWeek;
    let mut days = DaysOfWeek::default();
    for part in piece.split(',') {
        if part.is("L") {
            return Err(part.wrong(
                FIELD,
                "`L` alone does not say which weekday",
                "write `FRIL` for the last Friday",
            ));
        }
        if let Some((weekday, nth)) = part.cut('#') {
            let nth = nth.number().filter(|nth| (1..=5).contains(nth)).ok_or_else(|| {
                let wrong = format!("`{}` is not the number of a week", nth.text);
                nth.wrong(FIELD, wrong, "use `MON#1` to `MON#5`, or `MONL` for the last one")
            })?;
            days.nth |= 1 << (value(FIELD, weekday)? % 7 * 6 + nth - 1);
        } else if let Some(weekday) = part.without_suffix("L") {
            days.nth |= 1 << (value(FIELD, weekday)? % 7 * 6 + LAST);
        } else {
            days.every |= item(FIELD, part, seed)? as u8;
        }
    }
    Ok(days)
}
