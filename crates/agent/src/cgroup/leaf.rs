//! The cgroup of one attempt: a directory that was new with it, so what it counts is this attempt's alone.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal};

use super::{Cgroup, MemoryEnd};

/// Rounds of ending one by one; each finds what the last one's victims had started meanwhile.
const KILL_ROUNDS: u32 = 64;

pub struct Leaf(pub(super) PathBuf);

impl Leaf {
    pub(super) fn write(&self, file: &str, text: &str) -> io::Result<()> {
        fs::write(self.0.join(file), text)
    }

    /// For kernels before 5.14, which have no `cgroup.kill`.
    fn kill_one_by_one(&self) -> io::Result<()> {
        for _ in 0..KILL_ROUNDS {
            let inside = fs::read_to_string(self.0.join("cgroup.procs"))?;
            // A process of another namespace is shown as 0, which is none to send a signal to.
            let mut ids = inside.lines().filter_map(|id| Pid::from_raw(id.parse().ok()?)).peekable();
            if ids.peek().is_none() {
                return Ok(());
            }
            for id in ids {
                // It may have ended by itself.
                let _ = rustix::process::kill_process(id, Signal::KILL);
            }
        }
        Ok(())
    }
}

impl Cgroup for Leaf {
    fn entrance(&self) -> io::Result<File> {
        File::options().write(true).create(true).truncate(true).open(self.0.join("cgroup.procs"))
    }

    fn kill(&self) -> io::Result<()> {
        self.write("cgroup.kill", "1").or_else(|_| self.kill_one_by_one())
    }

    fn memory_end(&self) -> Option<MemoryEnd> {
        let events = fs::read_to_string(self.0.join("memory.events")).ok()?;
        let count = |name| number_of(&events, name).unwrap_or(0);
        let max = fs::read_to_string(self.0.join("memory.max")).unwrap_or_default();
        let limit_bytes = max.trim().parse().ok();
        // `oom` grows when this cgroup's own limit is in the way, `oom_kill` also when the whole machine's is.
        Some(MemoryEnd { killed: count("oom_kill"), over_limit: limit_bytes.filter(|_| count("oom") > 0) })
    }

    fn memory_peak_bytes(&self) -> Option<u64> {
        fs::read_to_string(self.0.join("memory.peak")).ok()?.trim().parse().ok()
    }

    fn cpu_ms(&self) -> Option<u64> {
        let stat = fs::read_to_string(self.0.join("cpu.stat")).ok()?;
        number_of(&stat, "usage_usec").map(|micros| micros.div_ceil(1000))
    }

    fn remove(&self) -> io::Result<()> {
        remove_tree(&self.0)
    }

    fn remove_when_empty(&self, patience: Duration) -> io::Result<()> {
        let until = Instant::now() + patience;
        let events = self.0.join("cgroup.events");
        loop {
            // Read before it is tried: what changes after that is seen by the wait.
            let changes = File::open(&events);
            let seen = changes.as_ref().map(|file| file.read_at(&mut [0; 256], 0));
            match (self.remove(), seen) {
                (Err(error), Ok(_)) if is_busy(&error) && Instant::now() < until => {}
                (removed, _) => return removed,
            }
            let left = until.saturating_duration_since(Instant::now());
            let left = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
            poll(&mut [PollFd::new(&changes?, PollFlags::PRI)], Some(&left))?;
        }
    }
}

/// Of a file with a name and a number in each line.
fn number_of(text: &str, name: &str) -> Option<u64> {
    let (_, number) = text.lines().filter_map(|line| line.split_once(' ')).find(|(key, _)| *key == name)?;
    number.parse().ok()
}

pub(super) fn is_busy(error: &io::Error) -> bool {
    error.kind() == ErrorKind::ResourceBusy
}

/// With the cgroups that the program made inside of it; a cgroup's files go by themselves.
fn remove_tree(dir: &Path) -> io::Result<()> {
    match fs::remove_dir(dir) {
        Err(error) if is_busy(&error) => {
            for entry in fs::read_dir(dir)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    remove_tree(&entry.path())?;
                }
            }
            fs::remove_dir(dir)
        }
        removed => removed,
    }
}
