//! Lines that contain a text: block by block, with what a block leaves of its last line kept for the next one.

use mainspring_store::{LOG_HIT_CONTEXT_MAX, LOG_SEARCH_LINE_MAX, LogError, LogFound, LogHit, LogSearch};
use memchr::memmem::Finder;

use super::block::Kind;
use super::blocks::Blocks;
use super::line_ends;

pub fn search(mut blocks: Blocks, wanted: &LogSearch) -> Result<LogFound, LogError> {
    let mut scan = Scan::new(wanted);
    let walked = scan.walk(&mut blocks, wanted.from);
    // What was found before the damage is worth telling; the next search begins there and says so.
    if scan.found.next == wanted.from {
        walked?;
    }
    Ok(scan.found)
}

struct Scan<'a> {
    wanted: &'a LogSearch,
    text: Vec<u8>,
    finder: Finder<'a>,
    found: LogFound,
    /// Output not looked at yet: the beginning of a line, and what was unpacked behind it.
    held: Vec<u8>,
    /// `held` in lower case.
    lower: Vec<u8>,
    /// Offset and line of the first byte of `held`.
    held_at: (u64, u64),
}

impl<'a> Scan<'a> {
    fn new(wanted: &'a LogSearch) -> Self {
        let text = if wanted.ignore_case { wanted.text.to_ascii_lowercase() } else { wanted.text.clone() };
        let finder = Finder::new(&text).into_owned();
        let found = LogFound { next: wanted.from, ..LogFound::default() };
        let (held, lower) = (Vec::new(), Vec::new());
        Self { wanted, text, finder, found, held, lower, held_at: (wanted.from, 1) }
    }

    fn walk(&mut self, blocks: &mut Blocks, from: u64) -> Result<(), LogError> {
        let (mut at, mut lines) = (Blocks::first(), 0);
        while let Some(block) = blocks.block(at)? {
            let head = block.head;
            if head.kind == Kind::Data && head.end() > from {
                // A long line may take several blocks before it can be looked at.
                if self.is_done() && self.found.next > from {
                    return Ok(());
                }
                if self.held_at.0 + self.held.len() as u64 != head.offset {
                    // Bytes are missing: what was held is all there is of its line.
                    self.look_at(self.held.len());
                }
                if self.held.is_empty() {
                    self.held_at = (head.offset, lines + 1);
                }
                let start = self.held.len();
                blocks.unpack(&block, &mut self.held)?;
                if head.offset < from {
                    self.skip((from - head.offset) as usize);
                }
                self.found.looked += (self.held.len() - start.min(self.held.len())) as u64;
                self.look_at(self.whole_lines());
            }
            lines += u64::from(head.lines);
            at = block.next();
        }
        if self.found.hits.len() < self.wanted.hits_max {
            self.found.at_end = true;
            let (hits, next) = (self.found.hits.len(), self.found.next);
            self.look_at(self.held.len());
            // A line that may grow is looked at again, unless it was found.
            if self.found.hits.len() == hits {
                self.found.next = next;
            }
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.found.hits.len() >= self.wanted.hits_max || self.found.looked >= self.wanted.bytes_max
    }

    /// Drops the beginning of what is held.
    fn skip(&mut self, count: usize) {
        self.held_at.0 += count as u64;
        self.held_at.1 += line_ends(&self.held[..count]);
        self.held.drain(..count);
    }

    /// How much of what is held can be looked at: whole lines, or most of one that is too long.
    fn whole_lines(&self) -> usize {
        let lines = memchr::memrchr(b'\n', &self.held).map_or(0, |at| at + 1);
        if self.held.len() - lines > LOG_SEARCH_LINE_MAX {
            return self.held.len() - self.text.len().saturating_sub(1);
        }
        lines
    }

    /// Looks for the text in the first `count` bytes of what is held, and drops them.
    fn look_at(&mut self, count: usize) {
        if self.wanted.ignore_case {
            self.lower.clear();
            self.lower.extend_from_slice(&self.held[..count]);
            self.lower.make_ascii_lowercase();
        }
        let (mut from, mut line) = (0, self.held_at.1);
        while from < count && self.found.hits.len() < self.wanted.hits_max {
            let text = if self.wanted.ignore_case { &self.lower[from..] } else { &self.held[from..count] };
            let Some(at) = self.finder.find(text).map(|at| from + at) else {
                from = count;
                break;
            };
            line += line_ends(&self.held[from..at]);
            let end = memchr::memchr(b'\n', &self.held[at..count]).map_or(count, |len| at + len);
            self.found.hits.push(self.hit(at, end, line));
            from = (end + 1).min(count);
            line += u64::from(end < count);
        }
        self.found.next = self.held_at.0 + from as u64;
        self.skip(count);
    }

    /// A match at `at`, in a line that ends at `end`.
    fn hit(&self, at: usize, end: usize, line: u64) -> LogHit {
        let start = memchr::memrchr(b'\n', &self.held[..at]).map_or(0, |at| at + 1);
        let matched = at + self.text.len().min(end - at);
        let before = &self.held[start.max(at.saturating_sub(LOG_HIT_CONTEXT_MAX))..at];
        let after = &self.held[matched..end.min(matched + LOG_HIT_CONTEXT_MAX)];
        LogHit {
            offset: self.held_at.0 + at as u64,
            line,
            before: before.to_vec(),
            matched: self.held[at..matched].to_vec(),
            after: after.to_vec(),
            cut: before.len() < at - start || after.len() < end - matched,
        }
    }
}
