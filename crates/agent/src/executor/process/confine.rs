//! The cgroup of one attempt, if it has one.

use std::io;
use std::time::Duration;

use tokio::time::sleep;
use tracing::warn;

use super::{Payload, Settings};
use crate::attempt::{Attempt, Key};
use crate::cgroup::{Cgroup, CgroupLimits, MemoryEnd};

/// What was killed is gone soon; if not, the next start of the agent finds the cgroup.
const REMOVE_TRIES: u32 = 6;
const REMOVE_PAUSE: Duration = Duration::from_millis(10);

pub struct Confined(Option<Box<dyn Cgroup>>);

impl Confined {
    pub fn create(settings: &Settings, payload: &Payload, attempt: &Attempt, kept: bool) -> io::Result<Self> {
        let limits = limits(payload, attempt, kept);
        match &settings.cgroups {
            Some(cgroups) if limits != CgroupLimits::default() => {
                cgroups.create(attempt.key, limits).map(|cgroup| Self(Some(cgroup)))
            }
            _ => Ok(Self(None)),
        }
    }

    /// Where an earlier agent put the process.
    pub fn find(settings: &Settings, attempt: Key) -> Self {
        Self(settings.cgroups.as_ref().and_then(|cgroups| cgroups.find(attempt)))
    }

    pub fn cgroup(&self) -> Option<&dyn Cgroup> {
        self.0.as_deref()
    }

    pub fn memory_end(&self) -> MemoryEnd {
        self.cgroup().map(Cgroup::memory_end).unwrap_or_default()
    }

    pub fn kill(&self) {
        if let Some(Err(error)) = self.cgroup().map(Cgroup::kill) {
            // Before Linux 5.14; the process group was ended all the same.
            warn!(%error, "cannot end all that is in a cgroup");
        }
    }

    pub async fn leave(self) {
        let Some(cgroup) = self.0 else {
            return;
        };
        for _ in 1..REMOVE_TRIES {
            match cgroup.remove() {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => sleep(REMOVE_PAUSE).await,
                _ => break,
            }
        }
    }
}

fn limits(payload: &Payload, attempt: &Attempt, kept: bool) -> CgroupLimits {
    let some = |number: u64| (number > 0).then_some(number);
    CgroupLimits {
        memory_bytes: some(attempt.memory_bytes),
        cpu_milli: some(attempt.cpu_milli),
        // The shell that waits for a kept program is one more.
        processes: payload.limits.processes.map(|most| most.saturating_add(u64::from(kept))),
    }
}
