//! One listener: the lines that it is given, one by one or as digests.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use super::digest::Digest;
use super::ring::Replay;
use super::seat::{Place, Seat, switch};
use super::{Line, Wanted, closed, line, lost};
use crate::edge::Edge;
use crate::problem::Problem;

/// A line without anything, so that both sides notice a dead connection.
const QUIET_MAX: Duration = Duration::from_secs(15);
/// A listener with a digest looks at its news so often, so that it does not fall behind.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How a listener wants to be told.
#[derive(Clone, Copy, Default)]
pub(crate) struct Manner {
    /// Ends then; without it when the caller goes or the server stops.
    pub for_at_most: Option<Duration>,
    /// Begins behind the line of this epoch and number.
    pub after: Option<(u64, u64)>,
    /// One line for all that happened in so long.
    pub digest: Option<Duration>,
}

pub(crate) struct Listening {
    wanted: Wanted,
    until: Option<Instant>,
    /// Kept lines that come before those of `news`.
    replay: Option<Replay>,
    /// Taken from those that are kept.
    replayed: VecDeque<Arc<Line>>,
    news: broadcast::Receiver<Arc<Line>>,
    digest: Option<(Duration, Digest)>,
    seat: Arc<Seat>,
    patience: Duration,
    /// Its last line was given.
    is_over: bool,
}

pub(crate) async fn listen(edge: &Arc<Edge>, wanted: Wanted, manner: Manner) -> Result<Listening, Problem> {
    let (feed, max) = (&edge.feed, edge.config.log_followers_max);
    let patience = edge.config.listener_patience;
    if feed.listeners.load(Ordering::Acquire) >= max {
        feed.evict(patience);
    }
    let (news, replay) = feed.subscribe(manner.after)?;
    let before = feed.listeners.fetch_add(1, Ordering::AcqRel);
    let seat = Seat::new(edge);
    if before >= max {
        return Err(Problem::TooManyFollowers { max });
    }
    feed.seat(&seat);
    switch(edge).await?;
    let until = manner.for_at_most.map(|span| Instant::now() + span);
    let digest = manner.digest.map(|every| (every, Digest::default()));
    let replayed = VecDeque::new();
    Ok(Listening { wanted, until, replay, replayed, news, digest, seat, patience, is_over: false })
}

impl Listening {
    /// The next line; `None` when there is nothing more.
    pub(crate) async fn next(&mut self) -> Option<Bytes> {
        if self.is_over {
            return None;
        }
        // Asked for the next line only now: the connection took nothing in between.
        let is_late = self.seat.is_stuck(self.patience);
        if is_late || *self.seat.place() == Place::Left {
            self.is_over = true;
            self.seat.leave();
            return Some(line(&closed(self.patience)));
        }
        *self.seat.place() = Place::Waits;
        let line = self.heard().await;
        let mut place = self.seat.place();
        if *place == Place::Waits {
            *place = Place::Holds(Instant::now());
        }
        line
    }

    async fn heard(&mut self) -> Option<Bytes> {
        loop {
            let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
            let patience = left.map_or(QUIET_MAX, |left| left.min(QUIET_MAX));
            let heard = match tokio::time::timeout(patience, self.receive()).await {
                Err(_) if left.is_some_and(|left| left <= patience) => return None,
                Err(_) => return Some(Bytes::from_static(b"\n")),
                Ok(heard) => heard,
            };
            if self.digest.is_some() {
                let is_closed = matches!(heard, Err(RecvError::Closed));
                self.note(heard);
                let line = if is_closed { self.digested() } else { self.gather().await };
                if line.is_some() || is_closed {
                    return line;
                }
                continue;
            }
            match heard {
                Ok(told) if self.wanted.has(&told.news.what) => return Some(told.text()),
                Ok(_) => {}
                Err(RecvError::Lagged(count)) => return Some(line(&lost(count))),
                Err(RecvError::Closed) => return None,
            }
        }
    }

    /// First what is kept, then what comes.
    async fn receive(&mut self) -> Result<Arc<Line>, RecvError> {
        match self.kept() {
            Some(kept) => kept,
            None => self.news.recv().await,
        }
    }

    fn kept(&mut self) -> Option<Result<Arc<Line>, RecvError>> {
        if self.replayed.is_empty()
            && let Some(replay) = &mut self.replay
        {
            let (lines, lost) = self.seat.edge.feed.channel().kept.piece(replay);
            self.replayed = lines.into();
            if replay.next >= replay.end {
                self.replay = None;
            }
            if lost > 0 {
                return Some(Err(RecvError::Lagged(lost)));
            }
        }
        self.replayed.pop_front().map(Ok)
    }

    fn note(&mut self, heard: Result<Arc<Line>, RecvError>) {
        let Some((_, digest)) = &mut self.digest else { return };
        match heard {
            Ok(told) if self.wanted.has(&told.news.what) => digest.note(&told),
            Err(RecvError::Lagged(count)) => digest.note_lost(count),
            Ok(_) | Err(RecvError::Closed) => {}
        }
    }

    /// All that happens until the end of the interval that has begun.
    async fn gather(&mut self) -> Option<Bytes> {
        let end = Instant::now() + self.digest.as_ref().map_or(Duration::ZERO, |(every, _)| *every);
        loop {
            while let Some(heard) = self.kept().or_else(|| self.at_once()) {
                self.note(heard);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return self.digested();
            }
            tokio::time::sleep(left.min(LOOK_EVERY)).await;
        }
    }

    /// What is there without waiting.
    fn at_once(&mut self) -> Option<Result<Arc<Line>, RecvError>> {
        match self.news.try_recv() {
            Ok(told) => Some(Ok(told)),
            Err(TryRecvError::Lagged(count)) => Some(Err(RecvError::Lagged(count))),
            // The next wait tells.
            Err(TryRecvError::Empty | TryRecvError::Closed) => None,
        }
    }

    fn digested(&mut self) -> Option<Bytes> {
        self.digest.as_mut().and_then(|(_, digest)| digest.take())
    }
}
