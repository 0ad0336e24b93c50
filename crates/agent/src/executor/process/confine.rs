//! The cgroup of one attempt, if it has one.

use std::io;
use std::time::Duration;

use tracing::warn;

use super::rusage::Used;
use super::{Payload, Settings};
use crate::attempt::{Attempt, Key};
use crate::cgroup::{Cgroup, CgroupLimits, MemoryEnd};

/// What was killed is gone soon; if not, the next start of the agent finds the cgroup.
const REMOVE_MAX: Duration = Duration::from_secs(5);

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

    pub fn memory_end(&self) -> Option<MemoryEnd> {
        self.cgroup().and_then(Cgroup::memory_end)
    }

    /// What it counted; nothing if there is none.
    pub fn used(&self) -> Used {
        self.cgroup().map_or_else(Used::default, |cgroup| Used {
            memory_peak_bytes: cgroup.memory_peak_bytes(),
            cpu_ms: cgroup.cpu_ms(),
        })
    }

    pub fn kill(&self) {
        if let Some(Err(error)) = self.cgroup().map(Cgroup::kill) {
            warn!(%error, "cannot end all that is in a cgroup; the process group was ended all the same");
        }
    }

    /// Nobody waits for it: the attempt is over when its processes are told to end.
    pub fn leave(self) {
        let Some(cgroup) = self.0 else {
            return;
        };
        if cgroup.remove().is_err_and(|error| error.kind() == io::ErrorKind::ResourceBusy) {
            tokio::task::spawn_blocking(move || {
                if let Err(error) = cgroup.remove_when_empty(REMOVE_MAX) {
                    warn!(%error, "a cgroup stays until the next start");
                }
            });
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
