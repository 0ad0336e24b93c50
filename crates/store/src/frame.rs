//! The frame around a record in a journal: what makes it provably whole, in order, and ours.
//! Entry: [`encode`] to write, [`Frames`] to walk what was written.
//! - FR-1 magic, length, checksum, version, journal id and sequence keep their places in every version, so
//!   that an older reader can tell a newer record from a damaged one
//! - FR-2 a record carries the hash of the one before it; one hash therefore vouches for all before it
//! - FR-3 bytes of an earlier use of the same file are never taken for records: their sequence is too low
//! - FR-4 the journal's random id is in every frame, so that a payload cannot pose as one
//!
//! ```text
//!  0 magic    4 length of all    8 crc32c of 12..    12 version    14 zero    16 journal    24 epoch
//! 32 seq     40 elapsed         48 wall              56 events     60 zero    64 previous hash    96 body
//! ```
//! Integers are little-endian. Not here: files (`store-local`), what is in the body (`format`).

use mainspring_core::id::{Epoch, Seq};
use mainspring_core::time::Now;

use crate::journal::Record;

pub const MAGIC: [u8; 4] = *b"\xf4Msp";
pub const VERSION: u16 = 1;
pub const HEADER_BYTES: usize = 96;
/// Zeros that a writer leaves after the newest frame, so that its end is known even in a file used before.
pub const TERMINATOR_BYTES: usize = 12;

/// blake3 of a whole frame.
pub type Hash = [u8; 32];

/// Where a chain stands: what the next frame must say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Drawn at random when the journal was made.
    pub journal: u64,
    /// The next record's sequence.
    pub next: Seq,
    /// Hash of the record before it; zeros before the first.
    pub previous: Hash,
    /// Epochs never fall along a journal.
    pub epoch: Epoch,
}

/// Bytes that `record` takes in a journal.
pub fn encoded_len(record: &Record) -> usize {
    HEADER_BYTES + record.body.len()
}

/// Appends the frame of `record` to `out` and answers its hash.
pub fn encode(record: &Record, journal: u64, previous: &Hash, out: &mut Vec<u8>) -> Hash {
    let start = out.len();
    let len = u32::try_from(encoded_len(record)).expect("a record is cut far below 4 GiB");
    out.reserve(len as usize);
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&len.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&[0; 2]);
    out.extend_from_slice(&journal.to_le_bytes());
    out.extend_from_slice(&record.epoch.get().to_le_bytes());
    out.extend_from_slice(&record.seq.get().to_le_bytes());
    out.extend_from_slice(&record.now.elapsed.millis().to_le_bytes());
    out.extend_from_slice(&record.now.wall.millis().to_le_bytes());
    out.extend_from_slice(&record.events.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(previous);
    out.extend_from_slice(&record.body);
    let crc = crc32c::crc32c(&out[start + 12..]);
    out[start + 8..start + 12].copy_from_slice(&crc.to_le_bytes());
    *blake3::hash(&out[start..]).as_bytes()
}

/// What stands at a place of a journal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found<'a> {
    Frame(Frame<'a>),
    /// The writer stopped here; what follows was never written or is of an earlier use.
    End,
    /// A write that was cut short, and no record after it: to be cut away, loudly.
    Torn {
        at: usize,
        why: &'static str,
    },
    Damaged {
        at: usize,
        why: &'static str,
    },
    Newer {
        at: usize,
        found: u32,
        known: u32,
    },
}

/// A frame that is whole and in its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame<'a> {
    pub at: usize,
    pub epoch: Epoch,
    pub seq: Seq,
    pub now: Now,
    pub events: u32,
    pub body: &'a [u8],
    pub hash: Hash,
}

impl Frame<'_> {
    pub fn to_record(&self) -> Record {
        let Self { epoch, seq, now, events, .. } = *self;
        Record { epoch, seq, now, events, body: self.body.to_vec() }
    }
}

/// Walks the frames of one stretch of bytes. After anything but a frame it stays where it is.
pub struct Frames<'a> {
    bytes: &'a [u8],
    at: usize,
    link: Link,
}

impl<'a> Frames<'a> {
    pub fn new(bytes: &'a [u8], at: usize, link: Link) -> Self {
        Self { bytes, at, link }
    }

    /// Where the next frame begins or would begin.
    pub fn at(&self) -> usize {
        self.at
    }

    pub fn link(&self) -> Link {
        self.link
    }

    pub fn step(&mut self) -> Found<'a> {
        let rest = &self.bytes[self.at..];
        let found = match whole(rest) {
            Whole::Yes { version, .. } if version > VERSION => {
                Found::Newer { at: self.at, found: u32::from(version), known: u32::from(VERSION) }
            }
            Whole::Yes { frame, .. } => self.judge(frame),
            Whole::No { why } if self.live_frame_after() => Found::Damaged { at: self.at, why },
            Whole::No { why } => Found::Torn { at: self.at, why },
            Whole::Zeros if self.live_frame_after() => {
                Found::Damaged { at: self.at, why: "holds zeros, and a later record follows" }
            }
            Whole::Zeros => Found::End,
        };
        if let Found::Frame(frame) = &found {
            self.at += HEADER_BYTES + frame.body.len();
            self.link.next = frame.seq.next();
            self.link.previous = frame.hash;
            self.link.epoch = frame.epoch;
        }
        found
    }

    /// A frame whose checksum holds: is it the one that belongs here?
    fn judge(&self, frame: &'a [u8]) -> Found<'a> {
        let damaged = |why| Found::Damaged { at: self.at, why };
        let seq = Seq::new(u64_at(frame, 32));
        let epoch = Epoch::new(u64_at(frame, 24));
        let foreign = u64_at(frame, 16) != self.link.journal;
        if foreign || seq < self.link.next {
            // Left over from an earlier use of these bytes, unless the journal goes on behind it.
            return if self.live_frame_after() { damaged("holds an older record") } else { Found::End };
        }
        if seq > self.link.next {
            return damaged("holds a later record: records are missing before it");
        }
        if frame[14..16] != [0; 2] || frame[60..64] != [0; 4] {
            return damaged("has bytes set that this version keeps zero");
        }
        if frame[64..96] != self.link.previous {
            return damaged("does not carry the hash of the record before it");
        }
        if epoch < self.link.epoch {
            return damaged("carries an older epoch than the record before it");
        }
        Found::Frame(Frame {
            at: self.at,
            epoch,
            seq,
            now: Now::new(u64_at(frame, 40), u64_at(frame, 48)),
            events: u32_at(frame, 56),
            body: &frame[HEADER_BYTES..],
            hash: *blake3::hash(frame).as_bytes(),
        })
    }

    /// Whether a whole frame of this journal, not older than the one looked for, lies further on.
    fn live_frame_after(&self) -> bool {
        has_live_frame(&self.bytes[(self.at + 1).min(self.bytes.len())..], self.link)
    }
}

/// Whether any whole frame of the same journal with sequence `link.next` or later begins in `bytes`.
pub fn has_live_frame(bytes: &[u8], link: Link) -> bool {
    // The checksum comes last: a payload full of magics must not cost one each (FR-4).
    has_frame_that(bytes, |rest| {
        u64_at(rest, 16) == link.journal && u64_at(rest, 32) >= link.next.get() && is_whole(rest)
    })
}

/// The epoch in a frame's header, if it belongs to the same journal with sequence `link.next` or later.
pub fn live_epoch(header: &[u8; HEADER_BYTES], link: Link) -> Option<Epoch> {
    let live =
        header[..4] == MAGIC && u64_at(header, 16) == link.journal && u64_at(header, 32) >= link.next.get();
    live.then(|| Epoch::new(u64_at(header, 24)))
}

/// Whether any whole frame of any journal begins in `bytes`.
pub fn has_any_frame(bytes: &[u8]) -> bool {
    has_frame_that(bytes, is_whole)
}

const SCAN_CHUNK: usize = 4096;

/// By chunks, because what lies behind the end is mostly zeros, and `contains` is quick to say so.
fn has_frame_that(bytes: &[u8], test: impl Fn(&[u8]) -> bool) -> bool {
    let begins = |rest: &[u8]| rest.len() >= HEADER_BYTES && rest[..4] == MAGIC && test(rest);
    bytes.chunks(SCAN_CHUNK).enumerate().any(|(index, chunk)| {
        let start = index * SCAN_CHUNK;
        chunk.contains(&MAGIC[0])
            && (0..chunk.len()).any(|at| chunk[at] == MAGIC[0] && begins(&bytes[start + at..]))
    })
}

fn is_whole(rest: &[u8]) -> bool {
    matches!(whole(rest), Whole::Yes { .. })
}

enum Whole<'a> {
    Yes { version: u16, frame: &'a [u8] },
    No { why: &'static str },
    Zeros,
}

/// Uses only what FR-1 promises.
fn whole(rest: &[u8]) -> Whole<'_> {
    let prefix = &rest[..rest.len().min(TERMINATOR_BYTES)];
    if prefix.iter().all(|byte| *byte == 0) {
        return Whole::Zeros;
    }
    if rest.len() < HEADER_BYTES {
        return Whole::No { why: "has no room for a header" };
    }
    if rest[..4] != MAGIC {
        return Whole::No { why: "does not begin with a record's magic" };
    }
    let len = u32_at(rest, 4) as usize;
    if len < HEADER_BYTES || len > rest.len() {
        return Whole::No { why: "has an impossible length" };
    }
    let frame = &rest[..len];
    if crc32c::crc32c(&frame[12..]) != u32_at(frame, 8) {
        return Whole::No { why: "fails its checksum" };
    }
    let version = u16::from_le_bytes([frame[12], frame[13]]);
    if version == 0 {
        return Whole::No { why: "has version 0, which was never written" };
    }
    Whole::Yes { version, frame }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
