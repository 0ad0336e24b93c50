//! The threads that drive a shard for real: the shard's own, one that appends to the journal, one that writes
//! the tables, one that reads them.
//! Entry: [`Node::open`], then [`Node::send`].
//! - ND-1 every queue is bounded; a full mailbox makes its senders wait or be told
//! - ND-2 what the loader reads reaches the shard in the order in which it was read
//! - ND-3 no thread blocks on a queue whose reader may block on it
//!
//! Who may block on which queue, and why there is no cycle:
//!
//! | thread | may block on | whose reader is |
//! |---|---|---|
//! | shard | nothing: it keeps orders that find no room (`queues`) | |
//! | journal | the disk; `returns` | the shard, which blocks on nothing |
//! | tables | the disk; `returns` | the shard |
//! | loader | the disk; `loaded` | the shard |
//! | edges (REST, gRPC, sessions) | nothing: [`Node::offer`] tells them that a queue is full | |
//! | tests and benchmarks | `mailbox`, `keys` by [`Node::send`] | the shard, the loader |
//!
//! What workers say is heard (`signs`) and answered at the edge, past every queue, so that no stall costs a lease.
//!
//! Replies, effects and everything else that is called on these threads must not block. They hand a value to a
//! task of the edge or wake it; the locks on the way are held for a few instructions.
//!
//! What the shard keeps is bounded because it takes in less: no commands while the record that is being built is
//! full or while [`LOADS_KEPT_MAX`] orders wait for the loader, and no results of the loader while the record is full.
//! Of appends and cuts at most one is under way at a time.
//!
//! Not here: the logic (`shard`); sockets (the edges).

mod appender;
mod conditions;
mod health;
mod kernel_clock;
mod loader;
mod meters;
mod news;
mod queues;
mod shard_thread;
mod signs;
mod start;
mod tabler;

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};
use mainspring_core::decision::Effect;
use mainspring_core::run::{Evaluate, NoTexts};
use mainspring_core::values::{Bucket, Epoch, Millis, Seq, Session, Wall, WorkerId};
use mainspring_store::{OpenError, Opened, ReadTables, Store};
use rustix::time::{ClockId, clock_gettime};

pub use self::conditions::{Condition, ConditionCode, Conditions};
pub use self::health::{Health, Part, STUCK_AFTER, Trouble};
pub use self::meters::{Measured, Meters};
use self::shard_thread::Control;
use self::signs::Signs;
use crate::clock::Reading;
use crate::config::ShardConfig;
use crate::shard::{Envelope, Recovered, Replies, Shard, ShardFigures, StopCause};

/// Envelopes that may wait for a shard.
pub const MAILBOX_MAX: usize = 1024;
/// Orders to the loader that the shard's thread keeps before it takes in no more commands.
pub const LOADS_KEPT_MAX: usize = 1024;

/// Called once, on a thread of the node, when the answer may leave; must not block. Dropped uncalled if the shard
/// stops first: the outcome is then unknown to the caller.
pub type Reply = Box<dyn FnOnce(Replies) + Send>;

/// Called once, on the shard's thread; must not block. Dropped uncalled if the shard stops first.
pub type Followed = Box<dyn FnOnce() + Send>;

/// As [`Followed`], with figures.
pub type Told = Box<dyn FnOnce(Box<Measured>) + Send>;

/// What a shard orders and tells, and in which epoch it did.
#[derive(Debug)]
pub struct Effects {
    pub epoch: Epoch,
    /// The newest durable record; they come from it or from earlier ones.
    pub record: Seq,
    pub effects: Vec<Effect>,
}

/// Where effects go; called on the shard's thread, must not block.
pub type Outlet = Box<dyn FnMut(Effects) + Send>;

/// The envelope was not taken.
pub struct Busy {
    pub envelope: Envelope<Reply>,
    /// The shard has stopped and will take nothing any more; otherwise its mailbox is full for now.
    pub stopped: bool,
}

/// The threads have not ended in time. They are left to themselves: the process must exit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unfinished {
    pub troubles: Vec<Trouble>,
}

/// One node with its shards. Embedded, that is one shard that owns every bucket.
pub struct Node {
    shards: Vec<ShardHandle>,
}

/// See [`Node::stop_watch`]. Only one of them hears of it.
pub struct StopWatch(Option<Receiver<Option<StopCause>>>);

impl StopWatch {
    /// Waits until the shard has stopped; `None` if it was told to.
    pub fn wait(self) -> Option<StopCause> {
        self.0.and_then(|stopped| stopped.recv().ok().flatten())
    }
}

struct ShardHandle {
    mailbox: Sender<Envelope<Reply>>,
    keys: Sender<Envelope<Reply>>,
    control: Sender<Control>,
    signs: Arc<Signs>,
    health: Arc<Health>,
    stopped: Receiver<Option<StopCause>>,
    /// Disconnected when the last thread has ended.
    running: Receiver<()>,
    threads: Vec<JoinHandle<()>>,
}

impl Node {
    /// Opens the store as its next owner, recovers, and starts the threads.
    pub fn open<S: Store>(
        store: &S,
        config: ShardConfig,
        outlet: Outlet,
    ) -> Result<(Self, Recovered), OpenError> {
        Self::open_with_reader(store, config, outlet, Arc::new(NoTexts))
            .map(|(node, recovered, _)| (node, recovered))
    }

    /// Like [`Node::open`], with someone who understands the texts of plans; hands out a reader of the tables for
    /// lists.
    pub fn open_with_reader<S: Store>(
        store: &S,
        config: ShardConfig,
        outlet: Outlet,
        evaluate: Arc<dyn Evaluate>,
    ) -> Result<(Self, Recovered, S::Reader), OpenError> {
        let clock = RawClock::start();
        let Opened { epoch, probe, journal, tables, reader, mut recovery } = store.open()?;
        let (shard, recovered) =
            Shard::recover_with(config, epoch, &mut recovery, clock.read_verified(), evaluate)?;
        drop(recovery);
        let lists = reader
            .another()
            .map_err(|error| OpenError::Backend { what: "a second reader".into(), why: error.what })?;
        if let Some(by) = shard.clock().set_back() {
            let to = shard.clock().last().wall.millis();
            tracing::warn!(
                by_ms = by.get(),
                to_ms = to,
                "the wall time was set back to the clock: the journal was ahead"
            );
        }
        let stuck_after = Duration::from_millis(config.stuck_after.get());
        let health = Arc::new(Health::new(stuck_after).with_probe(probe));
        let handle = start::start(shard, (journal, tables, reader), outlet, clock, (&config, health));
        Ok((Self { shards: vec![handle] }, recovered, lists))
    }

    /// How many shards there are; they are counted from 0.
    pub fn shards(&self) -> usize {
        self.shards.len()
    }

    /// The shard that owns a bucket. All buckets of a group have one owner.
    pub fn shard_of(&self, bucket: Bucket) -> usize {
        usize::from(bucket.group().get()) % self.shards.len()
    }

    /// Waits for room in the mailbox of the bucket's shard. False: the shard has stopped.
    pub fn send(&self, bucket: Bucket, envelope: Envelope<Reply>) -> bool {
        self.send_to(self.shard_of(bucket), envelope)
    }

    /// Like [`Node::send`], to this shard.
    pub fn send_to(&self, shard: usize, envelope: Envelope<Reply>) -> bool {
        self.shards[shard].queue_for(&envelope).send(envelope).is_ok()
    }

    /// Like [`Node::send`], but to this shard, and does not wait.
    pub fn offer_to(&self, shard: usize, envelope: Envelope<Reply>) -> Result<(), Busy> {
        self.shards[shard].queue_for(&envelope).try_send(envelope).map_err(|error| match error {
            TrySendError::Full(envelope) => Busy { envelope, stopped: false },
            TrySendError::Disconnected(envelope) => Busy { envelope, stopped: true },
        })
    }

    /// Figures of the (first) shard, as of its last step; waits for one.
    pub fn figures(&self) -> Option<ShardFigures> {
        self.measured().map(|measured| measured.figures)
    }

    /// Like [`Node::figures`], with everything that was measured.
    pub fn measured(&self) -> Option<Box<Measured>> {
        let (sender, receiver) = bounded(1);
        let told: Told = Box::new(move |measured| drop(sender.send(measured)));
        self.shards.first()?.control.send(Control::Figures(told)).ok()?;
        receiver.recv().ok()
    }

    /// Like [`Node::measured`] without waiting. False: the shard has stopped, or too many ask.
    pub fn measure(&self, shard: usize, told: Told) -> bool {
        self.control(shard, Control::Figures(told))
    }

    /// Calls `followed` when the tables of the shard hold everything that anybody was told until now. False: the shard has stopped,
    /// or too many ask.
    pub fn follow(&self, shard: usize, followed: Followed) -> bool {
        self.control(shard, Control::Follow(followed))
    }

    fn control(&self, shard: usize, control: Control) -> bool {
        self.shards.get(shard).is_some_and(|shard| shard.control.try_send(control).is_ok())
    }

    /// A worker has spoken over a session that was welcomed. Never waits; what was said here counts before the shard
    /// judges who was silent.
    pub fn heard_by(&self, shard: usize, worker: WorkerId, session: Session) {
        let shard = &self.shards[shard];
        if shard.signs.put(worker, session) {
            // Full: the shard has much to do and will look.
            let _ = shard.control.try_send(Control::Wake);
        }
    }

    /// How far the threads of the (first) shard have come.
    pub fn health(&self) -> Arc<Health> {
        self.shards.first().map(|shard| Arc::clone(&shard.health)).unwrap_or_default()
    }

    /// Tells when the (first) shard has stopped; it does not hold on to the node.
    pub fn stop_watch(&self) -> StopWatch {
        StopWatch(self.shards.first().map(|shard| shard.stopped.clone()))
    }

    /// Makes what was accepted durable, writes the tables, and ends the threads; waits as long as that takes.
    pub fn stop(self) {
        let _ = self.stop_before(None);
    }

    /// Like [`Node::stop`], but gives up after `limit`: a thread that is stuck, or waits for a disk that does not
    /// answer, must not keep the process alive.
    pub fn stop_within(self, limit: Duration) -> Result<(), Unfinished> {
        self.stop_before(Some(Instant::now() + limit))
    }

    fn stop_before(mut self, deadline: Option<Instant>) -> Result<(), Unfinished> {
        for shard in self.shards.drain(..) {
            let ShardHandle { mailbox, keys, control, health, running, threads, .. } = shard;
            // Full: the shard learns of it because every handle is gone.
            let _ = control.try_send(Control::Stop);
            drop((mailbox, keys, control));
            let ended = match deadline {
                None => running.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(deadline) => running.recv_deadline(deadline),
            };
            if ended == Err(RecvTimeoutError::Timeout) {
                return Err(Unfinished { troubles: health.troubles() });
            }
            for thread in threads {
                let _ = thread.join();
            }
        }
        Ok(())
    }
}

impl ShardHandle {
    /// Commands with idempotency keys go through the loader, which looks the keys up first.
    fn queue_for(&self, envelope: &Envelope<Reply>) -> &Sender<Envelope<Reply>> {
        let keyed = envelope.commands.iter().any(|command| command.key().is_some());
        if keyed { &self.keys } else { &self.mailbox }
    }
}

/// The machine's own clocks. Elapsed time goes on while the machine sleeps (`CLOCK_BOOTTIME`), as it does for those who
/// wait elsewhere, and as it goes on while the server is down.
#[derive(Clone, Copy, Debug)]
pub struct RawClock {
    start_ms: u64,
}

impl RawClock {
    pub fn start() -> Self {
        Self { start_ms: since_boot_ms() }
    }

    pub fn read(&self) -> Reading {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let monotonic = Millis::new(since_boot_ms().saturating_sub(self.start_ms));
        Reading::new(monotonic, Wall::from_millis(wall.as_millis() as u64))
    }

    /// Like [`RawClock::read`]; also asks whether the kernel vouches for the time.
    pub fn read_verified(&self) -> Reading {
        let reading = self.read();
        Reading { synchronised: kernel_clock::vouches_for(reading.wall), ..reading }
    }
}

fn since_boot_ms() -> u64 {
    let time = clock_gettime(ClockId::Boottime);
    time.tv_sec as u64 * 1_000 + time.tv_nsec as u64 / 1_000_000
}
