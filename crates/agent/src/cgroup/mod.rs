//! Limits that the kernel keeps for an attempt as a whole: memory, processors, number of processes.
//! Entry: [`open`].
//! - CG-1 only an attempt that has such a limit gets a cgroup
//! - CG-2 a process is in its cgroup before its program runs
//! - CG-3 a cgroup is new with its attempt: what it counts, it counts of this attempt
//! - CG-4 nothing outside the directory of this worker (`mainspring-WORKER`) is ended or removed
//!
//! Not here: limits of each single process (`executor::process`), what a failure means to the server.

mod find;
mod fs;
mod leaf;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mainspring_core::values::WorkerId;
use tracing::info;

use self::fs::CgroupFs;
use crate::attempt::Key;

/// Whether attempts are put into cgroups.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum CgroupUse {
    /// Where the agent's own cgroup was delegated to it.
    #[default]
    Auto,
    Off,
    /// In this directory of a cgroup file system.
    Under(PathBuf),
}

/// What an attempt may use in all; None is as much as there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CgroupLimits {
    pub memory_bytes: Option<u64>,
    /// Thousandths of a processor.
    pub cpu_milli: Option<u64>,
    /// Processes and threads at once.
    pub processes: Option<u64>,
}

/// How it went with the memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryEnd {
    /// Processes of the attempt that the kernel killed because memory ran out.
    pub killed: u64,
    /// The attempt's own limit, if that was what it ran into; else the whole machine had too little.
    pub over_limit: Option<u64>,
}

pub trait Cgroups: Send + Sync {
    /// Fails if the attempt has one already.
    fn create(&self, attempt: Key, limits: CgroupLimits) -> io::Result<Box<dyn Cgroup>>;

    /// Of a kept process; None when it was started without one.
    fn find(&self, attempt: Key) -> Option<Box<dyn Cgroup>>;

    /// Ends and removes what earlier agents left, except of these attempts.
    fn clear(&self, kept: &[Key]);
}

/// One attempt's. Dropping it changes nothing: a kept process stays in its own.
pub trait Cgroup: Send + Sync {
    /// A process that writes `0` here is in.
    fn entrance(&self) -> io::Result<File>;

    /// Ends all that is in, also what left the process group.
    fn kill(&self) -> io::Result<()>;

    /// None where memory is not counted.
    fn memory_end(&self) -> Option<MemoryEnd>;

    /// The most that it had at once. None where memory is not counted, and on kernels before 5.19.
    fn memory_peak_bytes(&self) -> Option<u64>;

    /// User and system time of all that was in.
    fn cpu_ms(&self) -> Option<u64>;

    /// Fails as busy while something is in; what was killed takes a moment to be gone.
    fn remove(&self) -> io::Result<()>;

    /// Waits for that moment, at most so long; for a thread that may be kept waiting.
    fn remove_when_empty(&self, patience: Duration) -> io::Result<()>;
}

/// None where there are none to be had; the log says why.
pub fn open(wanted: &CgroupUse, worker: WorkerId) -> Option<Arc<dyn Cgroups>> {
    let opened = match wanted {
        CgroupUse::Off => Err("they are switched off".to_owned()),
        CgroupUse::Auto => find::delegated().and_then(|base| CgroupFs::open(&base, worker)),
        CgroupUse::Under(base) => CgroupFs::open(base, worker),
    };
    match opened {
        Ok(cgroups) => Some(Arc::new(cgroups)),
        Err(why) => {
            info!(why, "no cgroups: limits of memory, processors and processes are not enforced");
            None
        }
    }
}
