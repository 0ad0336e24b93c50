//! The lock on a data directory: on the directory itself and on the journal's directory, by open file description.
//! The kernel releases it when the process dies, however it dies.
//! - LK-1 nothing inside the directory can be removed to get around the lock; the file `lock` only holds the process
//!   id, for people
//! - LK-2 an owner whose directory was removed or replaced finds out before its next append

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use mainspring_store::OpenError;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::journal::journal_dir;

/// Held by dropping it last: clones of the `Arc` around it sit in everything that writes.
#[derive(Debug)]
pub struct DirLock {
    data: File,
    journal: File,
    /// Where the journal's directory was when it was locked.
    path: PathBuf,
    inode: (u64, u64),
}

/// Why the directory that was locked can no longer be written to.
#[derive(Debug)]
pub enum Lost {
    /// It was removed or renamed; another one may be in its place.
    Gone(String),
    /// Nobody can tell now.
    Unknown(io::Error),
}

impl Drop for DirLock {
    fn drop(&mut self) {
        // Closing the files is not enough: a program that this process starts right now has them, too, until it is
        // loaded.
        let _ = flock(&self.journal, FlockOperation::Unlock);
        let _ = flock(&self.data, FlockOperation::Unlock);
    }
}

impl DirLock {
    /// The journal's directory must exist.
    pub fn take(dir: &Path) -> Result<Self, OpenError> {
        let path = journal_dir(dir);
        let data = lock(dir, dir)?;
        let journal = lock(&path, dir)?;
        let metadata = journal.metadata().map_err(io_error(&path))?;
        // A full disk must not keep a server from starting.
        let _ = fs::write(dir.join("lock"), format!("{}\n", std::process::id()));
        Ok(Self { data, journal, path, inode: inode(&metadata) })
    }

    /// Whether the directory that was locked is still at its path.
    pub fn check(&self) -> Result<(), Lost> {
        match fs::metadata(&self.path) {
            Ok(metadata) if inode(&metadata) == self.inode => Ok(()),
            Ok(_) => Err(Lost::Gone(format!(
                "the data directory is gone: `{}` is another directory now",
                self.path.display()
            ))),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Err(Lost::Gone(format!(
                    "the data directory is gone: `{}` was removed or renamed while the server was running",
                    self.path.display()
                )))
            }
            Err(error) => Err(Lost::Unknown(error)),
        }
    }
}

/// A lock on the directory `what`, for the data directory `dir`.
fn lock(what: &Path, dir: &Path) -> Result<File, OpenError> {
    let file = File::open(what).map_err(io_error(what))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(Errno::WOULDBLOCK) => {
            Err(OpenError::InUse { dir: dir.display().to_string(), holder: holder(dir, &file) })
        }
        Err(errno) => Err(io_error(what)(errno.into())),
    }
}

/// Who holds the lock, as the kernel says; else as the file `lock` says.
fn holder(dir: &Path, locked: &File) -> String {
    let inode = locked.metadata().map(|metadata| metadata.ino().to_string()).unwrap_or_default();
    let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
    // "3: FLOCK  ADVISORY  WRITE 1762 fe:00:5309833 0 EOF"; the process is 0 if it is in another container.
    let by_kernel = locks.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [_, "FLOCK", _, _, process, place, ..] = fields[..] else { return None };
        let here = place.rsplit(':').next() == Some(inode.as_str());
        (here && process != "0").then(|| process.to_owned())
    });
    let noted = || fs::read_to_string(dir.join("lock")).ok().map(|text| text.trim().to_owned());
    let known = by_kernel.or_else(noted).filter(|process| !process.is_empty());
    known.map_or_else(|| "its id is not known".to_owned(), |process| format!("process {process}"))
}

fn inode(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> OpenError + '_ {
    move |source| OpenError::Io { what: format!("locking `{}`", path.display()), source }
}
