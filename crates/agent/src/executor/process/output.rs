//! What a process writes: through a pipe into its log, or straight to it.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;

use rustix::buffer::spare_capacity;
use rustix::fs::OFlags;
use rustix::io::Errno;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tracing::warn;

use super::keep::KeptLog;
use super::log::AttemptLog;
use crate::mask::{MaskedStream, Secrets};

const CHUNK_BYTES: usize = 16 << 10;
/// Of the end of what was written, this much comes along in the failure's message.
pub const TAIL_BYTES: usize = 2 << 10;

pub enum Output {
    Piped(Pipe),
    Kept(KeptLog),
}

impl Output {
    /// Some progress with the log; nothing is lost when it is dropped.
    pub async fn pump(&mut self) {
        match self {
            Self::Piped(pipe) => pipe.pump().await,
            Self::Kept(log) => log.pump().await,
        }
    }

    /// It runs for longer than most: somebody may want to see what it writes.
    pub fn watch(&mut self) {
        if let Self::Piped(pipe) = self {
            pipe.watch();
        }
    }

    /// Whether nothing more can come, without waiting for it.
    pub fn drain_now(&mut self) -> bool {
        match self {
            Self::Piped(pipe) => {
                pipe.take_what_is_there();
                let is_closed = matches!(pipe.end, ReadEnd::Closed);
                if is_closed {
                    pipe.finish();
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
            Self::Piped(pipe) => pipe.drain().await,
            Self::Kept(log) => log.look(),
        }
    }

    pub fn tail(&mut self) -> String {
        match self {
            Self::Piped(pipe) => {
                pipe.finish();
                end_of_text(pipe.tail.make_contiguous())
            }
            Self::Kept(log) => log.tail(),
        }
    }
}

/// The end of a text, which may begin inside of a character.
pub fn end_of_text(bytes: &[u8]) -> String {
    let broken = bytes.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
    String::from_utf8_lossy(&bytes[broken..]).trim().to_owned()
}

/// The one pipe for all that a process writes, so that the order in which it wrote is kept. Most processes are short and
/// silent: it is looked at when they end, and watched only from [`Pipe::watch`] on.
pub struct Pipe {
    end: ReadEnd,
    bytes: Vec<u8>,
    log: AttemptLog,
    tail: VecDeque<u8>,
    /// `None`: nothing is to be masked.
    masked: Option<MaskedStream>,
}

enum ReadEnd {
    Unwatched(OwnedFd),
    Watched(Receiver),
    Closed,
}

impl Pipe {
    pub fn new(end: OwnedFd, log: AttemptLog, secrets: Secrets) -> Self {
        let masked = (!secrets.is_empty()).then(|| MaskedStream::new(secrets));
        Self { end: ReadEnd::Unwatched(end), bytes: Vec::new(), log, tail: VecDeque::new(), masked }
    }

    /// From now on what is written is in the log at once.
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

    /// One piece into the log; never ready while it is not watched, nor once it is closed.
    async fn pump(&mut self) {
        let ReadEnd::Watched(end) = &mut self.end else {
            return std::future::pending().await;
        };
        self.bytes.clear();
        self.bytes.reserve(CHUNK_BYTES);
        match end.read_buf(&mut self.bytes).await {
            Ok(len) if len > 0 => self.keep(),
            _ => self.end = ReadEnd::Closed,
        }
    }

    async fn drain(&mut self) {
        self.take_what_is_there();
        self.watch();
        while !matches!(self.end, ReadEnd::Closed) {
            self.pump().await;
        }
        self.finish();
    }

    /// Without ever waiting.
    fn take_what_is_there(&mut self) {
        let ReadEnd::Unwatched(end) = &self.end else {
            return;
        };
        if rustix::fs::fcntl_setfl(end, OFlags::NONBLOCK).is_err() {
            return;
        }
        while let ReadEnd::Unwatched(end) = &self.end {
            self.bytes.clear();
            self.bytes.reserve(CHUNK_BYTES);
            match rustix::io::read(end, spare_capacity(&mut self.bytes)) {
                Ok(0) => self.end = ReadEnd::Closed,
                Ok(_) => self.keep(),
                Err(Errno::INTR) => {}
                // Somebody has it open still.
                Err(_) => return,
            }
        }
    }

    fn keep(&mut self) {
        if let Some(masked) = &mut self.masked {
            self.bytes = masked.push(&self.bytes);
        }
        self.write();
    }

    /// Nothing more comes: what could have been the beginning of something sensitive was none.
    fn finish(&mut self) {
        if let Some(masked) = &mut self.masked {
            self.bytes = masked.finish();
            self.write();
        }
    }

    fn write(&mut self) {
        if self.bytes.is_empty() {
            return;
        }
        self.log.write(&self.bytes);
        self.tail.extend(&self.bytes);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL_BYTES));
    }
}
