//! Instants and spans as protobuf has them.

use mainspring_core::values::{Millis, Wall};
use prost_types::{Duration, Timestamp};

use crate::problem::Problem;
use crate::wire::{Moment, TimeBody};

const NANOS_PER_MILLI: u32 = 1_000_000;

pub(super) fn instant(at: &Timestamp) -> Result<TimeBody, &'static str> {
    let nanos = u32::try_from(at.nanos).ok().filter(|nanos| *nanos < 1_000_000_000);
    let nanos = nanos.ok_or("its nanoseconds are not between 0 and 999,999,999")?;
    TimeBody::from_seconds(at.seconds as f64 + f64::from(nanos / NANOS_PER_MILLI) / 1000.0)
}

pub(super) fn instant_field(
    field: &'static str,
    at: Option<&Timestamp>,
) -> Result<Option<TimeBody>, Problem> {
    at.map(|at| instant(at).map_err(|what| Problem::field(field, what))).transpose()
}

/// In whole milliseconds; what is finer is dropped.
pub(super) fn span_field(field: &'static str, span: Option<&Duration>) -> Result<Option<u64>, Problem> {
    span.map(|span| {
        let seconds = u64::try_from(span.seconds).ok();
        let nanos = u32::try_from(span.nanos).ok().filter(|nanos| *nanos < 1_000_000_000);
        let (Some(seconds), Some(nanos)) = (seconds, nanos) else {
            return Err(Problem::field(field, "a span of time may not be negative"));
        };
        Ok(seconds.saturating_mul(1000).saturating_add(u64::from(nanos / NANOS_PER_MILLI)))
    })
    .transpose()
}

pub(super) fn timestamp(at: Wall) -> Timestamp {
    let millis = at.millis();
    let nanos = (millis % 1000) as i32 * NANOS_PER_MILLI as i32;
    Timestamp { seconds: i64::try_from(millis / 1000).unwrap_or(i64::MAX), nanos }
}

pub(super) fn moment(at: Moment) -> Timestamp {
    timestamp(at.0)
}

pub(super) fn duration(span: Millis) -> Duration {
    let nanos = (span.get() % 1000) as i32 * NANOS_PER_MILLI as i32;
    Duration { seconds: i64::try_from(span.get() / 1000).unwrap_or(i64::MAX), nanos }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_and_spans_round_trip_or_are_refused() {
        let at = Wall::from_millis(1_736_952_000_123);
        assert_eq!(instant(&timestamp(at)), Ok(TimeBody(at)));
        let before = Timestamp { seconds: -5, nanos: 0 };
        assert_eq!(instant(&before), Ok(TimeBody(Wall::ZERO)), "long past is at once");
        for (seconds, nanos) in [(253_402_300_800, 0), (0, -1), (0, 1_000_000_000)] {
            assert!(instant(&Timestamp { seconds, nanos }).is_err(), "{seconds} {nanos}");
        }
        let span = Millis::new(1_500);
        assert_eq!(span_field("x", Some(&duration(span))), Ok(Some(1_500)));
        assert!(span_field("x", Some(&Duration { seconds: -1, nanos: 0 })).is_err());
        assert_eq!(span_field("x", None), Ok(None));
    }
}
