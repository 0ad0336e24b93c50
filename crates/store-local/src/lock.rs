//! The lock on a data directory. The kernel lets go of it when the process dies, however it dies.

use std::fs::File;
use std::path::Path;

use mainspring_store::OpenError;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// Held by dropping it last: clones of the `Arc` around it sit in everything that writes.
#[derive(Debug)]
pub struct DirLock {
    _file: File,
}

impl DirLock {
    pub fn take(dir: &Path) -> Result<Self, OpenError> {
        let path = dir.join("lock");
        let io = |source| OpenError::Io { what: format!("locking `{}`", path.display()), source };
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(io)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { _file: file }),
            Err(Errno::WOULDBLOCK) => Err(OpenError::InUse { dir: dir.display().to_string() }),
            Err(errno) => Err(io(errno.into())),
        }
    }
}
