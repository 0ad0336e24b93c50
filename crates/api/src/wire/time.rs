//! Instants: RFC 3339 or epoch seconds in, RFC 3339 in UTC out; gRPC has its own forms of both.

use std::fmt;

use jiff::Timestamp;
use mainspring_core::values::{Millis, Wall};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::{Serialize, Serializer};

use crate::problem::Problem;

/// The last second of the year 9999; a greater number is most likely milliseconds.
pub(super) const SECONDS_MAX: f64 = 253_402_300_799.0;

/// An instant as a caller writes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeBody(pub Wall);

impl TimeBody {
    pub fn from_seconds(seconds: f64) -> Result<Self, &'static str> {
        if seconds.is_nan() || seconds > SECONDS_MAX {
            return Err("a number is seconds since 1970, and this one lies after the year 9999");
        }
        // Before 1970 is long past: at once.
        Ok(Self(Wall::from_millis((seconds.max(0.0) * 1000.0).round() as u64)))
    }
}

/// An instant as callers read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment(pub Wall);

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&written(self.0))
    }
}

impl<'de> Deserialize<'de> for TimeBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TimeVisitor;

        impl Visitor<'_> for TimeVisitor {
            type Value = TimeBody;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time as RFC 3339 text or as seconds since 1970")
            }

            fn visit_u64<E: Error>(self, seconds: u64) -> Result<TimeBody, E> {
                self.visit_f64(seconds as f64)
            }

            fn visit_i64<E: Error>(self, seconds: i64) -> Result<TimeBody, E> {
                self.visit_f64(seconds as f64)
            }

            fn visit_f64<E: Error>(self, seconds: f64) -> Result<TimeBody, E> {
                TimeBody::from_seconds(seconds).map_err(E::custom)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<TimeBody, E> {
                parse(text).map(TimeBody).map_err(E::custom)
            }
        }

        deserializer.deserialize_any(TimeVisitor)
    }
}

fn parse(text: &str) -> Result<Wall, String> {
    let at: Timestamp =
        text.parse().map_err(|_| format!("`{text}` is not a time like `2026-01-15T14:40:00Z`"))?;
    Ok(Wall::from_millis(at.as_millisecond().max(0) as u64))
}

/// An instant as a query parameter has it.
pub(crate) fn instant(parameter: &str, text: &str) -> Result<Wall, Problem> {
    let wall = match text.parse::<u64>() {
        Ok(seconds) if seconds as f64 <= SECONDS_MAX => Ok(Wall::from_millis(seconds * 1000)),
        _ => parse(text),
    };
    wall.map_err(|what| Problem::query(parameter, what))
}

/// `2026-01-15T14:40:00.123Z`.
pub(crate) fn written(wall: Wall) -> String {
    match Timestamp::from_millisecond(wall.millis() as i64) {
        Ok(at) => format!("{at:.3}"),
        Err(_) => "9999-12-31T23:59:59.999Z".to_owned(),
    }
}

const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// `1h 30m`, as job files take it.
pub(super) fn span(span: Millis) -> String {
    let mut left = span.get();
    let mut parts = Vec::new();
    for (unit, ms) in UNITS {
        if left >= ms {
            parts.push(format!("{}{unit}", left / ms));
            left %= ms;
        }
    }
    if parts.is_empty() { "0s".to_owned() } else { parts.join(" ") }
}

/// A number with its unit, as a query parameter has it: `10m`.
pub(crate) fn parse_span(text: &str) -> Result<Millis, String> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, ms)| *ms);
    let ms = number.parse::<u64>().ok().zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
    ms.map(Millis::new).ok_or_else(|| "write it as `30s`, `10m`, `2h` or `1d`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_taken_in_both_forms() {
        let rows = [
            ("seconds", "1736952000", Some(1_736_952_000_000)),
            ("seconds with a fraction", "1736952000.25", Some(1_736_952_000_250)),
            ("before 1970", "-5", Some(0)),
            ("text", "\"2025-01-15T14:40:00Z\"", Some(1_736_952_000_000)),
            ("text with an offset", "\"2025-01-15T15:40:00+01:00\"", Some(1_736_952_000_000)),
            ("milliseconds by mistake", "1736952000000", None),
            ("no zone", "\"2025-01-15T14:40:00\"", None),
            ("no time", "\"soon\"", None),
            ("null", "null", None),
        ];
        for (name, json, wanted) in rows {
            let read = serde_json::from_str::<TimeBody>(json).ok().map(|time| time.0.millis());
            assert_eq!(read, wanted, "{name}");
        }
        assert_eq!(written(Wall::from_millis(1_736_952_000_250)), "2025-01-15T14:40:00.250Z");
    }

    #[test]
    fn spans_are_written_as_they_are_read() {
        for (ms, text) in [(0, "0s"), (1, "1ms"), (5_400_000, "1h 30m"), (90_061_001, "1d 1h 1m 1s 1ms")] {
            assert_eq!(span(Millis::new(ms)), text);
        }
        for (text, ms) in [
            ("10m", Some(600_000)),
            ("0s", Some(0)),
            ("5", None),
            ("m", None),
            ("9999999999999999999d", None),
        ] {
            assert_eq!(parse_span(text).ok().map(Millis::get), ms, "{text}");
        }
    }
}
