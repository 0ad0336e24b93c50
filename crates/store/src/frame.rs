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

use std::convert::Infallible;

use mainspring_core::values::{Epoch, Now, Seq};

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

/// Bytes that frames are read from: a slice, or a file that is read in pieces.
pub trait Source {
    type Error;

    fn len(&self) -> usize;

    /// `len` bytes from `at` on; fewer where the source ends.
    fn read(&mut self, at: usize, len: usize) -> Result<&[u8], Self::Error>;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Source for &[u8] {
    type Error = Infallible;

    fn len(&self) -> usize {
        <[u8]>::len(self)
    }

    fn read(&mut self, at: usize, len: usize) -> Result<&[u8], Infallible> {
        let start = at.min(<[u8]>::len(self));
        Ok(&self[start..start.saturating_add(len).min(<[u8]>::len(self))])
    }
}

impl<S: Source> Source for &mut S {
    type Error = S::Error;

    fn len(&self) -> usize {
        (**self).len()
    }

    fn read(&mut self, at: usize, len: usize) -> Result<&[u8], S::Error> {
        (**self).read(at, len)
    }
}

/// Walks the frames of a source. After anything but a frame it stays where it is.
pub struct Frames<S> {
    source: S,
    at: usize,
    link: Link,
}

impl<S: Source> Frames<S> {
    pub fn new(source: S, at: usize, link: Link) -> Self {
        Self { source, at, link }
    }

    /// Where the next frame begins or would begin.
    pub fn at(&self) -> usize {
        self.at
    }

    pub fn link(&self) -> Link {
        self.link
    }

    pub fn step(&mut self) -> Result<Found<'_>, S::Error> {
        let at = self.at;
        let (why, is_torn) = match whole(&mut self.source, at)? {
            Whole::Yes { version, .. } if version > VERSION => {
                return Ok(Found::Newer { at, found: u32::from(version), known: u32::from(VERSION) });
            }
            Whole::Yes { len, .. } => match judge(self.source.read(at, len)?, self.link) {
                Judged::Next => return self.pass(len).map(Found::Frame),
                Judged::Older => ("holds an older record", false),
                Judged::Damaged(why) => return Ok(Found::Damaged { at, why }),
            },
            Whole::No { why } => (why, true),
            Whole::Zeros => ("holds zeros, and a later record follows", false),
        };
        if has_live_frame_from(&mut self.source, at + 1, self.link)? {
            return Ok(Found::Damaged { at, why });
        }
        Ok(if is_torn { Found::Torn { at, why } } else { Found::End })
    }

    /// Goes past the frame of `len` bytes that was found to be the next one.
    fn pass(&mut self, len: usize) -> Result<Frame<'_>, S::Error> {
        let at = self.at;
        let frame = self.source.read(at, len)?;
        let frame = Frame {
            at,
            epoch: Epoch::new(u64_at(frame, 24)),
            seq: Seq::new(u64_at(frame, 32)),
            now: Now::new(u64_at(frame, 40), u64_at(frame, 48)),
            events: u32_at(frame, 56),
            body: &frame[HEADER_BYTES..],
            hash: *blake3::hash(frame).as_bytes(),
        };
        self.at += len;
        self.link.next = frame.seq.next();
        self.link.previous = frame.hash;
        self.link.epoch = frame.epoch;
        Ok(frame)
    }
}

enum Judged {
    Next,
    /// Left over from an earlier use of these bytes, unless the journal goes on behind it.
    Older,
    Damaged(&'static str),
}

/// A frame whose checksum holds: is it the one that belongs here?
fn judge(frame: &[u8], link: Link) -> Judged {
    let seq = Seq::new(u64_at(frame, 32));
    if u64_at(frame, 16) != link.journal || seq < link.next {
        return Judged::Older;
    }
    if seq > link.next {
        return Judged::Damaged("holds a later record: records are missing before it");
    }
    if frame[14..16] != [0; 2] || frame[60..64] != [0; 4] {
        return Judged::Damaged("has bytes set that this version keeps zero");
    }
    if frame[64..96] != link.previous {
        return Judged::Damaged("does not carry the hash of the record before it");
    }
    if Epoch::new(u64_at(frame, 24)) < link.epoch {
        return Judged::Damaged("carries an older epoch than the record before it");
    }
    Judged::Next
}

/// Whether any whole frame of the same journal with sequence `link.next` or later begins in `source`.
pub fn has_live_frame<S: Source>(source: &mut S, link: Link) -> Result<bool, S::Error> {
    has_live_frame_from(source, 0, link)
}

fn has_live_frame_from<S: Source>(source: &mut S, from: usize, link: Link) -> Result<bool, S::Error> {
    // The checksum comes last: a payload full of magics must not cost one each (FR-4).
    has_frame_that(source, from, |header| {
        u64_at(header, 16) == link.journal && u64_at(header, 32) >= link.next.get()
    })
}

/// The epoch in a frame's header, if it belongs to the same journal with sequence `link.next` or later.
pub fn live_epoch(header: &[u8; HEADER_BYTES], link: Link) -> Option<Epoch> {
    let live =
        header[..4] == MAGIC && u64_at(header, 16) == link.journal && u64_at(header, 32) >= link.next.get();
    live.then(|| Epoch::new(u64_at(header, 24)))
}

/// Whether any whole frame of any journal begins in `source`.
pub fn has_any_frame<S: Source>(source: &mut S) -> Result<bool, S::Error> {
    has_frame_that(source, 0, |_| true)
}

const SCAN_CHUNK: usize = 4096;

/// By chunks, because what lies behind the end is mostly zeros, and `contains` is quick to say so. A chunk is read
/// with what follows it, so that a header that begins in it is whole.
fn has_frame_that<S: Source>(
    source: &mut S,
    from: usize,
    test: impl Fn(&[u8]) -> bool,
) -> Result<bool, S::Error> {
    let mut candidates = Vec::new();
    for start in (from..source.len()).step_by(SCAN_CHUNK) {
        let bytes = source.read(start, SCAN_CHUNK + HEADER_BYTES - 1)?;
        let chunk = &bytes[..bytes.len().min(SCAN_CHUNK)];
        if !chunk.contains(&MAGIC[0]) {
            continue;
        }
        candidates.clear();
        candidates.extend((0..chunk.len()).filter(|at| {
            let header = &bytes[*at..];
            header.len() >= HEADER_BYTES && header[..4] == MAGIC && test(header)
        }));
        for at in &candidates {
            if matches!(whole(source, start + at)?, Whole::Yes { .. }) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

enum Whole {
    Yes { version: u16, len: usize },
    No { why: &'static str },
    Zeros,
}

/// Uses only what FR-1 promises.
fn whole<S: Source>(source: &mut S, at: usize) -> Result<Whole, S::Error> {
    let room = source.len().saturating_sub(at);
    let header = source.read(at, HEADER_BYTES)?;
    let prefix = &header[..header.len().min(TERMINATOR_BYTES)];
    if prefix.iter().all(|byte| *byte == 0) {
        return Ok(Whole::Zeros);
    }
    if header.len() < HEADER_BYTES {
        return Ok(Whole::No { why: "has no room for a header" });
    }
    if header[..4] != MAGIC {
        return Ok(Whole::No { why: "does not begin with a record's magic" });
    }
    let len = u32_at(header, 4) as usize;
    if len < HEADER_BYTES || len > room {
        return Ok(Whole::No { why: "has an impossible length" });
    }
    let frame = source.read(at, len)?;
    if crc32c::crc32c(&frame[12..]) != u32_at(frame, 8) {
        return Ok(Whole::No { why: "fails its checksum" });
    }
    let version = u16::from_le_bytes([frame[12], frame[13]]);
    Ok(match version {
        0 => Whole::No { why: "has version 0, which was never written" },
        version => Whole::Yes { version, len },
    })
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
