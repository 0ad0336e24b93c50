//! A process that was started: waited for without a thread of its own, and by nobody else.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus, waitid};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::task::JoinHandle;

use super::launch::Launched;

pub enum Child {
    Watched(AsyncFd<OwnedFd>),
    /// On a kernel without such descriptors.
    Thread(JoinHandle<io::Result<ExitStatus>>),
}

impl Child {
    pub fn new(launched: Launched) -> Self {
        let watched = launched.ended.and_then(watch);
        watched.map_or_else(|| Self::Thread(wait_in_thread(launched.id)), Self::Watched)
    }

    /// Nothing is lost when it is dropped; not to be called again once it has told.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let watched = match self {
            Self::Watched(watched) => watched,
            Self::Thread(thread) => return thread.await.map_err(io::Error::other)?,
        };
        loop {
            let mut ready = watched.readable().await?;
            let ended = waitid(
                WaitId::PidFd(watched.get_ref().as_fd()),
                WaitIdOptions::EXITED | WaitIdOptions::NOHANG,
            )?;
            match ended {
                Some(status) => return Ok(status_of(&status)),
                None => ready.clear_ready(),
            }
        }
    }
}

fn watch(ended: OwnedFd) -> Option<AsyncFd<OwnedFd>> {
    // SAFETY: an owned descriptor gives the same number for as long as it lives, and is open all that time.
    #[expect(unsafe_code, reason = "tokio cannot know that of every type")]
    unsafe { AsyncFd::register_with_interest(ended, Interest::READABLE) }.ok()
}

fn wait_in_thread(id: Pid) -> JoinHandle<io::Result<ExitStatus>> {
    tokio::task::spawn_blocking(move || {
        loop {
            match waitid(WaitId::Pid(id), WaitIdOptions::EXITED) {
                Ok(Some(status)) => return Ok(status_of(&status)),
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    })
}

fn status_of(status: &WaitIdStatus) -> ExitStatus {
    let code = status.exit_status().map(|code| code << 8);
    ExitStatus::from_raw(code.or(status.terminating_signal()).unwrap_or(-1))
}
