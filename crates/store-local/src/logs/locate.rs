//! Where a line is: the heads of all blocks are read, and the body of one or two.

use mainspring_store::{LogError, LogHint, LogPlace, LogPoint, LogSpot};

use super::block::Kind;
use super::blocks::{Block, Blocks};

/// A block of output, with what lies before it.
struct Found {
    block: Block,
    hint: LogHint,
}

impl Found {
    /// What lies before the next block.
    fn after(&self) -> LogHint {
        let lines = self.hint.lines + u64::from(self.block.head.lines);
        LogHint { at: self.block.next(), offset: self.block.head.end(), lines }
    }
}

const START: LogHint = LogHint { at: Blocks::first(), offset: 0, lines: 0 };

pub fn locate(mut blocks: Blocks, point: LogPoint) -> Result<LogSpot, LogError> {
    let mut spot = LogSpot::default();
    let (mut line_ends, mut last) = (0, None);
    find(&mut blocks, START, |found| {
        spot.bytes = found.block.head.end();
        line_ends = found.after().lines;
        last = Some(found.block);
        false
    })?;
    let Some(last) = last else { return Ok(spot) };
    let mut raw = Vec::new();
    blocks.unpack(&last, &mut raw)?;
    spot.lines = line_ends + u64::from(!raw.ends_with(b"\n"));
    spot.place = match point {
        LogPoint::Line(number) if number > spot.lines => LogPlace::at(spot.bytes),
        LogPoint::Line(number) => after_line_end(&mut blocks, number.saturating_sub(1))?,
        LogPoint::LastLines(count) => after_line_end(&mut blocks, spot.lines.saturating_sub(count))?,
        LogPoint::LastBytes(count) => within(&mut blocks, spot.bytes.saturating_sub(count))?,
    };
    Ok(spot)
}

/// The first block of output from `hint` on for which `wanted` says yes.
fn find(
    blocks: &mut Blocks,
    mut hint: LogHint,
    mut wanted: impl FnMut(&Found) -> bool,
) -> Result<Option<Found>, LogError> {
    while let Some(block) = blocks.block(hint.at)? {
        let found = Found { block, hint };
        if block.head.kind == Kind::Data && wanted(&found) {
            return Ok(Some(found));
        }
        hint = found.after();
    }
    Ok(None)
}

/// Behind this line end, counted from 1; 0 is the beginning.
fn after_line_end(blocks: &mut Blocks, number: u64) -> Result<LogPlace, LogError> {
    if number == 0 {
        return Ok(LogPlace::default());
    }
    let found = find(blocks, START, |found| found.after().lines >= number)?;
    let Some(Found { block, hint }) = found else { return Ok(LogPlace::default()) };
    let mut raw = Vec::new();
    blocks.unpack(&block, &mut raw)?;
    let nth = (number - hint.lines).saturating_sub(1) as usize;
    let end = memchr::memchr_iter(b'\n', &raw).nth(nth).map_or(raw.len(), |at| at + 1);
    Ok(LogPlace { offset: block.head.offset + end as u64, hint })
}

/// The first beginning of a line from `offset` on, or the first character.
fn within(blocks: &mut Blocks, offset: u64) -> Result<LogPlace, LogError> {
    if offset == 0 {
        return Ok(LogPlace::default());
    }
    // A line that begins at `offset` has its line end before.
    let from = offset - 1;
    let mut character = None;
    let mut found = find(blocks, START, |found| found.block.head.end() > from)?;
    let mut raw = Vec::new();
    while let Some(here) = found {
        let (start, hint) = (here.block.head.offset, here.hint);
        raw.clear();
        blocks.unpack(&here.block, &mut raw)?;
        found = find(blocks, here.after(), |_| true)?;
        if character.is_none() && offset < here.block.head.end() {
            let skip = offset.saturating_sub(start) as usize;
            let inside = raw[skip..].iter().take(4).take_while(|byte| **byte & 0xc0 == 0x80).count();
            character = Some(LogPlace { offset: start + (skip + inside) as u64, hint });
        }
        let skip = from.saturating_sub(start) as usize;
        let line = memchr::memchr(b'\n', &raw[skip..]).map(|at| skip + at + 1);
        // What begins at the very end is no line.
        if let Some(line) = line
            && (line < raw.len() || found.is_some())
        {
            return Ok(LogPlace { offset: start + line as u64, hint });
        }
    }
    Ok(character.unwrap_or_default())
}
