//! The file of one log, block by block.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use mainspring_store::LogError;

use super::block::{HEAD_BYTES, Head, MAGIC, Packing};
use super::io_error;

/// Largest block unpacked: one piece and what was gathered before it.
const RAW_BYTES_MAX: u64 = 4 << 20;
/// Read at once to find heads: of small blocks there are several in it.
const AHEAD_BYTES: usize = 4 << 10;

pub struct Blocks {
    file: File,
    path: PathBuf,
    /// Of the file, when it was opened.
    len: u64,
    ahead: Vec<u8>,
    ahead_at: u64,
    body: Vec<u8>,
    unpacker: Option<zstd::bulk::Decompressor<'static>>,
}

/// A block that is there as a whole.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub at: u64,
    pub head: Head,
    bytes: [u8; HEAD_BYTES],
}

impl Block {
    /// Where the next one begins.
    pub const fn next(&self) -> u64 {
        self.at + HEAD_BYTES as u64 + self.head.body_len as u64
    }
}

impl Blocks {
    /// `None`: nothing was written yet.
    pub fn open(path: PathBuf) -> Result<Option<Self>, LogError> {
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_error("opening", &path)(error)),
        };
        let len = file.metadata().map_err(io_error("reading", &path))?.len();
        let (ahead, body) = (Vec::new(), Vec::new());
        let blocks = Self { file, path, len, ahead, ahead_at: 0, body, unpacker: None };
        Ok(blocks.has_magic()?.then_some(blocks))
    }

    fn has_magic(&self) -> Result<bool, LogError> {
        if self.len < MAGIC.len() as u64 {
            return Ok(false);
        }
        let mut magic = [0; MAGIC.len()];
        self.file.read_exact_at(&mut magic, 0).map_err(io_error("reading", &self.path))?;
        if magic != MAGIC && magic != [0; MAGIC.len()] {
            return Err(LogError::OtherFormat { file: self.path.display().to_string() });
        }
        Ok(magic == MAGIC)
    }

    /// Where the first block begins.
    pub const fn first() -> u64 {
        MAGIC.len() as u64
    }

    /// `None`: not yet written whole, or torn; for a reader the log ends here for now.
    pub fn block(&mut self, at: u64) -> Result<Option<Block>, LogError> {
        if at + HEAD_BYTES as u64 > self.len {
            return Ok(None);
        }
        let known =
            at.checked_sub(self.ahead_at).filter(|skip| skip + HEAD_BYTES as u64 <= self.ahead.len() as u64);
        let skip = if let Some(skip) = known {
            skip as usize
        } else {
            self.ahead.resize(AHEAD_BYTES.min((self.len - at) as usize), 0);
            self.file.read_exact_at(&mut self.ahead, at).map_err(io_error("reading", &self.path))?;
            self.ahead_at = at;
            0
        };
        let bytes: [u8; HEAD_BYTES] = self.ahead[skip..skip + HEAD_BYTES].try_into().expect("so long");
        let block = Head::read(&bytes).map(|head| Block { at, head, bytes });
        Ok(block.filter(|block| block.next() <= self.len))
    }

    /// Appends the output of a block to `raw`.
    pub fn unpack(&mut self, block: &Block, raw: &mut Vec<u8>) -> Result<(), LogError> {
        let file = self.path.display();
        let damaged = |what| LogError::Damaged { file: file.to_string(), byte: block.at, what };
        let head = &block.head;
        self.body.resize(head.body_len as usize, 0);
        let body_at = block.at + HEAD_BYTES as u64;
        self.file.read_exact_at(&mut self.body, body_at).map_err(io_error("reading", &self.path))?;
        if !head.is_whole(&block.bytes, &self.body) || head.raw_len > RAW_BYTES_MAX {
            return Err(damaged("a block's checksum is wrong"));
        }
        let (start, len) = (raw.len(), head.raw_len as usize);
        let unpacked = match head.packing {
            Packing::Plain => {
                raw.extend_from_slice(&self.body);
                self.body.len()
            }
            Packing::Zstd => {
                let unpacker = match self.unpacker.take() {
                    Some(unpacker) => unpacker,
                    None => zstd::bulk::Decompressor::new().map_err(io_error("unpacking", &self.path))?,
                };
                raw.resize(start + len, 0);
                let done = self.unpacker.insert(unpacker).decompress_to_buffer(&self.body, &mut raw[start..]);
                done.map_err(|_| damaged("a block cannot be unpacked"))?
            }
        };
        if unpacked == len { Ok(()) } else { Err(damaged("a block has another length than it says")) }
    }
}
