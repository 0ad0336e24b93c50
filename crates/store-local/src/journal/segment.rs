//! The first bytes of a segment file, and the names of files.
//!
//! ```text
//! 0 magic    8 crc32c of 12..    12 version    16 number    24 journal id    32 first record    40 hash before it
//! ```

use std::path::{Path, PathBuf};

use mainspring_core::values::Seq;
use mainspring_store::frame::Hash;

pub const HEADER_BYTES: usize = 72;
pub const VERSION: u32 = 1;
const MAGIC: [u8; 8] = *b"MspSegmt";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    pub number: u64,
    pub journal: u64,
    pub first: Seq,
    pub previous: Hash,
}

/// What the first bytes of a segment say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Parsed {
    Header(Header),
    /// Never written, or a file too short to hold anything.
    Blank,
    Bad,
    Newer {
        found: u32,
    },
}

impl Header {
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&self.number.to_le_bytes());
        out.extend_from_slice(&self.journal.to_le_bytes());
        out.extend_from_slice(&self.first.get().to_le_bytes());
        out.extend_from_slice(&self.previous);
        let crc = crc32c::crc32c(&out[start + 12..]);
        out[start + 8..start + 12].copy_from_slice(&crc.to_le_bytes());
    }

    pub fn parse(bytes: &[u8]) -> Parsed {
        let Some(header) = bytes.get(..HEADER_BYTES) else { return Parsed::Blank };
        if header.iter().all(|byte| *byte == 0) {
            return Parsed::Blank;
        }
        let u32_at = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"));
        let u64_at = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().expect("eight bytes"));
        if header[..8] != MAGIC || crc32c::crc32c(&header[12..]) != u32_at(8) {
            return Parsed::Bad;
        }
        if u32_at(12) > VERSION {
            return Parsed::Newer { found: u32_at(12) };
        }
        Parsed::Header(Self {
            number: u64_at(16),
            journal: u64_at(24),
            first: Seq::new(u64_at(32)),
            previous: header[40..72].try_into().expect("thirty-two bytes"),
        })
    }
}

/// Kinds of files in the journal's directory.
pub const SEGMENT: &str = "seg";
pub const SPARE: &str = "spare";
pub const UNFINISHED: &str = "tmp";

pub fn path(dir: &Path, number: u64, kind: &str) -> PathBuf {
    dir.join(format!("{number:08}.{kind}"))
}

/// Numbers and paths of the files of one kind, by number.
pub fn list(dir: &Path, kind: &str) -> std::io::Result<Vec<(u64, PathBuf)>> {
    let mut found = vec![];
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        let number = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
        if let Some(number) = number
            && path.extension().is_some_and(|extension| extension == kind)
        {
            found.push((number, path));
        }
    }
    found.sort_unstable();
    Ok(found)
}
