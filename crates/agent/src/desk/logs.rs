//! What of each attempt's log the server has: read from disk as fast as the session takes it.
//! - LT-1 nothing is dropped: a log that is not sent waits on disk, not in memory
//! - LT-2 after a lost session sending goes on from what the server is known to have got
//!
//! A heartbeat's answer proves that all that was sent before the heartbeat arrived. Pieces may be sent twice.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use mainspring_proto::v1;
use tracing::warn;

use crate::attempt::Key;
use crate::home::Places;

const CHUNK_BYTES: u64 = 64 << 10;

pub struct LogTails {
    places: Places,
    tails: BTreeMap<Key, Tail>,
    /// Those with something to send, each once.
    dirty: VecDeque<Key>,
    /// The heartbeat that all marks belong to, while its answer is awaited.
    marked: Option<u64>,
}

struct Tail {
    attempt: u32,
    file: Option<File>,
    written: u64,
    ended: bool,
    sent: Mark,
    /// `sent` as it was when the heartbeat left whose answer is awaited.
    at_heartbeat: Mark,
    confirmed: Mark,
    is_dirty: bool,
}

#[derive(Clone, Copy, Default)]
struct Mark {
    offset: u64,
    last: bool,
}

impl LogTails {
    pub fn new(places: Places) -> Self {
        Self { places, tails: BTreeMap::new(), dirty: VecDeque::new(), marked: None }
    }

    pub fn begin(&mut self, key: Key, attempt: u32) {
        let mark = Mark::default();
        let tail = Tail {
            attempt,
            file: None,
            written: 0,
            ended: false,
            sent: mark,
            at_heartbeat: mark,
            confirmed: mark,
            is_dirty: false,
        };
        self.tails.insert(key, tail);
    }

    pub fn grew(&mut self, key: Key, len: u64) {
        if let Some(tail) = self.tails.get_mut(&key) {
            tail.written = tail.written.max(len);
            mark_dirty(&mut self.dirty, key, tail);
        }
    }

    pub fn ended(&mut self, key: Key) {
        // Said of a log without a byte too: somebody may wait for it.
        if let Some(tail) = self.tails.get_mut(&key) {
            tail.ended = true;
            mark_dirty(&mut self.dirty, key, tail);
        }
    }

    pub fn has_more(&self) -> bool {
        !self.dirty.is_empty()
    }

    /// The next piece of the log whose turn it is.
    pub fn take(&mut self) -> Option<v1::LogChunk> {
        let key = self.dirty.pop_front()?;
        let tail = self.tails.get_mut(&key)?;
        tail.is_dirty = false;
        let offset = tail.sent.offset;
        let bytes = match tail.read(&self.places, key) {
            Ok(bytes) => bytes,
            Err(error) => {
                warn!(task = %key.task, %error, "cannot read a log back; the rest of it is not sent");
                tail.written = offset;
                Vec::new()
            }
        };
        tail.sent.offset += bytes.len() as u64;
        tail.sent.last = tail.ended && tail.sent.offset >= tail.written;
        let chunk = v1::LogChunk {
            task: key.task_bytes(),
            attempt: tail.attempt,
            offset,
            bytes,
            last: tail.sent.last,
        };
        if tail.sent.offset < tail.written {
            mark_dirty(&mut self.dirty, key, tail);
        }
        Some(chunk)
    }

    /// Remembered until it is answered: a later one would move the mark, and its answer may never come in time.
    pub fn heartbeat_sent(&mut self, number: u64) {
        if self.marked.is_none() {
            self.marked = Some(number);
            self.tails.values_mut().for_each(|tail| tail.at_heartbeat = tail.sent);
        }
    }

    /// The heartbeat of this number was answered. An earlier one than that of the mark says nothing of what was sent
    /// since.
    pub fn confirm(&mut self, number: u64) {
        if self.marked.take_if(|marked| *marked <= number).is_none() {
            return;
        }
        self.tails.values_mut().for_each(|tail| tail.confirmed = tail.at_heartbeat);
        self.tails.retain(|_, tail| !tail.confirmed.last);
    }

    /// A new session: what was not confirmed is sent again.
    pub fn rewind(&mut self) {
        self.marked = None;
        for (key, tail) in &mut self.tails {
            tail.sent = tail.confirmed;
            tail.at_heartbeat = tail.confirmed;
            if tail.sent.offset < tail.written || (tail.ended && !tail.sent.last) {
                mark_dirty(&mut self.dirty, *key, tail);
            }
        }
    }
}

fn mark_dirty(dirty: &mut VecDeque<Key>, key: Key, tail: &mut Tail) {
    if !tail.is_dirty {
        tail.is_dirty = true;
        dirty.push_back(key);
    }
}

impl Tail {
    fn read(&mut self, places: &Places, key: Key) -> io::Result<Vec<u8>> {
        if self.written == self.sent.offset {
            return Ok(Vec::new());
        }
        let file = match &self.file {
            Some(file) => file,
            None => self.file.insert(File::open(places.log(key, self.attempt))?),
        };
        let len = CHUNK_BYTES.min(self.written - self.sent.offset);
        let mut bytes = vec![0; len as usize];
        file.read_exact_at(&mut bytes, self.sent.offset)?;
        Ok(bytes)
    }
}
