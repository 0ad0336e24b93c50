//! Whether the journal still belongs to this owner, asked before every append: one `stat`, one look at the place of the
//! next record and one at the name of the next segment. The lock keeps a second process out; this catches one that got
//! in all the same (a file system that does not keep locks), and a directory that was removed or replaced.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use mainspring_core::values::Epoch;
use mainspring_store::AppendError;
use mainspring_store::frame;

use super::append::{LocalJournal, failed};
use super::segment::{self, HEADER_BYTES, Header, Parsed};
use crate::lock::Lost;

impl LocalJournal {
    pub(super) fn check_owner(&mut self) -> Result<(), AppendError> {
        match self.lock.check() {
            Ok(()) => {}
            Err(Lost::Gone(what)) => return Err(self.broke(what)),
            Err(Lost::Unknown(error)) => return Err(failed("looking for the data directory", &error)),
        }
        match self.newer_epoch() {
            None => Ok(()),
            Some(newest) => {
                tracing::error!(
                    ours = self.epoch.get(),
                    newest = newest.get(),
                    "another process writes this journal"
                );
                Err(AppendError::Refused { ours: self.epoch, newest })
            }
        }
    }

    /// The epoch of a record that somebody else wrote behind our last one.
    fn newer_epoch(&self) -> Option<Epoch> {
        let next = segment::path(&self.dir, self.next_number, segment::SEGMENT);
        if next.exists() {
            return Some(self.first_epoch(&next).unwrap_or(self.epoch.next()));
        }
        let current = self.current.as_ref()?;
        if current.at > 0 {
            return self.live_epoch(&current.file, current.at);
        }
        let mut header = [0; HEADER_BYTES];
        current.file.read_exact_at(&mut header, 0).ok()?;
        let ours = |header: &Header| header.number == current.number && header.journal == self.link.journal;
        match Header::parse(&header) {
            Parsed::Header(header) if ours(&header) => self.live_epoch(&current.file, HEADER_BYTES as u64),
            _ => None,
        }
    }

    fn first_epoch(&self, segment: &Path) -> Option<Epoch> {
        self.live_epoch(&File::open(segment).ok()?, HEADER_BYTES as u64)
    }

    /// The epoch of the frame at this place, if it continues our journal.
    fn live_epoch(&self, file: &File, at: u64) -> Option<Epoch> {
        let mut header = [0; frame::HEADER_BYTES];
        file.read_exact_at(&mut header, at).ok()?;
        frame::live_epoch(&header, self.link)
    }
}
