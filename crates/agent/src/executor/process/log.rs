//! The file that an attempt's output goes to.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
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
    /// Bytes that could not be written, and are not yet told of in the log.
    lost: u64,
    reporter: Reporter,
}

impl AttemptLog {
    pub fn new(path: PathBuf, len_max: u64, reporter: Reporter) -> Self {
        Self { path, file: None, len: 0, len_max, full: false, lost: 0, reporter }
    }

    /// Keeps what fits, and says once that the rest is missing. What cannot be written is lost; what comes later is
    /// tried anew.
    pub fn write(&mut self, bytes: &[u8]) {
        if self.full {
            return;
        }
        if let Err(error) = self.tell_lost().and_then(|()| self.keep(bytes)) {
            if self.lost == 0 {
                warn!(path = %self.path.display(), %error, "cannot write an attempt's log; a part of it is lost");
            }
            self.lost += bytes.len() as u64;
        }
        self.reporter.log_grew(self.len);
    }

    fn tell_lost(&mut self) -> io::Result<()> {
        if self.lost > 0 {
            let note = format!("\n[mainspring: {} bytes of output could not be written]\n", self.lost);
            self.append(note.as_bytes())?;
            self.lost = 0;
        }
        Ok(())
    }

    fn keep(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = self.len_max.saturating_sub(self.len).min(bytes.len() as u64) as usize;
        self.append(&bytes[..room])?;
        self.full = room < bytes.len();
        let note = format!("\n[mainspring: output cut at {} bytes]\n", self.len_max);
        if self.full { self.append(note.as_bytes()) } else { Ok(()) }
    }

    /// All of it at the end of what was written before, or nothing of it: a failed write is written over.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(File::create(&self.path)?),
        };
        file.write_all_at(bytes, self.len)?;
        self.len += bytes.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;
    use crate::attempt::{Event, Key};

    #[test]
    fn a_failed_write_costs_its_own_bytes_and_is_told_of() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("log");
        let (events, mut told) = mpsc::unbounded_channel();
        let key = Key::from_wire(&[1; 16], 1).expect("a key");
        let mut log = AttemptLog::new(path.clone(), 1_000, Reporter { key, events });
        log.write(b"before\n");
        let full = File::options().write(true).open("/dev/full").expect("a device without room");
        let file = log.file.replace(full);
        log.write(b"lost\n");
        log.write(b"lost too\n");
        log.file = file;
        log.write(b"after\n");
        let text = "before\n\n[mainspring: 14 bytes of output could not be written]\nafter\n";
        assert_eq!(std::fs::read_to_string(path).expect("a log"), text);
        let mut last = 0;
        while let Ok(Event::LogGrew(_, len)) = told.try_recv() {
            last = len;
        }
        assert_eq!(last, text.len() as u64, "the server is told how long it is");
    }
}
