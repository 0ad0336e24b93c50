//! What a search of a log found, as callers see it.

use bytes::Bytes;
use mainspring_proto::streams::{LogStream, StreamFilter};
use mainspring_store::{LogFound, LogHit};
use serde::Serialize;

/// Lines of a log that contain a text
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct LogHits {
    /// The attempt; absent if none has a log
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// In the order of the log; one for each line
    #[cfg_attr(test, schemars(length(max = 1_000)))]
    pub hits: Vec<LogHitView>,
    /// Offset at which it began
    pub from: u64,
    /// Everything from `from` to here was looked at; the `from` of the next search
    pub next_offset: u64,
    /// How many bytes were looked at
    pub looked_at: u64,
    /// Whether everything that is stored by now was looked at
    pub complete: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "LogHit"))]
pub(crate) struct LogHitView {
    /// Number of the line, from 1
    pub line: u64,
    /// Offset of the match in the log
    pub offset: u64,
    /// Of the line, up to 1000 bytes before the match
    pub before: String,
    #[serde(rename = "match")]
    pub matched: String,
    /// Of the line, up to 1000 bytes behind the match
    pub after: String,
    /// The line is longer than what is here of it
    pub cut: bool,
}

impl LogHits {
    pub fn of(attempt: Option<u32>, from: u64, found: &LogFound) -> Self {
        Self {
            attempt,
            hits: found.hits.iter().map(LogHitView::of).collect(),
            from,
            next_offset: found.next,
            looked_at: found.looked,
            complete: found.at_end,
        }
    }
}

impl LogHitView {
    fn of(hit: &LogHit) -> Self {
        // What was cut may have been cut inside of a character.
        let broken = hit.before.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
        let text = |bytes: &[u8]| {
            let bytes = StreamFilter::new(LogStream::All).take(Bytes::copy_from_slice(bytes));
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let mut after = text(&hit.after);
        if hit.cut && after.ends_with('\u{fffd}') {
            after.pop();
        }
        Self {
            line: hit.line,
            offset: hit.offset,
            before: text(&hit.before[broken..]),
            matched: text(&hit.matched),
            after,
            cut: hit.cut,
        }
    }
}
