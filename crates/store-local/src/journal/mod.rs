//! The journal: records in segment files that were written full of zeros before, so that a sync has no
//! metadata to carry.
//! Entry: [`LocalJournal`], [`walk`] to read, [`verify`] to check.
//! - JL-1 a record lies in one segment; segments are numbered without a gap, records too
//! - JL-2 a segment's first bytes say its number, its first record and the hash before it; they are written
//!   with its first record, so a segment without them holds nothing
//! - JL-3 a trimmed segment is used again as it is: its old frames have lower sequences (FR-3), its old
//!   header another number

mod append;
mod owner;
mod pieces;
mod prepare;
mod segment;
mod verify;
mod walk;

pub(crate) use self::{
    append::Current,
    prepare::{Preparer, Spare, write_zeros},
    segment::{HEADER_BYTES, SEGMENT, SPARE, UNFINISHED, list},
};
pub use self::{
    append::LocalJournal,
    verify::{VerifyReport, verify},
    walk::{Torn, Walked, journal_dir, walk},
};
