//! The reader: finds the blocks of a range, unpacks them, and says where something is missing.

use mainspring_core::values::TaskId;
use mainspring_store::{
    LogError, LogFound, LogHint, LogKey, LogPage, LogPlace, LogPoint, LogSearch, LogSpot, ReadLogs,
};

use super::block::{Head, Kind};
use super::blocks::{Block, Blocks};
use super::{Places, line_ends, locate, search};

/// Attempts looked at for one answer; a task with more silent attempts in a row is rare enough.
const ATTEMPTS_MAX: u32 = 10_000;

#[derive(Clone, Debug)]
pub struct LocalLogReader {
    places: Places,
}

impl LocalLogReader {
    pub(super) fn new(places: Places) -> Self {
        Self { places }
    }

    fn has_log(&self, task: TaskId, attempt: u32) -> bool {
        self.places.file(LogKey { task, attempt }).exists()
    }
}

impl ReadLogs for LocalLogReader {
    fn newest(&self, task: TaskId, at_most: u32) -> Result<Option<u32>, LogError> {
        let lowest = at_most.saturating_sub(ATTEMPTS_MAX).max(1);
        Ok((lowest..=at_most).rev().find(|attempt| self.has_log(task, *attempt)))
    }

    fn next(&self, task: TaskId, from: u32, at_most: u32) -> Result<Option<u32>, LogError> {
        let highest = at_most.min(from.saturating_add(ATTEMPTS_MAX));
        Ok((from.max(1)..=highest).find(|attempt| self.has_log(task, *attempt)))
    }

    fn read(&self, key: LogKey, place: &mut LogPlace, bytes_max: usize) -> Result<LogPage, LogError> {
        let Some(blocks) = Blocks::open(self.places.file(key))? else { return Ok(LogPage::default()) };
        let mut walk = Walk { blocks, place: *place, page: LogPage::default(), bytes_max };
        let walked = walk.run();
        // What was read before the damage is worth showing; the next read begins at the damage and says so.
        if walk.page.bytes.is_empty() {
            walked?;
        }
        *place = walk.place;
        Ok(walk.page)
    }

    fn locate(&self, key: LogKey, point: LogPoint) -> Result<LogSpot, LogError> {
        let blocks = Blocks::open(self.places.file(key))?;
        blocks.map_or_else(|| Ok(LogSpot::default()), |blocks| locate::locate(blocks, point))
    }

    fn search(&self, key: LogKey, wanted: &LogSearch) -> Result<LogFound, LogError> {
        match Blocks::open(self.places.file(key))? {
            Some(blocks) => search::search(blocks, wanted),
            None => Ok(LogFound { next: wanted.from, at_end: true, ..LogFound::default() }),
        }
    }
}

struct Walk {
    blocks: Blocks,
    place: LogPlace,
    page: LogPage,
    bytes_max: usize,
}

impl Walk {
    fn run(&mut self) -> Result<(), LogError> {
        let mut hint = self.place.hint;
        if hint.at < Blocks::first() || hint.offset > self.place.offset {
            hint = LogHint { at: Blocks::first(), ..LogHint::default() };
        }
        loop {
            self.place.hint = hint;
            self.begin_at(hint.lines);
            let Some(block) = self.blocks.block(hint.at)? else { return Ok(()) };
            let head = block.head;
            let is_full = self.page.bytes.len() >= self.bytes_max;
            if is_full && (head.kind != Kind::End || self.place.offset < head.offset) {
                return Ok(());
            }
            self.note_gap(hint.offset, &head);
            match head.kind {
                Kind::End => {
                    self.page.complete = true;
                    return Ok(());
                }
                Kind::Cut => self.note_cut(&head),
                Kind::Data => {
                    if self.place.offset < head.end() {
                        self.take(&block, hint.lines)?;
                    }
                    if self.place.offset < head.end() {
                        return Ok(());
                    }
                }
            }
            let lines = hint.lines + u64::from(head.lines);
            hint = LogHint { at: block.next(), offset: head.end(), lines };
        }
    }

    /// Nothing was taken yet, and so many line ends lie before.
    fn begin_at(&mut self, line_ends: u64) {
        if self.page.bytes.is_empty() {
            self.page.line = line_ends + 1;
        }
    }

    fn note_gap(&mut self, expected: u64, head: &Head) {
        let from = self.place.offset.max(expected);
        if from < head.offset {
            let missing = head.offset - from;
            self.page.bytes.extend(format!("\n… {missing} bytes missing …\n").as_bytes());
            self.place.offset = head.offset;
        }
    }

    fn note_cut(&mut self, head: &Head) {
        if self.place.offset < head.end() {
            let note = format!("\n… the log is longer than {} bytes; the rest was not kept …\n", head.offset);
            self.page.bytes.extend(note.as_bytes());
            self.place.offset = head.end();
        }
    }

    /// As much of the block as fits.
    fn take(&mut self, block: &Block, lines_before: u64) -> Result<(), LogError> {
        let mut raw = Vec::new();
        self.blocks.unpack(block, &mut raw)?;
        let from = (self.place.offset - block.head.offset) as usize;
        let room = self.bytes_max.saturating_sub(self.page.bytes.len());
        let taken = &raw[from..raw.len().min(from.saturating_add(room))];
        self.begin_at(lines_before + line_ends(&raw[..from]));
        self.page.bytes.extend(taken);
        self.place.offset += taken.len() as u64;
        Ok(())
    }
}
