//! The writer: cuts pieces to what is new, gathers small ones, and packs them into blocks.

use std::collections::HashMap;

use mainspring_store::{Kept, LOG_PIECE_BYTES_MAX, LogError, LogKey, LogPiece, WriteLogs};

use super::block::{Kind, Packing, Part};
use super::tail::Tail;
use super::{ATTEMPT_BYTES_CEILING, LogOptions, Places, io_error, line_ends, retain};

/// A block is written when this much was gathered: big enough to pack well, small enough to unpack for a page.
const BLOCK_BYTES: usize = 64 << 10;
/// Fast rather than small: one thread packs the logs of a whole server.
const LEVEL: i32 = 1;
/// No log comes near; beyond it sums could overflow.
const OFFSET_MAX: u64 = 1 << 50;

pub struct LocalLogWriter {
    places: Places,
    options: LogOptions,
    tails: HashMap<LogKey, Tail>,
    open: usize,
    uses: u64,
    packer: zstd::bulk::Compressor<'static>,
}

impl LocalLogWriter {
    pub(super) fn new(places: Places, mut options: LogOptions) -> Result<Self, LogError> {
        options.attempt_bytes_max = options.attempt_bytes_max.min(ATTEMPT_BYTES_CEILING);
        let packer = zstd::bulk::Compressor::new(LEVEL).map_err(io_error("packing", &places.dir))?;
        Ok(Self { places, options, tails: HashMap::new(), open: 0, uses: 0, packer })
    }

    /// Runs `work` on the log's end, and keeps count of open files around it.
    fn with_tail(
        &mut self,
        key: LogKey,
        kept: &mut Kept,
        work: impl FnOnce(&mut Self, &mut Tail, &mut Kept) -> Result<(), LogError>,
    ) {
        self.uses += 1;
        let found = self.tails.remove(&key).map_or_else(
            || Tail::find(&self.places.file(key)),
            |tail| {
                self.open -= usize::from(tail.is_open());
                Ok(tail)
            },
        );
        let mut tail = match found {
            Ok(tail) => tail,
            Err(error) => return lose(kept, error),
        };
        tail.used = self.uses;
        if let Err(error) = work(self, &mut tail, kept) {
            lose(kept, error);
            tail.close();
        }
        if tail.has_ended {
            return;
        }
        self.open += usize::from(tail.is_open());
        self.tails.insert(key, tail);
        self.close_old();
    }

    fn take(&mut self, tail: &mut Tail, piece: &LogPiece, kept: &mut Kept) -> Result<(), LogError> {
        if tail.has_ended {
            return Ok(());
        }
        let known = tail.next.saturating_sub(piece.offset).min(piece.bytes.len() as u64);
        let (new, offset) = (&piece.bytes[known as usize..], piece.offset + known);
        if tail.is_cut {
            kept.lost += u64::from(!new.is_empty());
        } else if !new.is_empty() {
            self.gather(tail, piece.key, offset, new, kept)?;
        }
        if piece.last {
            self.write_gathered(tail, piece.key, kept)?;
            // The end of a log that was cut is where it was cut: the rest is not missing by accident.
            let end = if tail.is_cut { tail.next } else { tail.next.max(piece.offset) };
            self.write(tail, piece.key, Part::mark(Kind::End, end, 0), kept)?;
            tail.has_ended = true;
        }
        Ok(())
    }

    fn gather(
        &mut self,
        tail: &mut Tail,
        key: LogKey,
        offset: u64,
        new: &[u8],
        kept: &mut Kept,
    ) -> Result<(), LogError> {
        if offset != tail.next {
            self.write_gathered(tail, key, kept)?;
        }
        let room = self.options.attempt_bytes_max.saturating_sub(offset).min(new.len() as u64);
        let (fitting, rest) = new.split_at(room as usize);
        if !fitting.is_empty() {
            tail.gathered.extend(fitting);
            tail.next = offset + room;
        }
        if tail.gathered.len() >= BLOCK_BYTES {
            self.write_gathered(tail, key, kept)?;
        }
        if !rest.is_empty() {
            kept.lost += 1;
            self.write_gathered(tail, key, kept)?;
            let at = offset.max(self.options.attempt_bytes_max);
            self.write(tail, key, Part::mark(Kind::Cut, at, rest.len() as u64), kept)?;
            tail.next = at + rest.len() as u64;
            tail.is_cut = true;
        }
        Ok(())
    }

    /// What cannot be written is lost: it becomes a gap, and what comes later is tried anew.
    fn write_gathered(&mut self, tail: &mut Tail, key: LogKey, kept: &mut Kept) -> Result<(), LogError> {
        if tail.gathered.is_empty() {
            return Ok(());
        }
        let raw = std::mem::take(&mut tail.gathered);
        let packed = self.packer.compress(&raw).map_err(io_error("packing", &self.places.dir))?;
        let body = if packed.len() < raw.len() { (Packing::Zstd, &packed) } else { (Packing::Plain, &raw) };
        let raw_len = raw.len() as u64;
        let lines = line_ends(&raw) as u32;
        let part = Part { kind: Kind::Data, offset: tail.next - raw_len, raw_len, lines };
        kept.stored_bytes += tail.write(&self.places.file(key), part, (body.0, body.1))?;
        kept.raw_bytes += raw_len;
        kept.grown.push(key);
        Ok(())
    }

    fn write(&mut self, tail: &mut Tail, key: LogKey, part: Part, kept: &mut Kept) -> Result<(), LogError> {
        kept.stored_bytes += tail.write(&self.places.file(key), part, (Packing::Plain, &[]))?;
        kept.grown.push(key);
        Ok(())
    }

    /// Closes those that were used longest ago, half of them at once so that it is rare.
    fn close_old(&mut self) {
        if self.open > self.options.files_max {
            let open = self.tails.values().filter(|tail| tail.is_open());
            let middle = middle(open.map(|tail| tail.used).collect());
            let old = self.tails.values_mut().filter(|tail| tail.is_open() && tail.used < middle);
            self.open -= old.map(Tail::close).count();
        }
    }

    fn forget_old(&mut self, kept: &mut Kept) {
        if self.tails.len() > self.options.tails_max {
            self.flush_into(kept);
            let middle = middle(self.tails.values().map(|tail| tail.used).collect());
            self.tails.retain(|_, tail| tail.used >= middle);
            self.open = self.tails.values().filter(|tail| tail.is_open()).count();
        }
    }

    fn flush_into(&mut self, kept: &mut Kept) {
        let waiting = self.tails.iter().filter(|(_, tail)| !tail.gathered.is_empty());
        let keys: Vec<LogKey> = waiting.map(|(key, _)| *key).collect();
        for key in &keys {
            self.with_tail(*key, kept, |writer, tail, kept| writer.write_gathered(tail, *key, kept));
        }
    }
}

impl WriteLogs for LocalLogWriter {
    fn append(&mut self, piece: LogPiece) -> Kept {
        let mut kept = Kept::default();
        match refusal(&piece) {
            Some(error) => lose(&mut kept, error),
            None => {
                self.with_tail(piece.key, &mut kept, |writer, tail, kept| writer.take(tail, &piece, kept));
            }
        }
        self.forget_old(&mut kept);
        kept
    }

    fn flush(&mut self) -> Kept {
        let mut kept = Kept::default();
        self.flush_into(&mut kept);
        kept
    }

    fn drop_before(&mut self, day: u32) -> Result<bool, LogError> {
        retain::drop_before(&self.places.dir, day)
    }
}

/// No two are alike: every use has its own number.
fn middle(mut used: Vec<u64>) -> u64 {
    let half = used.len() / 2;
    *used.select_nth_unstable(half).1
}

fn lose(kept: &mut Kept, error: LogError) {
    kept.lost += 1;
    kept.error = Some(error);
}

/// What a worker says is checked like any caller's word.
fn refusal(piece: &LogPiece) -> Option<LogError> {
    let LogKey { task, attempt } = piece.key;
    let why = if attempt == 0 {
        "attempts count from 1"
    } else if piece.bytes.len() > LOG_PIECE_BYTES_MAX {
        "it is longer than 1 MiB"
    } else if piece.offset > OFFSET_MAX {
        "its offset is out of reach"
    } else {
        return None;
    };
    Some(LogError::Refused { task, attempt, why })
}
