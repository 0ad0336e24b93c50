//! The history of a zone as spans of one offset, without end.
//! - CZ-1 neighbouring spans have different offsets: changes of name only are left out
//! - CZ-2 beyond [`CYCLE_START`] zones follow yearly rules, which repeat with the calendar, every 400 years

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::HORIZON_SECS;

/// 2100-01-01 UTC. The last change that is listed one by one is Morocco's of 2087.
const CYCLE_START: i64 = 4_102_444_800;
/// 400 years, after which dates fall on the same weekdays again.
const CYCLE: i64 = 146_097 * 86_400;
/// Before every instant that is asked for, with room for arithmetic.
const BEGINNING: i64 = -1 << 40;
const END: i64 = 1 << 40;

/// `[start, end)` in seconds since 1970 UTC, in which local time is UTC plus `offset`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub start: i64,
    pub end: i64,
    pub offset: i64,
    /// Offset of the span before; the same as `offset` for the first one.
    pub offset_before: i64,
    /// Offset of the span after; the same as `offset` for the last one.
    pub offset_after: i64,
}

pub(super) struct Spans {
    /// Where spans start; the first one at [`BEGINNING`]. Those of one cycle are at the end.
    starts: Box<[i64]>,
    offsets: Box<[i32]>,
    /// How many spans start before the cycle.
    listed: usize,
}

impl Spans {
    pub fn new(zone: &TimeZone) -> Self {
        let mut starts = vec![BEGINNING];
        let mut offsets = vec![zone.to_offset(Timestamp::MIN).seconds()];
        let changes = zone
            .following(Timestamp::MIN)
            .map(|change| (change.timestamp().as_second(), change.offset().seconds()));
        for (at, offset) in changes.take_while(|(at, _)| *at < CYCLE_START + CYCLE) {
            if offsets.last() != Some(&offset) {
                starts.push(at);
                offsets.push(offset);
            }
        }
        let listed = starts.partition_point(|start| *start < CYCLE_START);
        Self { starts: starts.into(), offsets: offsets.into(), listed }
    }

    /// Number of the span that an instant lies in.
    pub fn find(&self, at: i64) -> usize {
        let cycle = self.starts.len() - self.listed;
        if at < CYCLE_START + CYCLE || cycle == 0 {
            return self.starts.partition_point(|start| *start <= at) - 1;
        }
        let turns = (at - CYCLE_START) / CYCLE;
        let found = self.starts.partition_point(|start| *start <= at - turns * CYCLE) - 1;
        found + turns as usize * cycle
    }

    pub fn get(&self, number: usize) -> Span {
        let offset = self.offset(number);
        let (end, offset_after) = match self.start(number + 1) {
            Some(start) => (start, self.offset(number + 1)),
            None => (END, offset),
        };
        Span {
            start: self.start(number).unwrap_or(END),
            end,
            offset,
            offset_before: if number == 0 { offset } else { self.offset(number - 1) },
            offset_after,
        }
    }

    /// Where the number is found in the lists, and how many cycles later.
    fn place(&self, number: usize) -> (usize, i64) {
        let cycle = self.starts.len() - self.listed;
        if number < self.starts.len() || cycle == 0 {
            return (number, 0);
        }
        let beyond = number - self.listed;
        (self.listed + beyond % cycle, (beyond / cycle) as i64)
    }

    fn start(&self, number: usize) -> Option<i64> {
        let (place, turns) = self.place(number);
        self.starts.get(place).map(|start| start + turns * CYCLE)
    }

    fn offset(&self, number: usize) -> i64 {
        let (place, _) = self.place(number);
        i64::from(self.offsets[place.min(self.offsets.len() - 1)])
    }
}

const _: () = assert!(HORIZON_SECS < END, "the last span reaches beyond the last instant");
