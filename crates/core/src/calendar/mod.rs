//! The calendar: which instants a schedule means.
//! Entry: [`Timetable`], and [`Cron::parse`] for what people write.
//! - CA-1 instants of a timetable strictly increase, whatever clocks do
//! - CA-2 the same text, zone and policy mean the same instants everywhere: zone data is bundled, never the machine's
//! - CA-3 the work of a question grows with days and clock changes at most, never with instants
//! - CA-4 leap seconds are ignored; no timetable fires before 1970, nor at or after [`HORIZON`]
//!
//! Not here: when to look, what to start, what to do about missed instants.

mod civil;
mod cron;
mod days;
mod describe;
mod dst;
mod error;
mod interval;
mod local;
mod parse;
mod search;
mod spans;
mod timetable;
mod walk;
mod zone;

#[cfg(test)]
mod tests;

pub use self::cron::Cron;
pub use self::dst::{Dst, Missing, Twice};
pub use self::error::{CronError, Field};
pub use self::local::Local;
pub use self::timetable::{NextInstant, Timetable};
pub use self::zone::Zone;

use crate::values::Wall;

/// Longest cron expression that is read; the longest sensible ones have about 100.
pub const CRON_BYTES_MAX: usize = 256;

/// 9999-12-30 00:00 UTC: no instant at or after it, so that every one has a date of four digits in every zone.
pub const HORIZON: Wall = Wall::from_millis(HORIZON_SECS as u64 * 1000);

/// [`HORIZON`] in seconds, the unit in which cron counts.
const HORIZON_SECS: i64 = 253_402_128_000;

/// 0001-01-01 00:00 UTC.
const YEAR_ONE_SECS: i64 = -62_135_596_800;

/// Seconds of a day without clock changes.
const DAY: i64 = 86_400;
