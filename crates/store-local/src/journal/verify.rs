//! A check of a whole journal that changes nothing: every frame, and the chain of hashes through them.

use std::path::Path;

use mainspring_core::values::Seq;
use mainspring_store::OpenError;
use mainspring_store::frame::Hash;

use super::walk::{Torn, journal_dir, walk};
use crate::lock::DirLock;

/// What a journal holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VerifyReport {
    pub segments: usize,
    pub records: u64,
    pub events: u64,
    /// [`Seq::ZERO`] if there is no record.
    pub first: Seq,
    pub last: Seq,
    /// Vouches for every record up to `last`, dropped ones included.
    pub last_hash: Hash,
    /// An append that was cut short behind `last`; opening the store will cut it away.
    pub torn: Option<Torn>,
}

/// Needs the directory for itself: the end of a journal that is being written has no meaning.
pub fn verify(dir: &Path) -> Result<VerifyReport, OpenError> {
    let journal = journal_dir(dir);
    if !journal.is_dir() {
        return Err(OpenError::Backend {
            what: format!("`{}`", dir.display()),
            why: "there is no journal in it".into(),
        });
    }
    let _lock = DirLock::take(dir)?;
    let mut report = VerifyReport::default();
    let walked = walk(&journal, Seq::ZERO, &mut |frame| {
        report.records += 1;
        report.events += u64::from(frame.events);
        if report.first == Seq::ZERO {
            report.first = frame.seq;
        }
        report.last = frame.seq;
        report.last_hash = frame.hash;
        Ok(())
    })?;
    report.segments = walked.segments.len();
    report.torn = walked.torn;
    Ok(report)
}
