//! What a schedule means, and the four questions that can be asked of it.

use std::sync::Arc;

use super::cron::Cron;
use super::dst::Dst;
use super::interval::Interval;
use super::walk::Walk;
use super::zone::Zone;
use super::{HORIZON_SECS, YEAR_ONE_SECS};
use crate::values::{Millis, Wall};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Timetable {
    Cron {
        cron: Cron,
        zone: Zone,
        dst: Dst,
    },
    /// At `anchor`, and from then on at a fixed rate. A rate of zero never fires.
    Every {
        every: Millis,
        anchor: Wall,
    },
    /// Ascending and without repetition: made by [`Timetable::instants`].
    Instants(Arc<[Wall]>),
}

/// The answer to "when next?".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NextInstant {
    pub at: Wall,
    /// How many local times before it did not exist and were skipped by policy.
    pub skipped: u32,
}

impl Cron {
    /// The first instant strictly after `after`, both in seconds since 1970, which may lie before it: for answers about
    /// the past. Also how many local times on the way were skipped because they do not exist.
    pub fn next_second(&self, zone: Zone, dst: Dst, after: i64) -> Option<(i64, u32)> {
        let after = after.clamp(YEAR_ONE_SECS, HORIZON_SECS);
        Walk::new(self, zone, dst).next(after + 1).map(|found| (found.at, found.skipped))
    }
}

impl Timetable {
    /// These instants, in order and each once.
    pub fn instants(mut instants: Vec<Wall>) -> Self {
        instants.sort_unstable();
        instants.dedup();
        Self::Instants(instants.into())
    }

    /// The first instant strictly after `after`. `None`: never again.
    pub fn next(&self, after: Wall) -> Option<NextInstant> {
        match self {
            Self::Cron { cron, zone, dst } => {
                let found = Walk::new(cron, *zone, *dst).next(second_after(after))?;
                Some(NextInstant { at: wall(found.at), skipped: found.skipped })
            }
            Self::Every { every, anchor } => {
                let at = Interval { every: *every, anchor: *anchor }.next(after)?;
                Some(NextInstant { at, skipped: 0 })
            }
            Self::Instants(instants) => {
                let at = instants.get(not_after(instants, after))?;
                Some(NextInstant { at: *at, skipped: 0 })
            }
        }
    }

    /// The last instant strictly before `before`.
    pub fn previous(&self, before: Wall) -> Option<Wall> {
        match self {
            Self::Cron { cron, zone, dst } => {
                let before = before.millis().div_ceil(1000) as i64;
                Walk::new(cron, *zone, *dst).previous(before).map(wall)
            }
            Self::Every { every, anchor } => Interval { every: *every, anchor: *anchor }.previous(before),
            Self::Instants(instants) => {
                let earlier = instants.partition_point(|at| *at < before);
                instants[..earlier].last().copied()
            }
        }
    }

    /// How many instants lie in (`after`, `until`]. The work grows with days, not with instants.
    pub fn count(&self, after: Wall, until: Wall) -> u64 {
        if until <= after {
            return 0;
        }
        match self {
            Self::Cron { cron, zone, dst } => {
                Walk::new(cron, *zone, *dst).count(second_after(after)..second_after(until))
            }
            Self::Every { every, anchor } => Interval { every: *every, anchor: *anchor }.count(after, until),
            Self::Instants(instants) => (not_after(instants, until) - not_after(instants, after)) as u64,
        }
    }

    /// The newest `n` instants in (`after`, `until`], ascending.
    pub fn newest(&self, after: Wall, until: Wall, n: usize) -> Vec<Wall> {
        let mut before = until + Millis::new(1);
        let mut found = Vec::new();
        while found.len() < n
            && let Some(at) = self.previous(before)
            && at > after
        {
            found.push(at);
            before = at;
        }
        found.reverse();
        found
    }
}

/// The first whole second after an instant.
fn second_after(after: Wall) -> i64 {
    (after.millis() / 1000) as i64 + 1
}

/// Seconds of an answer are never negative and far below the largest.
fn wall(seconds: i64) -> Wall {
    Wall::from_millis(seconds.unsigned_abs() * 1000)
}

fn not_after(instants: &[Wall], at: Wall) -> usize {
    instants.partition_point(|instant| *instant <= at)
}
