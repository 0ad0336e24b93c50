//! The file that an attempt's output goes to.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use tracing::warn;

use crate::attempt::Reporter;

pub struct AttemptLog {
    path: PathBuf,
    /// Made with the first byte: most attempts write nothing.
    file: Option<File>,
    len: u64,
    len_max: u64,
    full: bool,
    reporter: Reporter,
}

impl AttemptLog {
    pub fn new(path: PathBuf, len_max: u64, reporter: Reporter) -> Self {
        Self { path, file: None, len: 0, len_max, full: false, reporter }
    }

    /// Keeps what fits, and says once that the rest is missing.
    pub fn write(&mut self, bytes: &[u8]) {
        if self.full {
            return;
        }
        let room = (self.len_max - self.len).min(bytes.len() as u64) as usize;
        let written = self.append(&bytes[..room]).and_then(|()| {
            self.full = room < bytes.len();
            let note = format!("\n[mainspring: output cut at {} bytes]\n", self.len_max);
            if self.full { self.append(note.as_bytes()) } else { Ok(()) }
        });
        if let Err(error) = written {
            warn!(path = %self.path.display(), %error, "cannot write an attempt's log; the rest of it is lost");
            self.full = true;
        }
        self.reporter.log_grew(self.len);
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(File::create(&self.path)?),
        };
        file.write_all(bytes)?;
        self.len += bytes.len() as u64;
        Ok(())
    }
}
