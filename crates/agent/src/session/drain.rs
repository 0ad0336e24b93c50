//! Leaving in good order.

use std::time::{Duration, Instant};

use tracing::{info, warn};

use crate::desk::Desk;

/// After the last attempt has ended, the server gets this long to acknowledge.
const SETTLE_MAX: Duration = Duration::from_secs(3);
/// Beyond an attempt's grace, for the executor to see that it ended.
const STOP_SLACK: Duration = Duration::from_secs(5);

pub struct Drain {
    deadline: Duration,
    stage: Stage,
}

#[derive(Clone, Copy)]
enum Stage {
    Working,
    /// The server drains this worker, which was started to end then. Running work has all the time it needs.
    Told,
    /// Running work may end by itself until then.
    Draining(Instant),
    /// It was told to stop, and must have ended by then.
    Stopping(Instant),
    /// Nothing runs; results wait for their acknowledgement until then.
    Settling(Instant),
    Over,
}

impl Drain {
    pub fn new(deadline: Duration) -> Self {
        Self { deadline, stage: Stage::Working }
    }

    pub fn has_begun(&self) -> bool {
        !matches!(self.stage, Stage::Working | Stage::Told)
    }

    /// The server drains this worker, or no longer.
    pub fn told(&mut self, draining: bool) {
        self.stage = match self.stage {
            Stage::Working if draining => Stage::Told,
            Stage::Told if !draining => Stage::Working,
            stage => stage,
        };
    }

    pub fn begin(&mut self, now: Instant) {
        self.stage = Stage::Draining(now + self.deadline);
    }

    /// When [`Drain::act`] has something to do.
    pub fn due(&self) -> Option<Instant> {
        match self.stage {
            Stage::Working | Stage::Told | Stage::Over => None,
            Stage::Draining(at) | Stage::Stopping(at) | Stage::Settling(at) => Some(at),
        }
    }

    pub fn act(&mut self, desk: &mut Desk, now: Instant) {
        self.stage = match self.stage {
            Stage::Draining(_) => {
                info!(running = desk.running(), "the drain deadline has passed; stopping what runs");
                Stage::Stopping(now + desk.stop_all() + STOP_SLACK)
            }
            Stage::Stopping(_) => {
                warn!(running = desk.running(), "some attempts did not end; leaving all the same");
                Stage::Over
            }
            Stage::Settling(_) | Stage::Over => Stage::Over,
            stage @ (Stage::Working | Stage::Told) => stage,
        };
    }

    pub fn is_over(&mut self, desk: &Desk, is_open: bool, now: Instant) -> bool {
        let stopped = match self.stage {
            Stage::Working => return false,
            Stage::Over => return true,
            Stage::Told | Stage::Draining(_) | Stage::Stopping(_) => desk.running() == 0,
            Stage::Settling(_) => true,
        };
        if stopped && !matches!(self.stage, Stage::Settling(_)) {
            self.stage = Stage::Settling(now + SETTLE_MAX);
        }
        // Without a session nobody will acknowledge anything: the spool keeps it for the next life.
        stopped && (desk.is_settled() || !is_open)
    }
}
