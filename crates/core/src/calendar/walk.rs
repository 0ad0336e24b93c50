//! Cron in a zone: from span to span, within each by local time.
//! - CW-1 inside of a span local time and instants run alike, so order is by instant even where the clock goes back
//! - CW-2 which local times of a span count is decided by the policy, once, in [`Walk::window`] and [`Walk::edge`]

use std::ops::Range;

use super::cron::Cron;
use super::dst::{Dst, Missing, Twice};
use super::spans::{Span, Spans};
use super::zone::Zone;
use super::{DAY, HORIZON_SECS};

/// More than any two offsets of a zone differ by: local times so far apart cannot change places.
const OFFSETS_APART_MAX: i64 = 2 * DAY;

pub(super) struct Walk<'a> {
    cron: &'a Cron,
    spans: &'static Spans,
    /// `None`: follows elapsed time, and missing times are not missed.
    missing: Option<Missing>,
    twice: Twice,
}

/// An instant in seconds since 1970 UTC, and how many missing local times were passed over before it.
pub(super) struct Found {
    pub at: i64,
    pub skipped: u32,
}

impl<'a> Walk<'a> {
    pub fn new(cron: &'a Cron, zone: Zone, dst: Dst) -> Self {
        let spans = zone.spans();
        if cron.runs_through() {
            Self { cron, spans, missing: None, twice: Twice::Both }
        } else {
            Self { cron, spans, missing: Some(dst.missing), twice: dst.twice }
        }
    }

    /// The first instant at or after this one.
    pub fn next(&self, mut from: i64) -> Option<Found> {
        let mut number = self.spans.find(from);
        let mut skipped = 0;
        while from < HORIZON_SECS {
            let span = self.spans.get(number);
            let local = self.cron.local_from((from + span.offset).max(self.window(&span).start))?;
            let natural = (local < self.window(&span).end).then_some(local - span.offset);
            let edge = self.edge(&span).filter(|edge| *edge >= from);
            if let Some(at) = [natural, edge].into_iter().flatten().min() {
                return (at < HORIZON_SECS).then_some(Found { at, skipped });
            }
            // Nothing until `local`. If that is far beyond this span, so are all instants that could mean it.
            let far = local - span.offset - OFFSETS_APART_MAX;
            if span.end - from > OFFSETS_APART_MAX && far > span.end {
                from = far;
                number = self.spans.find(from);
            } else {
                skipped += self.skipped_after(&span);
                from = span.end;
                number += 1;
            }
        }
        None
    }

    /// The last instant before this one.
    pub fn previous(&self, mut before: i64) -> Option<i64> {
        before = before.min(HORIZON_SECS);
        let mut number = self.spans.find(before - 1);
        while before > 0 {
            let span = self.spans.get(number);
            let local = self.cron.local_before((before + span.offset).min(self.window(&span).end));
            let natural =
                local.filter(|local| *local >= self.window(&span).start).map(|local| local - span.offset);
            let edge = self.edge(&span).filter(|edge| *edge < before);
            if let Some(at) = [natural, edge].into_iter().flatten().max() {
                return (at >= 0).then_some(at);
            }
            let far = local? - span.offset + OFFSETS_APART_MAX;
            if before - span.start > OFFSETS_APART_MAX && far < span.start {
                before = far;
                number = self.spans.find(before - 1);
            } else {
                before = span.start;
                number = number.checked_sub(1)?;
            }
        }
        None
    }

    /// How many instants lie in a range.
    pub fn count(&self, range: Range<i64>) -> u64 {
        let range = range.start..range.end.min(HORIZON_SECS);
        if range.is_empty() {
            return 0;
        }
        let (first, last) = (self.spans.find(range.start), self.spans.find(range.end - 1));
        (first..=last).map(|number| self.count_in(&self.spans.get(number), &range)).sum()
    }

    fn count_in(&self, span: &Span, range: &Range<i64>) -> u64 {
        let window = self.window(span);
        let start = (range.start + span.offset).max(window.start);
        let end = (range.end + span.offset).min(window.end);
        let natural =
            |at: i64| window.contains(&(at + span.offset)) && self.cron.matches_local(at + span.offset);
        let edge = self.edge(span).filter(|edge| range.contains(edge) && !natural(*edge));
        self.cron.count_local(start..end) + u64::from(edge.is_some())
    }

    /// The local times of a span that count.
    fn window(&self, span: &Span) -> Range<i64> {
        let start = match self.twice {
            Twice::First => span.offset.max(span.offset_before),
            Twice::Second | Twice::Both => span.offset,
        };
        let end = match self.twice {
            Twice::Second => span.offset.min(span.offset_after),
            Twice::First | Twice::Both => span.offset,
        };
        span.start + start..span.end + end
    }

    /// The instant of a span at which the missing times of a gap beside it fire.
    fn edge(&self, span: &Span) -> Option<i64> {
        let (at, gap) = match self.missing? {
            Missing::Skip => return None,
            Missing::After => (span.start, gap(span.start, span.offset_before, span.offset)),
            Missing::Before => (span.end - 1, gap(span.end, span.offset, span.offset_after)),
        };
        let missing = !gap.is_empty() && self.cron.local_from(gap.start).is_some_and(|local| local < gap.end);
        missing.then_some(at)
    }

    fn skipped_after(&self, span: &Span) -> u32 {
        match self.missing {
            Some(Missing::Skip) => {
                self.cron.count_local(gap(span.end, span.offset, span.offset_after)) as u32
            }
            Some(Missing::After | Missing::Before) | None => 0,
        }
    }
}

/// The local times that a change of offset takes away; empty if the clock goes back.
fn gap(at: i64, before: i64, after: i64) -> Range<i64> {
    at + before..at + after
}
