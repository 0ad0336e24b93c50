//! What the operating system says about this process and this disk.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Bytes of this process's memory that are resident.
pub(crate) fn resident_bytes() -> u64 {
    resident_bytes_of(std::process::id())
}

pub(crate) fn resident_bytes_of(process: u32) -> u64 {
    let statm = std::fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0);
    pages * 4096
}

/// The most that a process ever had resident.
pub(crate) fn peak_bytes_of(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0);
    kib * 1024
}

/// CPU time of all threads of this process so far.
pub(crate) fn cpu_time() -> Duration {
    cpu_time_of(std::process::id())
}

pub(crate) fn cpu_time_of(process: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // After the parenthesised name: state is field 3, user and system ticks are fields 14 and 15.
    let after_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let ticks: u64 =
        after_name.split(' ').skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// Bytes that the process has caused to be written to disks so far.
pub(crate) fn written_bytes_of(process: u32) -> u64 {
    let io = std::fs::read_to_string(format!("/proc/{process}/io")).unwrap_or_default();
    let line = io.lines().find_map(|line| line.strip_prefix("write_bytes: "));
    line.and_then(|bytes| bytes.parse().ok()).unwrap_or(0)
}

/// A directory of our own that goes away with us.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(inside: &Path) -> std::io::Result<Self> {
        let dir = inside.join(format!("mainspring-bench-{}", std::process::id()));
        std::fs::create_dir_all(&dir)?;
        Ok(Self(dir))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Median time of an fdatasync after a 4 KiB overwrite.
pub(crate) fn fsync_median(dir: &Path) -> std::io::Result<Duration> {
    let path = dir.join("fsync-probe");
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).open(&path)?;
    file.write_all(&vec![0; 1 << 20])?;
    file.sync_all()?;
    let mut times = Vec::new();
    for turn in 0..101_u64 {
        file.seek(SeekFrom::Start(turn * 4096))?;
        file.write_all(&[1; 4096])?;
        let start = Instant::now();
        file.sync_data()?;
        times.push(start.elapsed());
    }
    std::fs::remove_file(&path)?;
    times.sort();
    Ok(times[times.len() / 2])
}
