//! A program that was started, and its end.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{ChildStdin, ExitStatus};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::sleep;

use super::rusage::{self, Used};

/// How often it is looked at where the kernel does not tell of its end.
const LOOK_EVERY: Duration = Duration::from_millis(20);

pub struct Child {
    process: std::process::Child,
    end: End,
    used: Option<Used>,
}

/// What the kernel tells the end by.
enum End {
    Unwatched(OwnedFd),
    Watched(AsyncFd<OwnedFd>),
    /// It cannot tell: it is older than this way, or there are too many open files.
    Untold,
}

impl Child {
    pub fn new(process: std::process::Child) -> Self {
        let id = Pid::from_child(&process);
        let end = pidfd_open(id, PidfdFlags::empty()).map_or(End::Untold, End::Unwatched);
        Self { process, end, used: None }
    }

    pub fn id(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.process.stdin.take()
    }

    /// Keeps the thread until it has ended, but not for longer than that.
    pub fn ended_within(&mut self, time: Duration) -> Option<io::Result<ExitStatus>> {
        let End::Unwatched(end) = &self.end else { return None };
        let mut told = [PollFd::new(end, PollFlags::IN)];
        let time = Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: i64::from(time.subsec_nanos()) };
        // Whatever fails here is seen by who waits longer.
        let has_ended = poll(&mut told, Some(&time)).is_ok_and(|count| count > 0);
        if has_ended { self.reap().transpose() } else { None }
    }

    /// May be dropped and called again.
    pub async fn ended(&mut self) -> io::Result<ExitStatus> {
        self.watch()?;
        loop {
            match &self.end {
                // It stays ready once it is.
                End::Watched(end) => drop(end.readable().await?),
                End::Unwatched(_) | End::Untold => sleep(LOOK_EVERY).await,
            }
            if let Some(status) = self.reap()? {
                return Ok(status);
            }
        }
    }

    /// What it used, with the children that it waited for; after its end.
    pub fn used(&self) -> Option<Used> {
        self.used
    }

    fn reap(&mut self) -> io::Result<Option<ExitStatus>> {
        let ended = rusage::reap(self.id())?;
        self.used = ended.map(|(_, used)| used).or(self.used);
        Ok(ended.map(|(status, _)| status))
    }

    fn watch(&mut self) -> io::Result<()> {
        if let End::Unwatched(end) = std::mem::replace(&mut self.end, End::Untold) {
            // SAFETY: it owns its descriptor, which stays open until both are dropped together.
            #[expect(unsafe_code, reason = "the runtime must be told that nobody else closes it")]
            let end = unsafe { AsyncFd::register_with_interest(end, Interest::READABLE) };
            self.end = End::Watched(end?);
        }
        Ok(())
    }
}
