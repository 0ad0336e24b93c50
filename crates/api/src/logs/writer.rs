//! The one thread that writes logs. A full device costs logs, never the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use mainspring_runtime::node::Health;
use mainspring_store::{Kept, LogPiece, WriteLogs};
use tokio::sync::oneshot;

use super::Followers;
use crate::metrics::Metrics;

/// How long a piece may wait to be gathered with others: what a follower sees is at most this old.
const GATHER_MAX: Duration = Duration::from_millis(200);
const DROP_EVERY: Duration = Duration::from_hours(1);
/// Until the first cut it is not known what day it is for retention.
const DAY_UNKNOWN_PAUSE: Duration = Duration::from_secs(10);
/// Between two steps of dropping old logs, so that writing goes on.
const DROP_PAUSE: Duration = Duration::from_millis(20);
/// The same trouble is not told more often.
const TELL_EVERY: Duration = Duration::from_secs(10);

pub(super) enum Order {
    Piece(LogPiece),
    /// Answered when everything before is in its file.
    Mark(oneshot::Sender<()>),
    Stop,
}

pub(super) struct Writer {
    pub store: Box<dyn WriteLogs + Send>,
    pub inbox: Receiver<Order>,
    pub queued_bytes: Arc<AtomicUsize>,
    pub followers: Arc<Followers>,
    pub metrics: Arc<Metrics>,
    pub keep_days: u32,
    /// Knows what day it is for retention, which is not always what the clock says.
    pub health: Arc<Health>,
}

pub(super) fn start(writer: Writer) -> JoinHandle<()> {
    let thread = std::thread::Builder::new().name("logs".to_owned());
    thread.spawn(move || writer.run()).expect("the system can start a thread")
}

impl Writer {
    fn run(mut self) {
        let mut flush_at: Option<Instant> = None;
        let mut drop_at = Instant::now();
        let mut told_at: Option<Instant> = None;
        loop {
            let due = flush_at.map_or(drop_at, |at| at.min(drop_at));
            let wait = due.saturating_duration_since(Instant::now());
            let mut flush = flush_at.is_some_and(|at| at <= Instant::now());
            let mut mark = None;
            let mut stops = false;
            match self.inbox.recv_timeout(wait) {
                Ok(Order::Piece(piece)) => {
                    self.queued_bytes.fetch_sub(piece.bytes.len(), Ordering::Relaxed);
                    let kept = self.store.append(piece);
                    self.note(kept, &mut told_at);
                    flush_at.get_or_insert_with(|| Instant::now() + GATHER_MAX);
                }
                Ok(Order::Mark(reached)) => mark = Some(reached),
                Ok(Order::Stop) | Err(RecvTimeoutError::Disconnected) => stops = true,
                Err(RecvTimeoutError::Timeout) => {}
            }
            flush |= stops || mark.is_some();
            if flush {
                let kept = self.store.flush();
                self.note(kept, &mut told_at);
                flush_at = None;
            }
            // Nobody waits for a mark any more if its session is gone.
            let _ = mark.map(|mark| mark.send(()));
            if stops {
                return;
            }
            if drop_at <= Instant::now() {
                drop_at = Instant::now() + self.drop_old();
            }
        }
    }

    fn note(&self, kept: Kept, told_at: &mut Option<Instant>) {
        self.metrics.log_bytes_stored.inc_by(kept.stored_bytes);
        self.metrics.log_chunks_dropped.inc_by(kept.lost);
        if let Some(error) = kept.error
            && told_at.is_none_or(|at| at.elapsed() >= TELL_EVERY)
        {
            *told_at = Some(Instant::now());
            tracing::warn!(%error, "a piece of a log was lost; tasks go on");
        }
        for key in kept.grown {
            self.followers.wake(key.task);
        }
    }

    /// One step; gives the time until the next.
    fn drop_old(&mut self) -> Duration {
        let today = self.health.conditions.retention_day();
        if today == 0 {
            return DAY_UNKNOWN_PAUSE;
        }
        match self.store.drop_before(today.saturating_sub(self.keep_days)) {
            Ok(true) => DROP_PAUSE,
            Ok(false) => DROP_EVERY,
            Err(error) => {
                tracing::warn!(%error, "could not drop old logs; it is tried again in an hour");
                DROP_EVERY
            }
        }
    }
}
