//! stdout and stderr told apart: pieces of stderr stand between marks in a log, and readers get the text without them, one stream
//! alone, or everything as it is stored.
//! Entry: [`StreamFilter`].
//! - TF-1 what is taken in pieces of any length gives the same as what is taken whole

use prost::bytes::Bytes;

/// What follows was written to stderr. The marks are control sequences that no terminal shows and no program writes by itself; one
/// that forges them is only believed about its own output.
pub const STDERR_MARK: &[u8] = b"\x1b]7070;2\x07";
/// What follows was written to stdout again.
pub const STDOUT_MARK: &[u8] = b"\x1b]7070;1\x07";
/// Longest piece between two marks: a reader that begins anywhere finds the mark before it within so many bytes.
pub const PIECE_BYTES_MAX: usize = 16 << 10;

/// Which part of a log a caller wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LogStream {
    /// Both, as text without marks.
    #[default]
    All,
    Stdout,
    Stderr,
    /// Both, with the marks: offsets count bytes of this.
    Marked,
}

impl LogStream {
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "all" => Self::All,
            "stdout" => Self::Stdout,
            "stderr" => Self::Stderr,
            "marked" => Self::Marked,
            _ => return None,
        })
    }

    pub const fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
            Self::Marked => "marked",
        }
    }

    /// What was read before it decides what it is.
    pub const fn is_one(self) -> bool {
        matches!(self, Self::Stdout | Self::Stderr)
    }
}

const ESCAPE: u8 = 0x1b;

#[derive(Debug)]
pub struct StreamFilter {
    wanted: LogStream,
    in_stderr: bool,
    /// What may be the beginning of a mark.
    held: Vec<u8>,
}

impl StreamFilter {
    pub fn new(wanted: LogStream) -> Self {
        Self { wanted, in_stderr: false, held: Vec::new() }
    }

    /// What is wanted of the next bytes.
    pub fn take(&mut self, bytes: Bytes) -> Bytes {
        if self.wanted == LogStream::Marked {
            return bytes;
        }
        if self.held.is_empty() && !bytes.contains(&ESCAPE) {
            return if self.wants() { bytes } else { Bytes::new() };
        }
        let all = [&std::mem::take(&mut self.held)[..], &bytes].concat();
        let end = all.len() - begun_mark(&all);
        let mut found = Vec::with_capacity(end);
        let mut rest = &all[..end];
        while let Some(at) = rest.iter().position(|byte| *byte == ESCAPE) {
            self.keep(&rest[..at], &mut found);
            rest = &rest[at..];
            if let Some(after) = rest.strip_prefix(STDERR_MARK) {
                (self.in_stderr, rest) = (true, after);
            } else if let Some(after) = rest.strip_prefix(STDOUT_MARK) {
                (self.in_stderr, rest) = (false, after);
            } else {
                self.keep(&rest[..1], &mut found);
                rest = &rest[1..];
            }
        }
        self.keep(rest, &mut found);
        self.held = all[end..].to_vec();
        found.into()
    }

    const fn wants(&self) -> bool {
        match self.wanted {
            LogStream::All | LogStream::Marked => true,
            LogStream::Stdout => !self.in_stderr,
            LogStream::Stderr => self.in_stderr,
        }
    }

    fn keep(&self, bytes: &[u8], found: &mut Vec<u8>) {
        if self.wants() {
            found.extend_from_slice(bytes);
        }
    }
}

/// Bytes at the end that may be the beginning of a mark.
pub fn begun_mark(bytes: &[u8]) -> usize {
    let longest = STDERR_MARK.len().min(bytes.len() + 1) - 1;
    let is_begun =
        |length: &usize| [STDERR_MARK, STDOUT_MARK].iter().any(|mark| bytes.ends_with(&mark[..*length]));
    (1..=longest).rev().find(is_begun).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(wanted: LogStream, text: &[u8], size: usize) -> String {
        let mut filter = StreamFilter::new(wanted);
        let pieces = text.chunks(size).map(|piece| filter.take(Bytes::copy_from_slice(piece)));
        String::from_utf8(pieces.flatten().collect()).expect("text")
    }

    #[test]
    fn streams_are_told_apart_in_pieces_of_any_length() {
        let text =
            b"one\n\x1b[31mred\x1b[0m\n\x1b]7070;2\x07bad\nworse\n\x1b]7070;1\x07two\n\x1b]7070;3\x07three";
        for size in 1..=text.len() {
            assert_eq!(told(LogStream::Stderr, text, size), "bad\nworse\n", "{size}");
            let stdout = "one\n\x1b[31mred\x1b[0m\ntwo\n\x1b]7070;3\x07three";
            assert_eq!(told(LogStream::Stdout, text, size), stdout, "{size}");
            let all = "one\n\x1b[31mred\x1b[0m\nbad\nworse\ntwo\n\x1b]7070;3\x07three";
            assert_eq!(told(LogStream::All, text, size), all, "{size}");
            assert_eq!(told(LogStream::Marked, text, size).as_bytes(), text, "{size}");
        }
    }

    #[test]
    fn the_beginning_of_a_mark_is_noticed() {
        for (text, length) in
            [(&b"a"[..], 0), (b"a\x1b", 1), (b"\x1b]7070;", 7), (b"\x1b]7070;2\x07", 0), (b"\x1b]71", 0)]
        {
            assert_eq!(begun_mark(text), length, "{text:?}");
        }
    }
}
