//! Logs of attempts as files of compressed blocks, one file an attempt, in a folder a day.
//! Entry: [`LocalLogs`].
//! - LF-1 a file is only appended to; a torn last block is cut when it is opened for more
//! - LF-2 every block says where in the log it belongs: a gap is what lies between two blocks
//! - LF-3 open files and remembered logs are bounded; what is forgotten is read back from its file
//!
//! ```text
//! DIR/logs/20407/3f/0199…e2-1.log     day of the task / low byte of its slot / task - attempt
//! ```
//! Not here: who may read what, and who waits for more (`mainspring-api`).

mod block;
mod blocks;
mod locate;
mod read;
mod retain;
mod search;
mod tail;
mod write;

use std::path::{Path, PathBuf};

use mainspring_store::{LogError, LogKey};

pub use self::{read::LocalLogReader, write::LocalLogWriter};

/// The most that [`LogOptions::attempt_bytes_max`] can be.
pub const ATTEMPT_BYTES_CEILING: u64 = 1 << 30;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogOptions {
    /// Output of one attempt beyond this is counted and dropped; at most [`ATTEMPT_BYTES_CEILING`].
    pub attempt_bytes_max: u64,
    /// Files open for writing at once.
    pub files_max: usize,
    /// Unfinished logs whose end is remembered.
    pub tails_max: usize,
}

impl Default for LogOptions {
    fn default() -> Self {
        Self { attempt_bytes_max: 64 << 20, files_max: 256, tails_max: 16_384 }
    }
}

/// The `logs` folder of a data directory.
#[derive(Clone, Debug)]
pub struct LocalLogs {
    places: Places,
    options: LogOptions,
}

impl LocalLogs {
    /// Nothing is touched before the first piece. Whoever writes must own the data directory.
    pub fn new(data: impl AsRef<Path>, options: LogOptions) -> Self {
        Self { places: Places { dir: data.as_ref().join("logs") }, options }
    }

    pub fn writer(&self) -> Result<LocalLogWriter, LogError> {
        LocalLogWriter::new(self.places.clone(), self.options)
    }

    pub fn reader(&self) -> LocalLogReader {
        LocalLogReader::new(self.places.clone())
    }
}

/// Where files lie. Names are made of numbers alone, so none leads out of the folder.
#[derive(Clone, Debug)]
struct Places {
    dir: PathBuf,
}

impl Places {
    fn file(&self, key: LogKey) -> PathBuf {
        let name = format!("{:032x}-{}.log", key.task.bits(), key.attempt);
        // The last byte of an id is random, whoever minted it.
        let folder = format!("{:02x}", key.task.bits() as u8);
        self.dir.join(key.day().to_string()).join(folder).join(name)
    }
}

fn line_ends(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

fn io_error<'a>(doing: &'a str, path: &'a Path) -> impl FnOnce(std::io::Error) -> LogError + 'a {
    move |source| LogError::Io { what: format!("{doing} `{}`", path.display()), source }
}
