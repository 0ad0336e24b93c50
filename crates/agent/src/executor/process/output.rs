//! What a process writes: through two pipes into its log, or straight to it.
//! - PW-1 pieces of stderr stand between two marks, so that readers can tell them from stdout
//!
//! The order of what goes through one pipe is kept. Between the two it is that in which pieces are read: as written, unless both
//! were written to within moments.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;

use mainspring_proto::streams::{PIECE_BYTES_MAX, STDERR_MARK, STDOUT_MARK};
use rustix::buffer::spare_capacity;
use rustix::fs::OFlags;
use rustix::io::Errno;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tracing::warn;

use super::keep::KeptLog;
use super::log::AttemptLog;
use crate::mask::{MaskedStream, Secrets};
use crate::readable::readable;

const CHUNK_BYTES: usize = PIECE_BYTES_MAX;
/// Of the end of what was written, this much comes along in the failure's message.
pub const TAIL_BYTES: usize = 2 << 10;

pub enum Output {
    Piped(Pipes),
    Kept(KeptLog),
}

impl Output {
    /// Some progress with the log; nothing is lost when it is dropped.
    pub async fn pump(&mut self) {
        match self {
            Self::Piped(pipes) => pipes.pump().await,
            Self::Kept(log) => log.pump().await,
        }
    }

    /// It runs for longer than most: somebody may want to see what it writes.
    pub fn watch(&mut self) {
        if let Self::Piped(pipes) = self {
            pipes.watch();
        }
    }

    /// Whether nothing more can come, without waiting for it.
    pub fn drain_now(&mut self) -> bool {
        match self {
            Self::Piped(pipes) => {
                pipes.take_what_is_there();
                let is_closed = pipes.is_closed();
                if is_closed {
                    pipes.finish();
                }
                is_closed
            }
            Self::Kept(log) => {
                log.look();
                true
            }
        }
    }

    /// Until nothing more can come.
    pub async fn drain(&mut self) {
        match self {
            Self::Piped(pipes) => pipes.drain().await,
            Self::Kept(log) => log.look(),
        }
    }

    pub fn tail(&mut self) -> String {
        match self {
            Self::Piped(pipes) => {
                pipes.finish();
                end_of_text(pipes.sink.tail.make_contiguous())
            }
            Self::Kept(log) => log.tail(),
        }
    }
}

/// The end of a text, which may begin inside of a character.
pub fn end_of_text(bytes: &[u8]) -> String {
    let broken = bytes.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
    readable(&bytes[broken..]).trim().to_owned()
}

/// The pipes for stdout and stderr. Most processes are short and silent: they are looked at when the process ends, and watched
/// only from [`Pipes::watch`] on.
pub struct Pipes {
    stdout: Pipe,
    stderr: Pipe,
    sink: Sink,
}

struct Pipe {
    end: ReadEnd,
    /// `None`: nothing is to be masked.
    masked: Option<MaskedStream>,
}

enum ReadEnd {
    Unwatched(OwnedFd),
    Watched(Receiver),
    Closed,
}

/// Where all goes that comes through both.
struct Sink {
    log: AttemptLog,
    tail: VecDeque<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stream {
    Stdout,
    Stderr,
}

impl Pipes {
    pub fn new([stdout, stderr]: [OwnedFd; 2], log: AttemptLog, secrets: &Secrets) -> Self {
        let pipe = |end| Pipe {
            end: ReadEnd::Unwatched(end),
            masked: (!secrets.is_empty()).then(|| MaskedStream::new(secrets.clone())),
        };
        Self { stdout: pipe(stdout), stderr: pipe(stderr), sink: Sink { log, tail: VecDeque::new() } }
    }

    const fn is_closed(&self) -> bool {
        matches!((&self.stdout.end, &self.stderr.end), (ReadEnd::Closed, ReadEnd::Closed))
    }

    /// From now on what is written is in the log at once.
    fn watch(&mut self) {
        self.stdout.watch();
        self.stderr.watch();
    }

    /// One piece into the log; never ready while they are not watched, nor once both are closed.
    async fn pump(&mut self) {
        let Self { stdout, stderr, sink } = self;
        let (piece, stream) = tokio::select! {
            piece = stdout.next() => (piece, Stream::Stdout),
            piece = stderr.next() => (piece, Stream::Stderr),
        };
        sink.write(&piece, stream);
    }

    async fn drain(&mut self) {
        self.take_what_is_there();
        self.watch();
        while !self.is_closed() {
            self.pump().await;
        }
        self.finish();
    }

    /// Without ever waiting.
    fn take_what_is_there(&mut self) {
        let Self { stdout, stderr, sink } = self;
        stdout.take_what_is_there(|piece| sink.write(piece, Stream::Stdout));
        stderr.take_what_is_there(|piece| sink.write(piece, Stream::Stderr));
    }

    /// Nothing more comes: what could have been the beginning of something sensitive was none.
    fn finish(&mut self) {
        for (pipe, stream) in [(&mut self.stdout, Stream::Stdout), (&mut self.stderr, Stream::Stderr)] {
            if let Some(masked) = &mut pipe.masked {
                self.sink.write(&masked.finish(), stream);
            }
        }
    }
}

impl Pipe {
    fn watch(&mut self) {
        self.end = match std::mem::replace(&mut self.end, ReadEnd::Closed) {
            ReadEnd::Unwatched(end) => Receiver::from_owned_fd(end).map_or_else(
                |error| {
                    warn!(%error, "cannot watch a pipe; what comes through it is lost");
                    ReadEnd::Closed
                },
                ReadEnd::Watched,
            ),
            as_before => as_before,
        };
    }

    /// The next piece, empty at the end. Nothing is lost when it is dropped.
    async fn next(&mut self) -> Vec<u8> {
        let ReadEnd::Watched(end) = &mut self.end else {
            return std::future::pending().await;
        };
        let mut bytes = Vec::with_capacity(CHUNK_BYTES);
        match end.read_buf(&mut bytes).await {
            Ok(len) if len > 0 => self.masked(bytes),
            _ => {
                self.end = ReadEnd::Closed;
                Vec::new()
            }
        }
    }

    fn take_what_is_there(&mut self, mut take: impl FnMut(&[u8])) {
        let ReadEnd::Unwatched(end) = &self.end else {
            return;
        };
        if rustix::fs::fcntl_setfl(end, OFlags::NONBLOCK).is_err() {
            return;
        }
        while let ReadEnd::Unwatched(end) = &self.end {
            let mut bytes = Vec::with_capacity(CHUNK_BYTES);
            match rustix::io::read(end, spare_capacity(&mut bytes)) {
                Ok(0) => self.end = ReadEnd::Closed,
                Ok(_) => take(&self.masked(bytes)),
                Err(Errno::INTR) => {}
                // Somebody has it open still.
                Err(_) => return,
            }
        }
    }

    fn masked(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        match &mut self.masked {
            Some(masked) => masked.push(&bytes),
            None => bytes,
        }
    }
}

impl Sink {
    fn write(&mut self, bytes: &[u8], stream: Stream) {
        if bytes.is_empty() {
            return;
        }
        match stream {
            Stream::Stdout => self.log.write(bytes),
            // Masking may make a piece longer than what was read.
            Stream::Stderr => bytes
                .chunks(PIECE_BYTES_MAX)
                .for_each(|piece| self.log.write(&[STDERR_MARK, piece, STDOUT_MARK].concat())),
        }
        self.tail.extend(bytes);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL_BYTES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_shown() {
        assert_eq!(end_of_text(b"bad \xff\xfe byte\n"), r"bad \xff\xfe byte");
        assert_eq!(end_of_text("\u{e9}t\u{e9}".as_bytes()), "\u{e9}t\u{e9}");
        assert_eq!(end_of_text(&"\u{e9}t".as_bytes()[1..]), "t", "it begins inside of a character");
    }
}
