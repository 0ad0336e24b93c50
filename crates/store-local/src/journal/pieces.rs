//! A segment file read in pieces, so that opening a journal never holds more than a piece and the largest record.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use mainspring_store::frame::Source;

/// Read ahead at once.
const PIECE_BYTES: usize = 1 << 20;

/// A file whose length does not change while it is read.
pub struct Pieces {
    file: File,
    len: usize,
    /// The bytes of the file from `start` on.
    piece: Vec<u8>,
    start: usize,
}

impl Pieces {
    /// `piece` lends its memory, so that a walk over many files allocates once.
    pub fn open(path: &Path, mut piece: Vec<u8>) -> io::Result<Self> {
        let file = File::open(path)?;
        let len = file.metadata()?.len() as usize;
        piece.clear();
        Ok(Self { file, len, piece, start: 0 })
    }

    pub fn into_piece(self) -> Vec<u8> {
        self.piece
    }
}

impl Source for Pieces {
    type Error = io::Error;

    fn len(&self) -> usize {
        self.len
    }

    fn read(&mut self, at: usize, len: usize) -> io::Result<&[u8]> {
        let at = at.min(self.len);
        let end = at.saturating_add(len).min(self.len);
        if at < self.start || end > self.start + self.piece.len() {
            let wanted = (end - at).max(PIECE_BYTES).min(self.len - at);
            self.piece.resize(wanted, 0);
            self.start = at;
            self.file.read_exact_at(&mut self.piece, at as u64)?;
        }
        Ok(&self.piece[at - self.start..end - self.start])
    }
}
