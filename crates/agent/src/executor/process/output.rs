//! What a process writes: through pipes into its log, or straight to it.

use std::collections::VecDeque;
use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStderr, ChildStdout};

use super::keep::KeptLog;
use super::log::AttemptLog;

const CHUNK_BYTES: usize = 16 << 10;
/// Of standard error (of all output, for a kept process), this much comes along in the failure's message.
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

    /// Until nothing more can come.
    pub async fn drain(&mut self) {
        match self {
            Self::Piped(pipes) => pipes.drain().await,
            Self::Kept(log) => log.look(),
        }
    }

    pub fn tail(&mut self) -> String {
        match self {
            Self::Piped(pipes) => String::from_utf8_lossy(pipes.tail.make_contiguous()).trim().to_owned(),
            Self::Kept(log) => log.tail(),
        }
    }
}

/// Both output pipes of a process, into one log.
pub struct Pipes {
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    from_stdout: Box<[u8]>,
    from_stderr: Box<[u8]>,
    log: AttemptLog,
    tail: VecDeque<u8>,
}

impl Pipes {
    pub fn new(child: &mut Child, log: AttemptLog) -> Self {
        Self {
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            from_stdout: vec![0; CHUNK_BYTES].into(),
            from_stderr: vec![0; CHUNK_BYTES].into(),
            log,
            tail: VecDeque::new(),
        }
    }

    /// One piece into the log; never ready once both pipes are closed.
    async fn pump(&mut self) {
        tokio::select! {
            read = read(&mut self.stdout, &mut self.from_stdout) => match read {
                Ok(len) if len > 0 => self.log.write(&self.from_stdout[..len]),
                _ => self.stdout = None,
            },
            read = read(&mut self.stderr, &mut self.from_stderr) => match read {
                Ok(len) if len > 0 => {
                    self.log.write(&self.from_stderr[..len]);
                    self.tail.extend(&self.from_stderr[..len]);
                    self.tail.drain(..self.tail.len().saturating_sub(TAIL_BYTES));
                }
                _ => self.stderr = None,
            },
        }
    }

    async fn drain(&mut self) {
        while self.stdout.is_some() || self.stderr.is_some() {
            self.pump().await;
        }
    }
}

async fn read(pipe: &mut Option<impl AsyncRead + Unpin>, into: &mut [u8]) -> io::Result<usize> {
    match pipe {
        Some(pipe) => pipe.read(into).await,
        None => std::future::pending().await,
    }
}
