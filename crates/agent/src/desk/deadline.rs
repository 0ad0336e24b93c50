//! Hard limits. The server measures them too; this is for when it is away, and it counts from when the work began.
//! - DL-1 the order to stop is the one that the server gives, so the result is the same whoever gave it

use std::time::{Duration, Instant};

use mainspring_core::values::FailureClass;
use tracing::warn;

use super::{Desk, Held};
use crate::attempt::{Key, StopOrder};

/// As the server calls it.
const REASON: &str = "hard_timeout";

/// When work that began at `began` must be stopped; 0 is no limit, and one beyond all clocks is none either.
pub(super) fn deadline(began: Instant, limit_ms: u64) -> Option<Instant> {
    (limit_ms > 0).then(|| began.checked_add(Duration::from_millis(limit_ms))).flatten()
}

impl Desk {
    /// The attempt asked for more time.
    pub(super) fn extend_deadline(&mut self, key: Key, ms: u64) {
        let Some(Held::Running(running)) = self.held.get_mut(&key) else { return };
        // One that was stopped already stays stopped.
        if let Some(at) = running.deadline
            && self.deadlines.remove(&(at, key))
        {
            running.deadline = at.checked_add(Duration::from_millis(ms));
            self.deadlines.extend(running.deadline.map(|at| (at, key)));
        }
    }

    pub(super) fn stop_overdue(&mut self, now: Instant) {
        while let Some(&(at, key)) = self.deadlines.first()
            && at <= now
        {
            self.deadlines.pop_first();
            if let Some(Held::Running(running)) = self.held.get(&key) {
                warn!(task = %key.task, ran = ?now.duration_since(running.began), "stopped: it reached its hard limit");
                let (grace, class) = (running.grace, FailureClass::Timeout);
                running.order(StopOrder { grace, class, reason: REASON.to_owned() });
            }
        }
    }
}
