//! Following a log: what is there, then what comes, until the attempt's log is whole. Without a named attempt it goes
//! on with the next one, until the task has ended.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use mainspring_core::engine::{Answer, Command};
use mainspring_core::task::Task;
use mainspring_core::values::{TaskId, Wall};
use mainspring_store::{LogKey, LogPlace};

use super::Follower;
use crate::edge::Edge;
use crate::gateway::now;

/// Read at once.
const PAGE_BYTES: usize = 256 << 10;
/// A log that never said its end is given this long after its attempt ended, or after it grew last.
const LATE_MAX: Duration = Duration::from_secs(2);
/// News are lossy; so often the task is asked all the same.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Where an attempt stands, as its task tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stand {
    /// It has not begun, and may never.
    Coming,
    Running,
    Over(Wall),
}

impl Stand {
    pub fn of(task: &Task, attempt: u32) -> Self {
        let status = task.status();
        if attempt > task.attempts {
            return if status.is_ended() { Self::Over(task.changed) } else { Self::Coming };
        }
        if attempt == task.attempts && status.is_leased() {
            return Self::Running;
        }
        let failed = task.failures().iter().rev().find(|failed| failed.number == attempt);
        Self::Over(failed.map_or(task.changed, |failed| failed.ended))
    }

    /// How long more of its log may still come; `None`: as long as it takes.
    pub fn may_grow(self) -> Option<Duration> {
        let Self::Over(since) = self else { return None };
        let over = Duration::from_millis(now().millis().saturating_sub(since.millis()));
        Some(LATE_MAX.saturating_sub(over))
    }
}

/// Only programs have an output to wait for.
fn writes_nothing(task: &Task) -> bool {
    &*task.profile.executor != "process"
}

pub(crate) struct Following {
    edge: Arc<Edge>,
    task: TaskId,
    /// Only the attempt that was named.
    only: bool,
    attempt: u32,
    place: LogPlace,
    follower: Follower,
    grew: Option<Instant>,
    /// Bytes that are still wanted.
    left: u64,
}

/// Some bytes of one attempt's log, with the notes about what is missing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub attempt: u32,
    /// Of its first byte in the log.
    pub offset: u64,
    pub bytes: Bytes,
    /// Where the next piece begins.
    pub next: u64,
}

/// Breaks the stream off, so that the caller does not take it for whole.
#[derive(Debug)]
pub(crate) struct BrokenOff;

impl std::fmt::Display for BrokenOff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the server stops or cannot read the log")
    }
}

impl std::error::Error for BrokenOff {}

/// What to do when there is nothing to read.
enum Next {
    Wait(Duration),
    Attempt(u32),
    End,
}

impl Following {
    pub fn new(
        edge: Arc<Edge>,
        task: TaskId,
        (attempt, only): (u32, bool),
        (offset, limit): (u64, Option<u64>),
        follower: Follower,
    ) -> Self {
        let (place, left) = (LogPlace::at(offset), limit.unwrap_or(u64::MAX));
        Self { edge, task, only, attempt, place, follower, grew: None, left }
    }

    pub fn stream(self) -> impl futures_util::Stream<Item = Result<Piece, BrokenOff>> {
        futures_util::stream::try_unfold(self, |mut following| async move {
            Ok(following.piece().await?.map(|piece| (piece, following)))
        })
    }

    /// The next bytes; `None`: that was all.
    async fn piece(&mut self) -> Result<Option<Piece>, BrokenOff> {
        while self.left > 0 {
            self.follower.look();
            let key = LogKey { task: self.task, attempt: self.attempt };
            let length = PAGE_BYTES.min(usize::try_from(self.left).unwrap_or(PAGE_BYTES));
            let read = self.edge.logs.read(key, self.place, length).await;
            let (page, place) = read.map_err(|_| BrokenOff)?;
            let offset = std::mem::replace(&mut self.place, place).offset;
            if !page.bytes.is_empty() {
                self.grew = Some(Instant::now());
                self.left = self.left.saturating_sub(page.bytes.len() as u64);
                let (attempt, bytes, next) = (self.attempt, page.bytes.into(), place.offset);
                return Ok(Some(Piece { attempt, offset, bytes, next }));
            }
            match self.next(page.complete).await? {
                Next::End => return Ok(None),
                Next::Attempt(attempt) => self.turn_to(attempt),
                Next::Wait(time) => {
                    let woken = tokio::time::timeout(time, self.follower.news()).await;
                    if woken == Ok(false) {
                        return Err(BrokenOff);
                    }
                }
            }
        }
        Ok(None)
    }

    async fn next(&self, complete: bool) -> Result<Next, BrokenOff> {
        let asked = self.edge.gateway.ask(self.task, Command::Read { id: self.task }).await;
        let Answer::Task(Some(task)) = asked.map_err(|_| BrokenOff)? else {
            return Ok(Next::End);
        };
        let key = LogKey { task: self.task, attempt: self.attempt };
        let is_silent =
            self.edge.logs.followers.was_silent(key) || self.grew.is_none() && writes_nothing(&task);
        if !complete && !is_silent {
            let Some(late) = Stand::of(&task, self.attempt).may_grow() else {
                return Ok(Next::Wait(LOOK_EVERY));
            };
            let growing = self.grew.map_or(Duration::ZERO, |at| LATE_MAX.saturating_sub(at.elapsed()));
            let left = late.max(growing);
            if !left.is_zero() && self.attempt <= task.attempts {
                return Ok(Next::Wait(left));
            }
        }
        self.after(&task).await
    }

    /// This attempt's log is whole.
    async fn after(&self, task: &Task) -> Result<Next, BrokenOff> {
        if self.only {
            return Ok(Next::End);
        }
        let next = self.attempt + 1;
        if next <= task.attempts && Stand::of(task, next).may_grow() != Some(Duration::ZERO) {
            // Its log may be on its way while that of a later attempt is here.
            return Ok(Next::Attempt(next));
        }
        let found = self.edge.logs.next(self.task, next, task.attempts).await;
        if let Some(attempt) = found.map_err(|_| BrokenOff)? {
            return Ok(Next::Attempt(attempt));
        }
        if task.attempts > self.attempt {
            return Ok(Next::Attempt(task.attempts));
        }
        // A worker's last words may be here before its report: then the task says later how it goes on.
        match Stand::of(task, self.attempt) {
            Stand::Running => Ok(Next::Wait(LOOK_EVERY)),
            Stand::Coming | Stand::Over(_) if task.status().is_ended() => Ok(Next::End),
            Stand::Coming => Ok(Next::Wait(LOOK_EVERY)),
            Stand::Over(_) => Ok(Next::Attempt(next)),
        }
    }

    fn turn_to(&mut self, attempt: u32) {
        self.attempt = attempt;
        self.place = LogPlace::default();
        self.grew = None;
    }
}
