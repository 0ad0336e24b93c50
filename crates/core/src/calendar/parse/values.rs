//! What all fields have: numbers, names, lists, ranges, steps, `*` and `H`.

use super::piece::Piece;
use crate::calendar::{CronError, Field};
use crate::values::Chance;

/// `H` stays below, so that it means a day of every month.
const DRAWN_DAY_MAX: u32 = 28;

/// The bits of a field without special forms.
pub(super) fn field(field: Field, piece: Piece<'_>, seed: u64) -> Result<u64, CronError> {
    piece.split(',').try_fold(0, |mask, part| Ok(mask | item(field, part, seed)?))
}

/// One part of a list.
pub(super) fn item(field: Field, piece: Piece<'_>, seed: u64) -> Result<u64, CronError> {
    let (range, step) = match piece.cut('/') {
        Some((range, step)) => (range, Some(step)),
        None => (piece, None),
    };
    if let Some(rest) =
        range.without_prefix("H").filter(|rest| rest.text.is_empty() || rest.text.starts_with('('))
    {
        return drawn(field, rest, step, seed);
    }
    let (first, _) = field.bounds();
    let last = field.last();
    if range.text == "?" {
        return question_mark(field, piece);
    }
    if range.text == "*" {
        let step = step.map_or(Ok(1), |step| read_step(field, step, field.bounds().1))?;
        return Ok(sequence(field, first, last, step));
    }
    let (from, to) = ends(field, range, step.is_some())?;
    let step = step.map_or(Ok(1), |step| read_step(field, step, last - first + 1))?;
    Ok(sequence(field, from, to, step))
}

fn question_mark(field: Field, piece: Piece<'_>) -> Result<u64, CronError> {
    if piece.text != "?" {
        return Err(piece.wrong(
            field,
            format!("`{}` is not understood", piece.text),
            "write `?` alone, or use `*`",
        ));
    }
    match field {
        Field::DayOfMonth | Field::DayOfWeek => Ok(sequence(field, field.bounds().0, field.last(), 1)),
        _ => Err(piece.wrong(field, "`?` stands for any day, not for any other field", "use `*`")),
    }
}

/// The two ends of a range; those of a single value are the same, unless a step follows it.
fn ends(field: Field, range: Piece<'_>, stepped: bool) -> Result<(u32, u32), CronError> {
    // A range that begins with Sunday begins the week; one that ends with it may end the week.
    let start = |piece| value(field, piece).map(|from| if from > field.last() { 0 } else { from });
    if let Some((from, to)) = range.cut('-') {
        return Ok((start(from)?, value(field, to)?));
    }
    let from = start(range)?;
    Ok((from, if stepped { field.last() } else { from }))
}

/// A number or a name, within the bounds of its field.
pub(super) fn value(field: Field, piece: Piece<'_>) -> Result<u32, CronError> {
    let (first, last) = field.bounds();
    let names = field.names();
    let known = match names.iter().position(|name| piece.is(name)) {
        Some(at) => Some(first + at as u32),
        None => piece.number(),
    };
    let allowed = || match (names.first(), names.last()) {
        (Some(a), Some(b)) => format!("use {first} to {last}, or {a} to {b}"),
        _ => format!("use {first} to {last}"),
    };
    match known {
        Some(known) if (first..=last).contains(&known) => Ok(known),
        Some(known) => Err(piece.wrong(field, format!("{known} is out of range"), allowed())),
        None if piece.text.is_empty() => Err(piece.wrong(field, "a value is missing", allowed())),
        None => Err(piece.wrong(field, format!("`{}` is not understood", piece.text), allowed())),
    }
}

fn read_step(field: Field, step: Piece<'_>, max: u32) -> Result<u32, CronError> {
    let advice = || format!("use a step of 1 to {max}");
    match step.number() {
        Some(0) => Err(step.wrong(field, "a step of 0 never moves on", advice())),
        Some(number) if number > max => {
            let wrong = format!("a step of {number} is longer than the field, which starts anew after {max}");
            Err(step.wrong(field, wrong, advice()))
        }
        Some(number) => Ok(number),
        None => Err(step.wrong(field, format!("`{}` is not a step", step.text), advice())),
    }
}

/// Bits from `from` to `to`, round the end of the field if `to` comes first.
fn sequence(field: Field, from: u32, to: u32, step: u32) -> u64 {
    let (first, last) = (field.bounds().0, field.last());
    let count = last - first + 1;
    let length = if to >= from { to - from } else { to + count - from };
    (0..=length)
        .step_by(step as usize)
        .fold(0, |mask, ahead| mask | 1 << (first + (from - first + ahead) % count))
}

/// `H`, `H/n`, `H(a-b)` and `H(a-b)/n`: a value, or the start of steps, drawn from the seed.
fn drawn(field: Field, range: Piece<'_>, step: Option<Piece<'_>>, seed: u64) -> Result<u64, CronError> {
    let (first, last) = (field.bounds().0, field.last());
    let (from, to) = match range.without_prefix("(") {
        Some(inner) => drawn_range(field, inner)?,
        None if field == Field::DayOfMonth => (first, DRAWN_DAY_MAX),
        None => (first, last),
    };
    let count = to - from + 1;
    let step = step.map(|step| read_step(field, step, count)).transpose()?;
    // One draw for each field, or minute and hour would always go together.
    let mut chance = Chance::new(seed ^ (field as u64 + 1).rotate_left(32));
    let start = from + chance.below(u64::from(step.unwrap_or(count))) as u32;
    Ok(sequence(field, start, if step.is_some() { to } else { start }, step.unwrap_or(1)))
}

fn drawn_range(field: Field, inner: Piece<'_>) -> Result<(u32, u32), CronError> {
    let advice = "write it as `H(0-7)`, with the smaller value first";
    let ends = inner.without_suffix(")").and_then(|inner| inner.cut('-'));
    let Some((from, to)) = ends else {
        return Err(inner.wrong(field, "the range of `H` is not understood", advice));
    };
    let (from_value, to_value) = (value(field, from)?, value(field, to)?.min(field.last()));
    if from_value > to_value {
        return Err(from.wrong(field, "the range of `H` is empty", advice));
    }
    Ok((from_value, to_value))
}
