//! Appending: one write and one sync a record, into room that was prepared before.
//! - JA-1 `Ok` means synced; after `Full` or `Failed` the place of the record reads as the end again
//! - JA-2 after a failed sync the journal refuses everything: only reading the disk anew tells what is on it
//! - JA-3 an owner that finds a record of a newer epoch where its own would go, or its directory gone, never writes
//!   again (`owner`)
//!
//! Room on a full device: the next segment is prepared when the current one is begun, so a whole segment of
//! room is always ahead, and trimmed segments are used again. `Full` is answered only when both are used up.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mainspring_core::values::{Epoch, Seq};
use mainspring_store::frame::{self, Link, TERMINATOR_BYTES};
use mainspring_store::{AppendError, Journal, Record};

use super::prepare::{Preparer, Spare};
use super::segment::{self, HEADER_BYTES, Header};
use super::walk::Segment;
use crate::device::{Device, Purpose, is_full, sync_dir};
use crate::lock::DirLock;
use crate::reserve::Reserve;

/// Trimmed segments kept for later use; more are removed.
const SPARES_MAX: usize = 2;

/// The newest owner's journal, open for appending.
pub struct LocalJournal {
    pub(crate) dir: PathBuf,
    pub(crate) device: Arc<dyn Device>,
    /// This owner's; `link.epoch` is that of the newest record.
    pub(crate) epoch: Epoch,
    pub(crate) link: Link,
    /// Those with records, oldest first.
    pub(crate) segments: VecDeque<Segment>,
    /// Where the next record goes.
    pub(crate) current: Option<Current>,
    pub(crate) spares: Vec<Spare>,
    pub(crate) preparer: Preparer,
    pub(crate) next_number: u64,
    pub(crate) spares_named: u64,
    pub(crate) reserve: Arc<Reserve>,
    pub(crate) buffer: Vec<u8>,
    pub(crate) broken: Option<String>,
    /// Last, so that it is dropped last.
    pub(crate) lock: Arc<DirLock>,
}

/// The room of a large record is kept for the next one, unless that fills less than this part of it.
const ROOM_SHARE_MIN: usize = 64;

/// The segment that is written to; at byte 0 its header is still to come.
pub(crate) struct Current {
    pub file: File,
    pub path: PathBuf,
    pub number: u64,
    pub at: u64,
    pub len: u64,
}

impl Journal for LocalJournal {
    fn append(&mut self, record: &Record) -> Result<(), AppendError> {
        self.admit(record)?;
        self.check_owner()?;
        let frame_bytes = frame::encoded_len(record) as u64;
        let fits = |current: &Current| current.at.max(HEADER_BYTES as u64) + frame_bytes <= current.len;
        let mut current = match self.current.take() {
            Some(current) if fits(&current) => current,
            other => {
                self.leave(other)?;
                self.next_segment(HEADER_BYTES as u64 + frame_bytes)?
            }
        };
        let hash = self.encode(record, &current);
        let outcome = self.write(&current, frame_bytes);
        if outcome.is_ok() {
            self.advance(record, &mut current, hash, frame_bytes);
        }
        self.current = Some(current);
        outcome
    }

    /// The directory is locked: nobody else can have taken one meanwhile. As with opening, the first record makes it known.
    fn renew(&mut self) -> Result<Epoch, AppendError> {
        self.check_owner()?;
        self.epoch = self.epoch.next();
        Ok(self.epoch)
    }

    fn trim(&mut self, through: Seq) -> Result<(), AppendError> {
        self.check_owner()?;
        let mut trimmed = false;
        while self.segments.get(1).is_some_and(|next| next.first.get() <= through.get() + 1) {
            let (path, len) = (self.segments[0].path.clone(), self.segments[0].len);
            // One at a time and oldest first, or a crash could leave a hole among the segments.
            self.give_back(&path, len)
                .and_then(|()| sync_dir(&self.dir))
                .map_err(|error| failed("trimming the journal", &error))?;
            self.segments.pop_front();
            trimmed = true;
        }
        if trimmed {
            self.reserve.fill();
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.used).sum()
    }
}

impl LocalJournal {
    fn admit(&self, record: &Record) -> Result<(), AppendError> {
        if let Some(what) = &self.broken {
            return Err(AppendError::Broken { what: what.clone() });
        }
        if record.epoch != self.epoch {
            return Err(AppendError::Refused { ours: record.epoch, newest: self.epoch });
        }
        if record.seq != self.link.next {
            let last = Seq::new(self.link.next.get() - 1);
            return Err(AppendError::OutOfOrder { last, offered: record.seq });
        }
        Ok(())
    }

    /// Fills the buffer with what is to be written at the current place.
    fn encode(&mut self, record: &Record, current: &Current) -> frame::Hash {
        self.buffer.clear();
        if frame::encoded_len(record) < self.buffer.capacity() / ROOM_SHARE_MIN {
            self.buffer = Vec::new();
        }
        let Link { journal, previous, .. } = self.link;
        if current.at == 0 {
            Header { number: current.number, journal, first: record.seq, previous }.write(&mut self.buffer);
        }
        let hash = frame::encode(record, journal, &previous, &mut self.buffer);
        // Zeros after the newest record: in a segment used before, its end could not be told otherwise.
        let room = (current.len - current.at) as usize - self.buffer.len();
        self.buffer.resize(self.buffer.len() + room.min(TERMINATOR_BYTES), 0);
        hash
    }

    fn write(&mut self, current: &Current, frame_bytes: u64) -> Result<(), AppendError> {
        if let Err(error) = self.device.write(Purpose::Append, &current.file, &self.buffer, current.at) {
            self.cut_back(current)?;
            return Err(if is_full(&error) {
                AppendError::Full { bytes: frame_bytes }
            } else {
                failed("writing the journal", &error)
            });
        }
        let synced = self.device.sync(Purpose::Append, &current.file);
        synced.map_err(|error| self.broke(format!("fdatasync: {error}")))
    }

    /// Makes the place of a record that was not written whole read as the end again.
    fn cut_back(&mut self, current: &Current) -> Result<(), AppendError> {
        let zeros = vec![0; (current.len - current.at).min(self.buffer.len() as u64) as usize];
        self.device
            .write(Purpose::Append, &current.file, &zeros, current.at)
            .map_err(|error| self.broke(format!("cutting back a failed write: {error}")))
    }

    pub(super) fn broke(&mut self, what: String) -> AppendError {
        tracing::error!(%what, "the journal can no longer be trusted: stop and recover");
        self.broken = Some(what.clone());
        AppendError::Broken { what }
    }

    fn advance(&mut self, record: &Record, current: &mut Current, hash: frame::Hash, frame_bytes: u64) {
        if current.at == 0 {
            current.at = HEADER_BYTES as u64;
            self.segments.push_back(Segment {
                number: current.number,
                path: current.path.clone(),
                first: record.seq,
                used: current.at,
                len: current.len,
            });
        }
        current.at += frame_bytes;
        if let Some(segment) = self.segments.back_mut() {
            segment.used = current.at;
        }
        self.link.next = record.seq.next();
        self.link.previous = hash;
        self.link.epoch = record.epoch;
    }

    /// Done with a segment. One that got no record gives its number back, or it would be a hole.
    fn leave(&mut self, current: Option<Current>) -> Result<(), AppendError> {
        if let Some(unborn) = current.filter(|current| current.at == 0) {
            self.give_back(&unborn.path, unborn.len)
                .map_err(|error| self.broke(format!("giving back an unused segment: {error}")))?;
            self.next_number = unborn.number;
        }
        Ok(())
    }

    /// Takes the next room, by rename; the segment is born with its first record.
    fn next_segment(&mut self, need: u64) -> Result<Current, AppendError> {
        let full_or_failed = |error: io::Error| {
            if is_full(&error) {
                AppendError::Full { bytes: need }
            } else {
                failed("preparing a journal segment", &error)
            }
        };
        let number = self.next_number;
        let spare = self.room(need).map_err(full_or_failed)?;
        let path = segment::path(&self.dir, number, segment::SEGMENT);
        std::fs::rename(&spare.path, &path).map_err(full_or_failed)?;
        self.next_number += 1;
        // From here on the number is taken: a failure would leave a hole, so it is final.
        sync_dir(&self.dir)
            .map_err(|error| self.broke(format!("fsync of the journal's directory: {error}")))?;
        let file = File::options()
            .read(true)
            .write(true)
            .open(&path)
            .map_err(|error| self.broke(format!("opening a journal segment: {error}")))?;
        self.prepare_ahead();
        Ok(Current { file, path, number, at: 0, len: spare.len })
    }

    /// Keeps room for one more segment on its way.
    pub(crate) fn prepare_ahead(&mut self) {
        if self.spares.is_empty() {
            let name = self.spare_name();
            self.preparer.request(name);
        }
    }

    fn room(&mut self, need: u64) -> io::Result<Spare> {
        if let Some(index) = self.spares.iter().position(|spare| spare.len >= need) {
            return Ok(self.spares.swap_remove(index));
        }
        match self.preparer.take() {
            Some(spare) if spare.len >= need => return Ok(spare),
            Some(small) => self.spares.push(small),
            None => {}
        }
        let name = self.spare_name();
        self.preparer.make(name, need)
    }

    fn give_back(&mut self, segment: &Path, len: u64) -> io::Result<()> {
        if self.spares.len() >= SPARES_MAX {
            return std::fs::remove_file(segment);
        }
        let name = self.spare_name();
        let path = segment::path(&self.dir, name, segment::SPARE);
        std::fs::rename(segment, &path)?;
        self.spares.push(Spare { path, len });
        Ok(())
    }

    /// Spares are named by a counter of their own, so that none replaces another.
    fn spare_name(&mut self) -> u64 {
        self.spares_named += 1;
        self.spares_named
    }
}

pub(super) fn failed(what: &str, error: &io::Error) -> AppendError {
    AppendError::Failed { what: format!("{what}: {error}") }
}
