//! The reader: finds the blocks of a range, unpacks them, and says where something is missing.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use mainspring_core::values::TaskId;
use mainspring_store::{LogError, LogKey, LogPage, LogPlace, ReadLogs};

use super::block::{HEAD_BYTES, Head, Kind, MAGIC, Packing};
use super::{Places, io_error};

/// Attempts looked at for one answer; a task with more silent attempts in a row is rare enough.
const ATTEMPTS_MAX: u32 = 10_000;
/// Largest block unpacked: one piece and what was gathered before it.
const RAW_BYTES_MAX: u64 = 4 << 20;

#[derive(Clone, Debug)]
pub struct LocalLogReader {
    places: Places,
}

impl LocalLogReader {
    pub(super) fn new(places: Places) -> Self {
        Self { places }
    }

    fn has_log(&self, task: TaskId, attempt: u32) -> bool {
        self.places.file(LogKey { task, attempt }).exists()
    }
}

impl ReadLogs for LocalLogReader {
    fn newest(&self, task: TaskId, at_most: u32) -> Result<Option<u32>, LogError> {
        let lowest = at_most.saturating_sub(ATTEMPTS_MAX).max(1);
        Ok((lowest..=at_most).rev().find(|attempt| self.has_log(task, *attempt)))
    }

    fn next(&self, task: TaskId, from: u32, at_most: u32) -> Result<Option<u32>, LogError> {
        let highest = at_most.min(from.saturating_add(ATTEMPTS_MAX));
        Ok((from.max(1)..=highest).find(|attempt| self.has_log(task, *attempt)))
    }

    fn read(&self, key: LogKey, place: &mut LogPlace, bytes_max: usize) -> Result<LogPage, LogError> {
        let path = self.places.file(key);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(LogPage::default()),
            Err(error) => return Err(io_error("opening", &path)(error)),
        };
        let len = file.metadata().map_err(io_error("reading", &path))?.len();
        let mut walk = Walk { file, path, len, place: *place, page: LogPage::default(), bytes_max };
        let walked = walk.run();
        // What was read before the damage is worth showing; the next read begins at the damage and says so.
        if walk.page.bytes.is_empty() {
            walked?;
        }
        *place = walk.place;
        Ok(walk.page)
    }
}

struct Walk {
    file: File,
    path: PathBuf,
    len: u64,
    place: LogPlace,
    page: LogPage,
    bytes_max: usize,
}

impl Walk {
    fn run(&mut self) -> Result<(), LogError> {
        let (mut at, mut expected) = self.place.hint;
        if at < MAGIC.len() as u64 || expected > self.place.offset {
            (at, expected) = (MAGIC.len() as u64, 0);
            if !self.has_magic()? {
                return Ok(());
            }
        }
        loop {
            self.place.hint = (at, expected);
            // Not yet written whole, or torn: for a reader the log ends here for now.
            let Some((head, bytes)) = self.head(at)? else { return Ok(()) };
            let next = at + (HEAD_BYTES as u64) + u64::from(head.body_len);
            if next > self.len {
                return Ok(());
            }
            let is_full = self.page.bytes.len() >= self.bytes_max;
            if is_full && (head.kind != Kind::End || self.place.offset < head.offset) {
                return Ok(());
            }
            self.note_gap(expected, &head);
            match head.kind {
                Kind::End => {
                    self.page.complete = true;
                    return Ok(());
                }
                Kind::Cut => self.note_cut(&head),
                Kind::Data => {
                    if self.place.offset < head.end() {
                        self.take(at, &head, &bytes)?;
                    }
                    if self.place.offset < head.end() {
                        return Ok(());
                    }
                }
            }
            (at, expected) = (next, head.end());
        }
    }

    fn has_magic(&self) -> Result<bool, LogError> {
        if self.len < MAGIC.len() as u64 {
            return Ok(false);
        }
        let mut magic = [0; MAGIC.len()];
        self.file.read_exact_at(&mut magic, 0).map_err(io_error("reading", &self.path))?;
        if magic != MAGIC && magic != [0; MAGIC.len()] {
            return Err(LogError::NewerFormat { file: self.path.display().to_string() });
        }
        Ok(magic == MAGIC)
    }

    fn head(&self, at: u64) -> Result<Option<(Head, [u8; HEAD_BYTES])>, LogError> {
        let mut bytes = [0; HEAD_BYTES];
        if at + HEAD_BYTES as u64 > self.len {
            return Ok(None);
        }
        self.file.read_exact_at(&mut bytes, at).map_err(io_error("reading", &self.path))?;
        Ok(Head::read(&bytes).map(|head| (head, bytes)))
    }

    fn note_gap(&mut self, expected: u64, head: &Head) {
        let from = self.place.offset.max(expected);
        if from < head.offset {
            let missing = head.offset - from;
            self.page.bytes.extend(format!("\n… {missing} bytes missing …\n").as_bytes());
            self.place.offset = head.offset;
        }
    }

    fn note_cut(&mut self, head: &Head) {
        if self.place.offset < head.end() {
            let note = format!("\n… the log is longer than {} bytes; the rest was not kept …\n", head.offset);
            self.page.bytes.extend(note.as_bytes());
            self.place.offset = head.end();
        }
    }

    /// As much of the block as fits.
    fn take(&mut self, at: u64, head: &Head, head_bytes: &[u8; HEAD_BYTES]) -> Result<(), LogError> {
        let damaged = |what| LogError::Damaged { file: self.path.display().to_string(), byte: at, what };
        let mut body = vec![0; head.body_len as usize];
        let body_at = at + HEAD_BYTES as u64;
        self.file.read_exact_at(&mut body, body_at).map_err(io_error("reading", &self.path))?;
        if !head.is_whole(head_bytes, &body) || head.raw_len > RAW_BYTES_MAX {
            return Err(damaged("a block's checksum is wrong"));
        }
        let raw = match head.packing {
            Packing::Plain => body,
            Packing::Zstd => zstd::bulk::decompress(&body, head.raw_len as usize)
                .map_err(|_| damaged("a block cannot be unpacked"))?,
        };
        if raw.len() as u64 != head.raw_len {
            return Err(damaged("a block has another length than it says"));
        }
        let from = (self.place.offset - head.offset) as usize;
        let room = self.bytes_max.saturating_sub(self.page.bytes.len());
        let taken = &raw[from..raw.len().min(from.saturating_add(room))];
        self.page.bytes.extend(taken);
        self.place.offset += taken.len() as u64;
        Ok(())
    }
}
