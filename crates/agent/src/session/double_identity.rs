//! Another process with this worker's identity is connected: what the operator is told, and how often.
//!
//! The worker goes on trying. A state directory that was copied needs the operator; but after a crash of the machine the
//! server may hold the old connection for alive for some seconds, and then waiting is right.

use std::path::Path;
use std::time::{Duration, Instant};

use tracing::error;

/// A server needs a moment to see that the connection of a process that was killed is closed.
const TELL_AFTER: Duration = Duration::from_secs(1);
const TELL_EVERY: Duration = Duration::from_secs(30);

#[derive(Default)]
pub struct DoubleIdentity {
    since: Option<Instant>,
    told: Option<Instant>,
}

impl DoubleIdentity {
    pub fn refused(&mut self, why: &str, state: &Path, now: Instant) {
        let since = *self.since.get_or_insert(now);
        let is_due = self.told.is_none_or(|told| told + TELL_EVERY <= now);
        if since + TELL_AFTER <= now && is_due {
            self.told = Some(now);
            error!(
                "WORKER_IDENTITY_IN_USE: the server gives this worker no work: {why}. If `{state}` was copied from \
                 another machine, stop this worker, remove `{state}/worker`, and start it again. Trying again; see \
                 /docs/errors/WORKER_IDENTITY_IN_USE",
                state = state.display()
            );
        }
    }
}
