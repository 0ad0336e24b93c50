//! The lock on a data directory. The kernel lets go of it when the process dies, however it dies. The file holds the
//! number of the process, for people.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use mainspring_store::OpenError;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// Held by dropping it last: clones of the `Arc` around it sit in everything that writes.
#[derive(Debug)]
pub struct DirLock {
    file: File,
}

impl Drop for DirLock {
    fn drop(&mut self) {
        // Closing the file is not enough: a program that this process starts right now has it, too, until it is loaded.
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

impl DirLock {
    pub fn take(dir: &Path) -> Result<Self, OpenError> {
        let path = dir.join("lock");
        let io = |source| OpenError::Io { what: format!("locking `{}`", path.display()), source };
        let mut file = File::options().create(true).truncate(false).write(true).open(&path).map_err(io)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {
                // A full disk must not keep a server from starting.
                let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
                Ok(Self { file })
            }
            Err(Errno::WOULDBLOCK) => {
                let holder = fs::read_to_string(&path).unwrap_or_default().trim().to_owned();
                Err(OpenError::InUse { dir: dir.display().to_string(), holder })
            }
            Err(errno) => Err(io(errno.into())),
        }
    }
}
