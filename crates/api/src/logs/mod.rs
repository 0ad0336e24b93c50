//! Logs of attempts at the server: taken from sessions, kept by a thread of their own, read and followed by callers.
//! Entry: [`LogStorage`] for `Server::new`; inside, [`Logs`] and [`Followers`].
//! - AL-1 a log never delays a report or a heartbeat: a piece for which there is no room is dropped and counted
//! - AL-2 a heartbeat is answered when the pieces before it are in their files, so that a worker sends again what a
//!   killed server did not keep; a device that hangs delays the answer by [`KEPT_WAIT_MAX`] at most
//! - AL-3 a follower is woken by what happens; the slow look of its own is for what gets lost
//!
//! Not here: files (`mainspring-store-local`), what callers may ask for (`operation::logs`).

mod follow;
mod followers;
mod writer;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use mainspring_core::decision::Rejection;
use mainspring_core::values::TaskId;
use mainspring_proto::v1;
use mainspring_runtime::node::Health;
use mainspring_store::{
    LogError, LogFound, LogKey, LogPage, LogPiece, LogPlace, LogPoint, LogSearch, LogSpot, ReadLogs,
    WriteLogs,
};
use tokio::sync::{Semaphore, oneshot};

pub(crate) use self::follow::{BrokenOff, Following, Piece, Stand};
pub(crate) use self::followers::{Follower, Followers};
use self::writer::Order;
use crate::metrics::Metrics;
use crate::problem::Problem;

/// Pieces that wait for the writer, in number and in bytes.
const QUEUE_MAX: usize = 4_096;
const QUEUE_BYTES_MAX: usize = 16 << 20;
/// Logs read at once; further reads wait.
const READS_MAX: usize = 16;
/// Logs searched at once: a search keeps a core busy, which tasks need more.
const SEARCHES_MAX: usize = 2;
/// How long a heartbeat's answer waits for pieces to be kept.
pub(crate) const KEPT_WAIT_MAX: Duration = Duration::from_secs(1);

/// Where logs are kept.
pub struct LogStorage {
    writer: Box<dyn WriteLogs + Send>,
    reader: Arc<dyn ReadLogs>,
}

impl LogStorage {
    pub fn new(writer: impl WriteLogs + Send + 'static, reader: impl ReadLogs + 'static) -> Self {
        Self { writer: Box::new(writer), reader: Arc::new(reader) }
    }
}

pub(crate) struct Logs {
    orders: SyncSender<Order>,
    queued_bytes: Arc<AtomicUsize>,
    reader: Arc<dyn ReadLogs>,
    reads: Semaphore,
    searches: Semaphore,
    pub followers: Arc<Followers>,
    metrics: Arc<Metrics>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Logs {
    pub fn start(
        storage: LogStorage,
        keep_days: u32,
        (followers, metrics): (Arc<Followers>, Arc<Metrics>),
        health: Arc<Health>,
    ) -> Self {
        let (orders, inbox) = std::sync::mpsc::sync_channel(QUEUE_MAX);
        let queued_bytes = Arc::new(AtomicUsize::new(0));
        let thread = writer::Writer {
            store: storage.writer,
            inbox,
            queued_bytes: Arc::clone(&queued_bytes),
            followers: Arc::clone(&followers),
            metrics: Arc::clone(&metrics),
            keep_days,
            health,
        };
        Self {
            orders,
            queued_bytes,
            reader: storage.reader,
            reads: Semaphore::new(READS_MAX),
            searches: Semaphore::new(SEARCHES_MAX),
            followers,
            metrics,
            thread: Mutex::new(Some(writer::start(thread))),
        }
    }

    /// Takes a worker's piece, or drops it; never waits.
    pub fn offer(&self, chunk: v1::LogChunk) {
        self.metrics.log_bytes_received.inc_by(chunk.bytes.len() as u64);
        let Ok(task) = <[u8; 16]>::try_from(chunk.task.as_slice()) else {
            self.metrics.log_chunks_dropped.inc();
            return;
        };
        let task = TaskId::from_bits(u128::from_be_bytes(task));
        let key = LogKey { task, attempt: chunk.attempt };
        if chunk.last && chunk.offset == 0 && chunk.bytes.is_empty() {
            // Most attempts say nothing: it is remembered for those who wait, and needs no file.
            return self.followers.note_silent(key);
        }
        let len = chunk.bytes.len();
        let piece = LogPiece { key, offset: chunk.offset, bytes: chunk.bytes, last: chunk.last };
        let before = self.queued_bytes.fetch_add(len, Ordering::Relaxed);
        if before + len > QUEUE_BYTES_MAX || self.orders.try_send(Order::Piece(piece)).is_err() {
            self.queued_bytes.fetch_sub(len, Ordering::Relaxed);
            self.metrics.log_chunks_dropped.inc();
        }
    }

    /// Resolves when everything that was taken before is in its file. `None`: nobody can say when.
    pub fn kept(&self) -> Option<oneshot::Receiver<()>> {
        let (sender, receiver) = oneshot::channel();
        self.orders.try_send(Order::Mark(sender)).is_ok().then_some(receiver)
    }

    /// Keeps everything that was taken, and ends the thread. Blocks.
    pub fn stop(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = self.orders.send(Order::Stop);
            let _ = thread.join();
        }
    }

    pub async fn newest(&self, task: TaskId, at_most: u32) -> Result<Option<u32>, Problem> {
        self.blocking(move |reader| reader.newest(task, at_most)).await
    }

    pub async fn next(&self, task: TaskId, from: u32, at_most: u32) -> Result<Option<u32>, Problem> {
        self.blocking(move |reader| reader.next(task, from, at_most)).await
    }

    pub async fn read(
        &self,
        key: LogKey,
        mut place: LogPlace,
        bytes_max: usize,
    ) -> Result<(LogPage, LogPlace), Problem> {
        self.blocking(move |reader| reader.read(key, &mut place, bytes_max).map(|page| (page, place))).await
    }

    pub async fn locate(&self, key: LogKey, point: LogPoint) -> Result<LogSpot, Problem> {
        self.blocking(move |reader| reader.locate(key, point)).await
    }

    pub async fn search(&self, key: LogKey, wanted: LogSearch) -> Result<LogFound, Problem> {
        let _turn = self.searches.acquire().await.map_err(|_| Problem::ServerBusy)?;
        self.blocking(move |reader| reader.search(key, &wanted)).await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn ReadLogs) -> Result<T, LogError> + Send + 'static,
    ) -> Result<T, Problem> {
        let _turn = self.reads.acquire().await.map_err(|_| Problem::ServerBusy)?;
        let reader = Arc::clone(&self.reader);
        let done = tokio::task::spawn_blocking(move || work(&*reader)).await;
        done.map_err(|_| Problem::ServerBusy)?.map_err(|error| {
            tracing::error!(%error, "a log was not read");
            Problem::Rejected(Rejection::Internal { what: "the log cannot be read" })
        })
    }
}
