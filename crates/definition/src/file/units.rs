//! Durations and sizes as people write them: `90s`, `1.5h`, `512MiB`.

use mainspring_core::values::Millis;

use crate::limits::DURATION_MAX_MS;

pub const DURATIONS: &str = "`500ms`, `30s`, `5m`, `2h`, `1d`, or a number of seconds";
pub const SIZES: &str = "`512MiB`, `1GB`, or a number of bytes";

const TIME_UNITS: [(&str, u64); 5] =
    [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

const SIZE_UNITS: [(&str, u64); 14] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("Ki", 1 << 10),
    ("Mi", 1 << 20),
    ("Gi", 1 << 30),
    ("Ti", 1 << 40),
    ("kB", 1_000),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("B", 1),
];

/// Several parts may follow each other: `1h 30m`.
pub fn duration(text: &str) -> Result<Millis, String> {
    let mut ms = 0_u64;
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err("it is empty".to_owned());
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let factor = TIME_UNITS.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
        let part = factor.and_then(|factor| scaled(number, factor));
        ms = part
            .and_then(|part| ms.checked_add(part))
            .ok_or_else(|| format!("`{text}` is not a duration"))?;
        rest = after.trim_start();
    }
    checked(ms)
}

pub fn checked(ms: u64) -> Result<Millis, String> {
    if ms > DURATION_MAX_MS {
        return Err("it is longer than a year".to_owned());
    }
    Ok(Millis::new(ms))
}

pub fn size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let unit = SIZE_UNITS.iter().find_map(|(name, factor)| Some((text.strip_suffix(name)?, *factor)));
    let (number, factor) = unit.unwrap_or((text, 1));
    scaled(number.trim_end(), factor).ok_or_else(|| format!("`{text}` is not a size"))
}

/// A decimal number times a factor, exactly; parts of the smallest unit are dropped.
fn scaled(number: &str, factor: u64) -> Option<u64> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(part) || part.len() > 9 {
        return None;
    }
    let part_value = if part.is_empty() { 0 } else { part.parse::<u128>().ok()? };
    let scale = 10_u128.pow(part.len() as u32);
    let total = whole.parse::<u128>().ok()?.checked_mul(u128::from(factor))?;
    u64::try_from(total.checked_add(part_value * u128::from(factor) / scale)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let rows = [
            ("500ms", Some(500)),
            ("1.5h", Some(5_400_000)),
            ("1h 30m", Some(5_400_000)),
            ("1h30m", Some(5_400_000)),
            ("0s", Some(0)),
            ("5", None),
            ("5 parsecs", None),
            ("-5s", None),
            ("", None),
            ("..s", None),
            ("99999999999999999999s", None),
            ("367d", None),
        ];
        for (text, ms) in rows {
            assert_eq!(duration(text).ok().map(Millis::get), ms, "{text}");
        }
    }

    #[test]
    fn sizes() {
        let rows = [
            ("512MiB", Some(512 << 20)),
            ("1.5 GiB", Some(3 << 29)),
            ("1GB", Some(1_000_000_000)),
            ("10", Some(10)),
            ("10B", Some(10)),
            ("MiB", None),
            ("1e3", None),
            ("99999999999TiB", None),
        ];
        for (text, bytes) in rows {
            assert_eq!(size(text).ok(), bytes, "{text}");
        }
    }
}
