//! Logs of attempts: what workers' processes wrote, kept for days, read while it still grows.
//! - LG-1 a log is addressed by the offsets of its worker: a piece sent twice is kept once
//! - LG-2 what never came is a gap that a reader is shown; it never hides what follows
//! - LG-3 a log is no journal: nothing is synced piece by piece, and a full device costs logs, not work
//!
//! A writer gathers small pieces; what it gathered can be read after [`WriteLogs::flush`] at the latest. One writer,
//! any number of readers.

use mainspring_core::values::{TaskId, Wall};

/// One log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LogKey {
    pub task: TaskId,
    /// Counts from 1.
    pub attempt: u32,
}

impl LogKey {
    /// The day on which the task was made; logs are kept in folders by it.
    pub const fn day(self) -> u32 {
        Wall::from_millis(self.task.minted_ms()).day()
    }
}

/// A piece as a worker sends it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogPiece {
    pub key: LogKey,
    /// Of the first byte in the whole log.
    pub offset: u64,
    pub bytes: Vec<u8>,
    /// Nothing follows.
    pub last: bool,
}

/// Largest piece that is taken.
pub const LOG_PIECE_BYTES_MAX: usize = 1 << 20;

/// What came of a call to a writer.
#[derive(Debug, Default)]
pub struct Kept {
    /// Logs of which more can be read now, each at least once.
    pub grown: Vec<LogKey>,
    /// Bytes of output that are kept now, and the room they take.
    pub raw_bytes: u64,
    pub stored_bytes: u64,
    /// Pieces that are lost, in whole or in part: no room on the device, or more than one log may have.
    pub lost: u64,
    /// Why, if it was not the log's own size.
    pub error: Option<LogError>,
}

pub trait WriteLogs {
    /// Takes what is new of a piece.
    fn append(&mut self, piece: LogPiece) -> Kept;

    /// Lets everything that was taken be read, and survive the end of this process.
    fn flush(&mut self) -> Kept;

    /// Drops logs of tasks made before `day` that nothing was written to since `day`. Does a bounded piece of the
    /// work; true if there is more.
    fn drop_before(&mut self, day: u32) -> Result<bool, LogError>;
}

pub trait ReadLogs: Send + Sync {
    /// The greatest attempt up to `at_most` that has a log.
    fn newest(&self, task: TaskId, at_most: u32) -> Result<Option<u32>, LogError>;

    /// The smallest attempt from `from` to `at_most` that has a log.
    fn next(&self, task: TaskId, from: u32, at_most: u32) -> Result<Option<u32>, LogError>;

    /// Reads on from `place` and moves it; at most `bytes_max`, and the notes about what is missing. An attempt
    /// without a log reads as an empty one.
    fn read(&self, key: LogKey, place: &mut LogPlace, bytes_max: usize) -> Result<LogPage, LogError>;

    /// Finds a point of the log without reading what lies before it. A point beyond the end is the end.
    fn locate(&self, key: LogKey, point: LogPoint) -> Result<LogSpot, LogError>;

    /// Lines that contain a text, in their order. Looks at `bytes_max` bytes or a little more.
    fn search(&self, key: LogKey, wanted: &LogSearch) -> Result<LogFound, LogError>;
}

/// A point of a log. Lines are counted from 1; notes about what is missing are no lines of the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogPoint {
    /// The beginning of this line.
    Line(u64),
    /// The beginning of so many last lines.
    LastLines(u64),
    /// The first beginning of a line within so many last bytes; if no line begins there, the first character.
    LastBytes(u64),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LogSpot {
    pub place: LogPlace,
    /// Where the log ends by now.
    pub bytes: u64,
    /// How many lines it has by now, one that is not whole included.
    pub lines: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogSearch {
    pub text: Vec<u8>,
    /// Letters A to Z are the same as a to z.
    pub ignore_case: bool,
    /// Offset to begin at.
    pub from: u64,
    pub hits_max: usize,
    pub bytes_max: u64,
}

/// A line that contains the text. A line longer than [`LOG_SEARCH_LINE_MAX`] is searched in parts, each like a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogHit {
    /// Offset of the first match in the line.
    pub offset: u64,
    pub line: u64,
    /// The line around the match, each part at most [`LOG_HIT_CONTEXT_MAX`] bytes.
    pub before: Vec<u8>,
    pub matched: Vec<u8>,
    pub after: Vec<u8>,
    /// The line is longer than what is shown of it.
    pub cut: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LogFound {
    pub hits: Vec<LogHit>,
    /// Everything before this offset was looked at; a search goes on here.
    pub next: u64,
    /// How many bytes were looked at.
    pub looked: u64,
    /// Everything that is there by now was looked at.
    pub at_end: bool,
}

/// Longest part of a line that a search looks at as one.
pub const LOG_SEARCH_LINE_MAX: usize = 64 << 10;
pub const LOG_HIT_CONTEXT_MAX: usize = 1_000;

/// Where a reader stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LogPlace {
    /// Offset in the log of the next byte to read.
    pub offset: u64,
    /// From where `offset` is found without reading all from the start. A backend may ignore it.
    pub hint: LogHint,
}

/// A place in the backend's own medium, the offset in the log of that place, and how many line ends lie before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LogHint {
    pub at: u64,
    pub offset: u64,
    pub lines: u64,
}

impl LogPlace {
    pub const fn at(offset: u64) -> Self {
        Self { offset, hint: LogHint { at: 0, offset: 0, lines: 0 } }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LogPage {
    pub bytes: Vec<u8>,
    /// Number of the line in which it begins, from 1. 0: there is no log.
    pub line: u64,
    /// Nothing follows, and nothing ever will.
    pub complete: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("{what}: {source}")]
    Io { what: String, source: std::io::Error },
    #[error("the log `{file}` is damaged at byte {byte}: {what}")]
    Damaged { file: String, byte: u64, what: &'static str },
    #[error("the log `{file}` was written by another version")]
    OtherFormat { file: String },
    #[error("a piece of the log of {task}, attempt {attempt}, is refused: {why}")]
    Refused { task: TaskId, attempt: u32, why: &'static str },
}
