//! The reserve: room that is given up when a cut finds the device full. The cut lets the journal be trimmed,
//! trimmed segments are used again, and so results can still be recorded on a full device.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Zeros written at once.
const CHUNK: usize = 1 << 20;

#[derive(Debug)]
pub struct Reserve {
    path: PathBuf,
    bytes: u64,
}

impl Reserve {
    pub fn new(dir: &Path, bytes: u64) -> Self {
        Self { path: dir.join("reserve"), bytes }
    }

    /// Makes the file if there is room. Zeros, not a hole: a hole would reserve nothing.
    pub fn fill(&self) {
        if std::fs::metadata(&self.path).is_ok_and(|file| file.len() == self.bytes) {
            return;
        }
        if let Err(error) = self.write() {
            tracing::warn!(path = %self.path.display(), %error, "no room for the reserve file");
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// Whether anything was given up.
    pub fn give_up(&self) -> bool {
        let given = std::fs::remove_file(&self.path).is_ok();
        if given {
            tracing::warn!(bytes = self.bytes, "device full: the reserve was given up for a cut");
        }
        given
    }

    fn write(&self) -> io::Result<()> {
        use io::Write;
        let mut file = File::create(&self.path)?;
        let zeros = vec![0; CHUNK];
        let mut left = self.bytes;
        while left > 0 {
            let chunk = left.min(CHUNK as u64);
            file.write_all(&zeros[..chunk as usize])?;
            left -= chunk;
        }
        file.sync_all()
    }
}
