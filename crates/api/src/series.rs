//! How much waited, ran and ended over time, in rings of fixed size. Entry: [`Series`]; [`sample`] fills it once a second.
//! - SI-1 nothing is counted over history: the shard's own counters are read, and differences of them are kept
//! - SI-2 a ring never grows: an old step makes place for a new one
//! - SI-3 each step of the clock has a place, also those at which nobody looked; a clock that goes back changes the newest
//!
//! In memory only: a server that starts anew begins with empty rings.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use mainspring_core::engine::Tally;
use mainspring_core::task::Status;
use mainspring_core::values::Wall;
use tokio::time::MissedTickBehavior;

use crate::edge::Edge;
use crate::gateway::now;
use crate::operation;

const EVERY: Duration = Duration::from_secs(1);

/// Length of a step in milliseconds, and how many are kept: an hour, a day, ninety days.
const RINGS: [(u64, usize); 3] = [(1_000, 3_600), (10_000, 8_640), (300_000, 25_920)];

/// What has happened so far, as counters that only rise.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counted {
    pub submitted: u64,
    pub started: u64,
    pub succeeded: u64,
    pub failed: u64,
    pub retried: u64,
}

/// One step. Gauges are the highest in it, the others how often something happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Point {
    pub queued: u64,
    pub running: u64,
    pub counted: Counted,
}

#[derive(Debug)]
pub(crate) struct Series(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    /// By [`RINGS`].
    rings: Vec<Ring>,
    /// The counters at the last look.
    before: Option<Counted>,
}

#[derive(Debug)]
struct Ring {
    step_ms: u64,
    points_max: usize,
    points: VecDeque<Point>,
    /// The number of the newest step since 1970.
    newest: u64,
}

/// A stretch of a ring, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Stretch {
    pub step_ms: u64,
    /// When the first step began.
    pub from: Wall,
    pub points: Vec<Point>,
}

impl Default for Series {
    fn default() -> Self {
        let ring = |(step_ms, points_max)| Ring { step_ms, points_max, points: VecDeque::new(), newest: 0 };
        Self(Mutex::new(Inner { rings: RINGS.into_iter().map(ring).collect(), before: None }))
    }
}

impl Series {
    /// `counted`: since the server started.
    fn take(&self, at: Wall, queued: u64, running: u64, counted: Counted) {
        let mut inner = self.inner();
        // The first look only says where the counters stand.
        let before = inner.before.replace(counted).unwrap_or(counted);
        let point = Point { queued, running, counted: counted.since(before) };
        for ring in &mut inner.rings {
            ring.add(at, point);
        }
    }

    /// The newest `count` steps of the ring with this step; nothing before the first look.
    pub(crate) fn read(&self, step_ms: u64, count: usize) -> Stretch {
        let inner = self.inner();
        let Some(ring) = inner.rings.iter().find(|ring| ring.step_ms == step_ms) else {
            return Stretch::default();
        };
        let kept = ring.points.len();
        let points: Vec<Point> = ring.points.iter().skip(kept.saturating_sub(count)).copied().collect();
        let first = (ring.newest + 1).saturating_sub(points.len() as u64);
        Stretch { step_ms, from: Wall::from_millis(first * step_ms), points }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ring {
    fn add(&mut self, at: Wall, point: Point) {
        let step = at.millis() / self.step_ms;
        if self.points.is_empty() || step > self.newest + self.points_max as u64 {
            self.points.clear();
            self.push(point);
            self.newest = step;
            return;
        }
        while self.newest < step {
            self.newest += 1;
            self.push(Point { counted: Counted::default(), ..point });
        }
        if let Some(newest) = self.points.back_mut() {
            newest.queued = newest.queued.max(point.queued);
            newest.running = newest.running.max(point.running);
            newest.counted = newest.counted.plus(point.counted);
        }
    }

    fn push(&mut self, point: Point) {
        if self.points.len() >= self.points_max {
            self.points.pop_front();
        }
        self.points.push_back(point);
    }
}

impl Counted {
    fn of(tally: &Tally) -> Self {
        let mut counted = Self::default();
        for (from, to, count) in tally.transitions() {
            if from.is_none() {
                counted.submitted += count;
            }
            match to {
                Status::Assigned => counted.started += count,
                Status::Succeeded => counted.succeeded += count,
                Status::Failed | Status::Quarantined => counted.failed += count,
                Status::RetryWait => counted.retried += count,
                Status::Pending
                | Status::Queued
                | Status::Running
                | Status::Deferred
                | Status::Cancelled
                | Status::Skipped
                | Status::UpstreamFailed => {}
            }
        }
        counted
    }

    fn with(self, other: Self, each: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            submitted: each(self.submitted, other.submitted),
            started: each(self.started, other.started),
            succeeded: each(self.succeeded, other.succeeded),
            failed: each(self.failed, other.failed),
            retried: each(self.retried, other.retried),
        }
    }

    fn plus(self, other: Self) -> Self {
        self.with(other, u64::saturating_add)
    }

    fn since(self, before: Self) -> Self {
        self.with(before, u64::saturating_sub)
    }
}

/// Looks once a second, until the server is gone.
pub(crate) async fn sample(edge: Weak<Edge>) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Some(edge) = edge.upgrade() else { return };
        look(&edge).await;
    }
}

async fn look(edge: &Arc<Edge>) {
    let Ok(stats) = operation::stats(edge).await else { return };
    let mut counted = Counted::default();
    for shard in edge.gateway.shards_of(crate::gateway::Route::All) {
        let Some(measured) = edge.gateway.measured(shard).await else { return };
        counted = counted.plus(Counted::of(&measured.tally));
    }
    let at = now();
    edge.rates.take(at, &stats.depths);
    let queued = stats.depths.iter().map(|depth| depth.queued).sum();
    let running = stats.depths.iter().map(|depth| u64::from(depth.running)).sum();
    edge.series.take(at, queued, running, counted);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Wall {
        Wall::from_millis(1_000_000_000_000 + seconds * 1_000)
    }

    fn ended(succeeded: u64) -> Counted {
        Counted { succeeded, ..Counted::default() }
    }

    fn counts(stretch: &Stretch) -> Vec<u64> {
        stretch.points.iter().map(|point| point.counted.succeeded).collect()
    }

    #[test]
    fn differences_of_counters_are_kept_by_step() {
        let series = Series::default();
        assert_eq!(series.read(1_000, 10).points, []);
        for (second, total) in [(0, 5), (1, 7), (1, 8), (3, 18)] {
            series.take(at(second), total, 1, ended(total));
        }
        let stretch = series.read(1_000, 10);
        assert_eq!(counts(&stretch), [0, 3, 0, 10], "what was there before the first look is not counted");
        assert_eq!((stretch.from, stretch.step_ms), (at(0), 1_000));
        assert_eq!(stretch.points[1].queued, 8, "the highest of the step");
        assert_eq!((counts(&series.read(1_000, 2)), series.read(1_000, 2).from), (vec![0, 10], at(2)));
        assert_eq!(counts(&series.read(10_000, 10)), [13]);
        assert_eq!(series.read(7, 10).points, []);
    }

    #[test]
    fn a_ring_forgets_its_oldest_steps_and_a_clock_that_goes_back_changes_the_newest() {
        let series = Series::default();
        for second in 0..4_000 {
            series.take(at(second), 0, 0, ended(second));
        }
        assert_eq!(series.read(1_000, usize::MAX).points.len(), 3_600);
        assert_eq!(series.read(10_000, usize::MAX).points.len(), 400);
        assert_eq!(series.read(10_000, 1).points[0].counted.succeeded, 10);
        series.take(at(100), 9, 0, ended(4_009));
        let last = series.read(1_000, 1);
        assert_eq!((last.from, last.points[0].queued, counts(&last)), (at(3_999), 9, vec![11]));
        // A jump over the whole ring is not walked through.
        series.take(at(1_000_000_000), 0, 0, ended(4_010));
        assert_eq!(counts(&series.read(1_000, usize::MAX)), [1]);
    }
}
