//! The embedded store: a journal of segment files and tables in `SQLite`, in one directory of one process.
//! Entry: [`LocalStore`], [`LocalLogs`], and [`verify`] for a look at a journal without touching it.
//! - SL-1 one process at a time: the directory is locked as long as anything that writes is open; an owner that was
//!   replaced all the same is told by the journal
//! - SL-2 a cut is on disk before `cut` returns, so that the journal before it may be given up
//! - SL-3 a failed fsync is never tried again on the same file: what is on disk is unknown until it is read
//!
//! ```text
//! DIR, DIR/journal             locked while open
//! DIR/lock                     the process id of the owner, for people
//! DIR/journal/00000007.seg     records in order; *.spare: room prepared ahead; *.tmp: being prepared
//! DIR/tables.db                head, live rows, history by day, keys
//! DIR/reserve                  given up when a cut finds the device full
//! DIR/logs/20407/3f/….log      logs of attempts, by the day of their task; see `logs`
//! ```
//! Not here: what the bytes mean (`mainspring-store::format`), when to cut (`mainspring-runtime`).
#![forbid(unsafe_code)]

mod device;
mod journal;
mod lock;
mod logs;
mod open;
mod recovery;
mod reserve;
mod tables;
mod usage;

use std::path::PathBuf;
use std::sync::Arc;

pub use self::{
    device::{Device, Disk, Purpose},
    journal::{LocalJournal, VerifyReport, verify},
    logs::{ATTEMPT_BYTES_CEILING, LocalLogReader, LocalLogWriter, LocalLogs, LogOptions},
    recovery::LocalRecovery,
    tables::{LocalReader, LocalTables},
    usage::{Usage, usage},
};

/// One shard's data in one directory.
#[derive(Clone)]
pub struct LocalStore {
    dir: PathBuf,
    options: LocalOptions,
}

#[derive(Clone)]
pub struct LocalOptions {
    /// Size of a journal segment. A bigger record gets a segment of its own size.
    pub segment_bytes: u64,
    /// Size of the reserve file: room for the cut that lets a full journal be trimmed.
    pub reserve_bytes: u64,
    pub device: Arc<dyn Device>,
}

impl Default for LocalOptions {
    fn default() -> Self {
        // The reserve holds a cut of 20,000 rows of 400 bytes, in the write-ahead log and in the tables.
        Self { segment_bytes: 64 << 20, reserve_bytes: 32 << 20, device: Arc::new(Disk) }
    }
}

impl LocalStore {
    /// Nothing is touched before `open`.
    pub fn new(dir: impl Into<PathBuf>, options: LocalOptions) -> Self {
        Self { dir: dir.into(), options }
    }
}
