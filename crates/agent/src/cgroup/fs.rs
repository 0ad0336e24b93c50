//! Cgroups as directories of a cgroup file system, version 2.
//!
//! ```text
//! BASE/mainspring-agent/                 the agent itself, if it had to make room
//! BASE/mainspring-WORKER/TASK-FENCE/     an attempt
//! ```
//!
//! The kernel gives limits to the children of a cgroup only while no process is in the cgroup itself: hence the first.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mainspring_core::values::WorkerId;
use tracing::{info, warn};

use super::leaf::Leaf;
use super::{Cgroup, CgroupLimits, Cgroups};
use crate::attempt::Key;

pub const AGENT: &str = "mainspring-agent";
/// Memory first: it is the one that the kernel refuses while a process is in the way.
const CONTROLLERS: [&str; 3] = ["memory", "cpu", "pids"];
const CPU_PERIOD_US: u64 = 100_000;
/// The kernel takes no smaller share of a period.
const CPU_QUOTA_US_MIN: u64 = 1000;

/// What earlier agents left is ended at the start, which may take so long in all; the next start finds the rest.
const CLEAR_MAX: Duration = Duration::from_secs(2);

/// This worker's directory and what can be limited in it; the directory goes with it if it is empty.
pub struct CgroupFs {
    pub(super) dir: PathBuf,
    pub(super) controllers: Vec<&'static str>,
}

impl CgroupFs {
    /// Makes the worker's directory in `base`, or says why that cannot be.
    pub fn open(base: &Path, worker: WorkerId) -> Result<Self, String> {
        let listed = fs::read_to_string(base.join("cgroup.controllers"))
            .map_err(|error| format!("cannot read `cgroup.controllers` in `{}`: {error}", base.display()))?;
        let listed: Vec<&str> = listed.split_whitespace().collect();
        let dir = base.join(format!("mainspring-{worker}"));
        match fs::create_dir(&dir) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(format!("cannot write to `{}`: {error}", base.display()));
            }
            _ => {}
        }
        let mut cgroups = Self { dir, controllers: Vec::new() };
        for name in CONTROLLERS {
            let enabled = if listed.contains(&name) {
                enable(base, name).and_then(|()| switch_on(&cgroups.dir, name))
            } else {
                Err(ErrorKind::NotFound.into())
            };
            match enabled {
                Ok(()) => cgroups.controllers.push(name),
                Err(error) if error.kind() == ErrorKind::ResourceBusy => {
                    return Err(format!(
                        "other processes are in `{}`, the worker's own cgroup",
                        base.display()
                    ));
                }
                Err(error) => {
                    info!(controller = name, %error, "not to be had: its limits are not enforced");
                }
            }
        }
        if cgroups.controllers.is_empty() {
            return Err(format!("no controller can be used in `{}`", base.display()));
        }
        Ok(cgroups)
    }

    fn attempt(&self, key: Key) -> PathBuf {
        self.dir.join(name(key))
    }

    fn limit(&self, cgroup: &Leaf, limits: CgroupLimits) -> io::Result<()> {
        let has = |name| self.controllers.contains(&name);
        if let Some(bytes) = limits.memory_bytes.filter(|_| has("memory")) {
            cgroup.write("memory.max", &bytes.to_string())?;
            // Absent on a kernel that does not count swap.
            let _ = cgroup.write("memory.swap.max", "0");
        }
        if let Some(milli) = limits.cpu_milli.filter(|_| has("cpu")) {
            let quota = milli.saturating_mul(CPU_PERIOD_US / 1000).max(CPU_QUOTA_US_MIN);
            cgroup.write("cpu.max", &format!("{quota} {CPU_PERIOD_US}"))?;
        }
        if let Some(processes) = limits.processes.filter(|_| has("pids")) {
            cgroup.write("pids.max", &processes.to_string())?;
        }
        Ok(())
    }
}

impl Cgroups for CgroupFs {
    fn create(&self, attempt: Key, limits: CgroupLimits) -> io::Result<Box<dyn Cgroup>> {
        let cgroup = Leaf(self.attempt(attempt));
        fs::create_dir(&cgroup.0)?;
        if let Err(error) = self.limit(&cgroup, limits) {
            // Nothing is in it.
            let _ = cgroup.remove();
            return Err(error);
        }
        Ok(Box::new(cgroup))
    }

    fn find(&self, attempt: Key) -> Option<Box<dyn Cgroup>> {
        let dir = self.attempt(attempt);
        if dir.is_dir() { Some(Box::new(Leaf(dir))) } else { None }
    }

    fn clear(&self, kept: &[Key]) {
        let kept: Vec<String> = kept.iter().map(|key| name(*key)).collect();
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let is_left = |entry: &fs::DirEntry| {
            entry.path().is_dir() && !kept.iter().any(|name| entry.file_name() == name.as_str())
        };
        let left: Vec<Leaf> = entries.filter(is_left).map(|entry| Leaf(entry.path())).collect();
        // All are told before any is waited for.
        let killed: Vec<io::Result<()>> = left.iter().map(Leaf::kill).collect();
        let until = Instant::now() + CLEAR_MAX;
        for (leaf, killed) in left.iter().zip(killed) {
            let patience = until.saturating_duration_since(Instant::now());
            if let Err(error) = killed.and_then(|()| leaf.remove_when_empty(patience)) {
                warn!(cgroup = %leaf.0.display(), %error, "a cgroup of an earlier agent stays for now");
            }
        }
    }
}

impl Drop for CgroupFs {
    fn drop(&mut self) {
        // Kept processes hold it.
        let _ = fs::remove_dir(&self.dir);
    }
}

/// The same as of the attempt's control directory.
fn name(key: Key) -> String {
    format!("{}-{}", key.task, key.fence.bits())
}

/// The agent goes out of the way if it is the only one in it.
fn enable(base: &Path, controller: &str) -> io::Result<()> {
    match switch_on(base, controller) {
        Err(error) if error.kind() == ErrorKind::ResourceBusy && is_alone(base) => {
            let room = base.join(AGENT);
            fs::create_dir(&room).or_else(|error| match error.kind() {
                ErrorKind::AlreadyExists => Ok(()),
                _ => Err(error),
            })?;
            fs::write(room.join("cgroup.procs"), "0")?;
            switch_on(base, controller)
        }
        switched => switched,
    }
}

fn switch_on(dir: &Path, controller: &str) -> io::Result<()> {
    fs::write(dir.join("cgroup.subtree_control"), format!("+{controller}"))
}

fn is_alone(base: &Path) -> bool {
    let inside = fs::read_to_string(base.join("cgroup.procs")).unwrap_or_default();
    inside.trim() == std::process::id().to_string()
}
