//! The growing end of one log: its file, what was gathered for it, and where it goes on.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use mainspring_store::LogError;

use super::block::{self, HEAD_BYTES, Head, Kind, MAGIC, Packing, Part};
use super::io_error;

#[derive(Default)]
pub struct Tail {
    file: Option<File>,
    /// End of the last whole block; 0: not even the magic number is there.
    end: u64,
    /// Offset in the log after all that was taken.
    pub next: u64,
    /// Taken and not written; it belongs before `next`.
    pub gathered: Vec<u8>,
    pub is_cut: bool,
    pub has_ended: bool,
    /// Number of its last use; no other tail has it.
    pub used: u64,
}

impl Tail {
    /// Finds out where the log at `path` ends. A torn last block is cut away.
    pub fn find(path: &Path) -> Result<Self, LogError> {
        let file = match File::options().read(true).write(true).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(io_error("opening", path)(error)),
        };
        let mut tail = Self::default();
        tail.scan(&file, path).and_then(|()| {
            let len = file.metadata().map_err(io_error("reading", path))?.len();
            if len > tail.end {
                tracing::warn!(file = %path.display(), at = tail.end, bytes = len - tail.end,
                    "a log ended in a torn block; it was cut away");
                file.set_len(tail.end).map_err(io_error("cutting", path))?;
            }
            Ok(())
        })?;
        tail.file = Some(file);
        Ok(tail)
    }

    fn scan(&mut self, file: &File, path: &Path) -> Result<(), LogError> {
        let mut input = std::io::BufReader::with_capacity(256 << 10, file);
        let mut magic = [0; MAGIC.len()];
        if !filled(&mut input, &mut magic).map_err(io_error("reading", path))? || magic == [0; MAGIC.len()] {
            return Ok(());
        }
        if magic != MAGIC {
            return Err(LogError::OtherFormat { file: path.display().to_string() });
        }
        self.end = MAGIC.len() as u64;
        let mut body = Vec::new();
        loop {
            let mut bytes = [0; HEAD_BYTES];
            if !filled(&mut input, &mut bytes).map_err(io_error("reading", path))? {
                return Ok(());
            }
            let Some(head) = Head::read(&bytes) else { return Ok(()) };
            body.resize(head.body_len as usize, 0);
            let whole = filled(&mut input, &mut body).map_err(io_error("reading", path))?;
            if !whole || !head.is_whole(&bytes, &body) {
                return Ok(());
            }
            self.end += (HEAD_BYTES + body.len()) as u64;
            self.next = self.next.max(head.end());
            self.is_cut |= head.kind == Kind::Cut;
            self.has_ended |= head.kind == Kind::End;
        }
    }

    pub fn is_open(&self) -> bool {
        self.file.is_some()
    }

    pub fn close(&mut self) {
        self.file = None;
    }

    /// Writes one block; gives the bytes it took.
    pub fn write(
        &mut self,
        path: &Path,
        part: Part,
        (packing, body): (Packing, &[u8]),
    ) -> Result<u64, LogError> {
        self.open(path)?;
        let mut bytes = Vec::with_capacity(MAGIC.len() + HEAD_BYTES + body.len());
        if self.end == 0 {
            bytes.extend(MAGIC);
        }
        block::write(&mut bytes, part, packing, body);
        let file = self.file.as_ref().expect("opened above");
        // What a failed write left behind is written over by the next one, or cut when the file is opened again.
        file.write_all_at(&bytes, self.end).map_err(io_error("writing", path))?;
        self.end += bytes.len() as u64;
        Ok(bytes.len() as u64)
    }

    fn open(&mut self, path: &Path) -> Result<(), LogError> {
        if self.file.is_some() {
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(io_error("making", folder))?;
        }
        let options = File::options().read(true).write(true).create(true).truncate(false).open(path);
        let file = options.map_err(io_error("opening", path))?;
        // It was dropped for its age since: what comes now begins a new file.
        if file.metadata().map_err(io_error("reading", path))?.len() < self.end {
            self.end = 0;
            file.set_len(0).map_err(io_error("cutting", path))?;
        }
        self.file = Some(file);
        Ok(())
    }
}

/// False: the input ended before `buffer` was full.
fn filled(input: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<bool> {
    match input.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
