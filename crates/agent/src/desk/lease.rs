//! Work that nobody else may do at the same time: it ends before the server can give its place to another.
//! - LE-1 the server counts a worker's lease from when it heard a heartbeat, this worker from when it sent the one that
//!   was answered, which is earlier; so what ends within [`Lease::until`] ends before the lease
//!
//! Not here: work without such limits, which goes on while the server cannot be reached.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use mainspring_core::values::FailureClass;
use tracing::warn;

use super::{Desk, Held};
use crate::attempt::StopOrder;

/// Heartbeats without an answer that are remembered; a stream with more of them is dead.
const UNANSWERED_MAX: usize = 16;
const WHY: &str =
    "the server was not heard for most of a lease, and the place in its limit may go to another";

pub(super) struct Lease {
    /// As the server last said it; zero before the first welcome.
    length: Duration,
    /// When the newest word left that the server has answered.
    answered: Option<Instant>,
    hello_sent: Option<Instant>,
    /// Numbers of heartbeats, and when they left.
    unanswered: VecDeque<(u64, Instant)>,
    /// Attempts here that must end with the lease.
    exclusive: usize,
}

impl Lease {
    pub(super) const fn new() -> Self {
        Self {
            length: Duration::ZERO,
            answered: None,
            hello_sent: None,
            unanswered: VecDeque::new(),
            exclusive: 0,
        }
    }

    pub(super) fn hello_sent(&mut self, now: Instant) {
        self.hello_sent = Some(now);
        self.unanswered.clear();
    }

    pub(super) fn welcomed(&mut self, length: Duration) {
        self.length = length;
        self.answered = self.answered.max(self.hello_sent);
    }

    pub(super) fn heartbeat_sent(&mut self, number: u64, now: Instant) {
        if self.unanswered.len() < UNANSWERED_MAX {
            self.unanswered.push_back((number, now));
        }
    }

    /// An answer counts for the heartbeat that it names and for all before it, which the server has heard too.
    pub(super) fn heartbeat_answered(&mut self, number: u64) {
        while let Some((_, sent)) = self.unanswered.pop_front_if(|(next, _)| *next <= number) {
            self.answered = self.answered.max(Some(sent));
        }
    }

    pub(super) const fn began(&mut self, exclusive: bool) {
        self.exclusive += exclusive as usize;
    }

    pub(super) const fn ended(&mut self, exclusive: bool) {
        self.exclusive -= exclusive as usize;
    }

    /// When exclusive work must be stopped; a sixth of the lease is left for the kill.
    pub(super) fn until(&self) -> Option<Instant> {
        let answered = self.answered.filter(|_| self.exclusive > 0 && !self.length.is_zero())?;
        Some(answered + self.length / 6 * 5)
    }
}

impl Desk {
    /// Said in the moment in which Hello is made: before the server can have heard it.
    pub fn says_hello(&mut self, now: Instant) {
        self.lease.hello_sent(now);
    }

    pub fn welcomed(&mut self, lease: Duration) {
        self.lease.welcomed(lease);
    }

    pub(super) fn stop_exclusive(&mut self, now: Instant) {
        if self.lease.until().is_none_or(|until| until > now) {
            return;
        }
        let order =
            || StopOrder { grace: Duration::ZERO, class: FailureClass::WorkerLost, reason: WHY.to_owned() };
        let mut waiting = Vec::new();
        for (key, held) in &mut self.held {
            match held {
                Held::Running(running) if running.exclusive => {
                    warn!(task = %key.task, "stopped: {WHY}");
                    running.order(order());
                    running.exclusive = false;
                    self.lease.ended(true);
                }
                Held::Waiting(start) if start.exclusive => waiting.push(*key),
                Held::Running(_) | Held::Waiting(_) | Held::Ended(_) => {}
            }
        }
        for key in waiting {
            self.waiting.retain(|other| *other != key);
            self.lease.ended(true);
            self.owe(key, order().outcome(0), now);
        }
    }
}
