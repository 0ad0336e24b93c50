//! The two calls on which durability rests, behind a seam so that tests can make them fail.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// What a call is for; lets a test fail an append without failing the preparation beside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    Append,
    Prepare,
}

/// Where journal bytes go. One virtual call per write and sync, beside a system call each.
pub trait Device: Send + Sync {
    fn write(&self, purpose: Purpose, file: &File, bytes: &[u8], at: u64) -> io::Result<()>;
    fn sync(&self, purpose: Purpose, file: &File) -> io::Result<()>;
}

/// The real one.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Device for Disk {
    fn write(&self, _purpose: Purpose, file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
        file.write_all_at(bytes, at)
    }

    fn sync(&self, _purpose: Purpose, file: &File) -> io::Result<()> {
        file.sync_data()
    }
}

/// Makes creations, renames and removals in `dir` durable.
pub fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// ENOSPC, or the quota that stands for it.
pub fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}
