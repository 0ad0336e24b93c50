//! The threads that drive a shard for real: the shard's own, one that appends to the journal, one that writes
//! the tables, one that reads them.
//! Entry: [`Node::open`], then [`Node::send`].
//! - ND-1 every channel is bounded; a full mailbox makes its senders wait or be told
//! - ND-2 loads, pages and barriers go through one reader in order, and into the mailbox in that order
//!
//! Not here: the logic (`shard`); sockets (the edges).

mod appender;
mod loader;
mod meters;
mod shard_thread;
mod tabler;

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use mainspring_core::effect::Effect;
use mainspring_core::id::Slot;
use mainspring_core::time::{Millis, Wall};
use mainspring_core::workflow::{Evaluate, NoTexts};
use mainspring_store::{OpenError, Opened, ReadTables, Store};

pub use self::meters::{Measured, Meters};
use self::{loader::LoaderOrder, shard_thread::Message};
use crate::clock::Reading;
use crate::config::ShardConfig;
use crate::shard::{Envelope, Recovered, Replies, Shard, ShardFigures, StopCause};

/// Envelopes that may wait for a shard.
pub const MAILBOX_MAX: usize = 1024;

/// Called once, on the shard's thread, when the answer may leave. Dropped uncalled if the shard stops first: the
/// outcome is then unknown to the caller.
pub type Reply = Box<dyn FnOnce(Replies) + Send>;

/// Called once, on the shard's thread; dropped uncalled if the shard stops first.
pub type Followed = Box<dyn FnOnce() + Send>;

/// Where effects go; called on the shard's thread, must not block.
pub type Outlet = Box<dyn FnMut(Vec<Effect>) + Send>;

/// The mailbox is full: the caller should be told to come back.
pub struct Busy(pub Envelope<Reply>);

/// One node with its shards. Embedded, that is one shard that owns every slot.
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
    mailbox: Sender<Message>,
    loader: Sender<LoaderOrder>,
    figures: Receiver<Box<Measured>>,
    stopped: Receiver<Option<StopCause>>,
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
        let Opened { epoch, journal, tables, reader, mut recovery } = store.open()?;
        let (shard, recovered) = Shard::recover_with(config, epoch, &mut recovery, clock.read(), evaluate)?;
        drop(recovery);
        let lists = reader
            .another()
            .map_err(|error| OpenError::Backend { what: "a second reader".into(), why: error.what })?;
        let handle = start(shard, journal, tables, reader, outlet, clock, config.history_days);
        Ok((Self { shards: vec![handle] }, recovered, lists))
    }

    fn shard(&self, slot: Slot) -> &ShardHandle {
        &self.shards[usize::from(slot.get()) % self.shards.len()]
    }

    /// Waits for room in the mailbox of the slot's shard. False: the shard has stopped.
    pub fn send(&self, slot: Slot, envelope: Envelope<Reply>) -> bool {
        let shard = self.shard(slot);
        if needs_keys(&envelope) {
            shard.loader.send(LoaderOrder::Keys(envelope)).is_ok()
        } else {
            shard.mailbox.send(Message::Commands(envelope)).is_ok()
        }
    }

    /// Like [`Node::send`], but does not wait.
    pub fn offer(&self, slot: Slot, envelope: Envelope<Reply>) -> Result<(), Busy> {
        let shard = self.shard(slot);
        if needs_keys(&envelope) {
            return shard.loader.try_send(LoaderOrder::Keys(envelope)).map_err(|error| {
                match error.into_inner() {
                    LoaderOrder::Keys(envelope) => Busy(envelope),
                    _ => unreachable!("what was offered comes back"),
                }
            });
        }
        shard.mailbox.try_send(Message::Commands(envelope)).map_err(|error| match error {
            TrySendError::Full(Message::Commands(envelope))
            | TrySendError::Disconnected(Message::Commands(envelope)) => Busy(envelope),
            TrySendError::Full(_) | TrySendError::Disconnected(_) => {
                unreachable!("what was offered comes back")
            }
        })
    }

    /// Figures of the (first) shard, as of its last step; waits for one.
    pub fn figures(&self) -> Option<ShardFigures> {
        self.measured().map(|measured| measured.figures)
    }

    /// Like [`Node::figures`], with everything that was measured.
    pub fn measured(&self) -> Option<Box<Measured>> {
        let shard = self.shards.first()?;
        shard.mailbox.send(Message::Figures).ok()?;
        shard.figures.recv().ok()
    }

    /// Calls `followed` when the tables hold everything that anybody was told until now. False: the mailbox is full.
    pub fn follow(&self, followed: Followed) -> bool {
        self.shards.first().is_some_and(|shard| shard.mailbox.try_send(Message::Follow(followed)).is_ok())
    }

    /// Tells when the (first) shard has stopped; it does not hold on to the node.
    pub fn stop_watch(&self) -> StopWatch {
        StopWatch(self.shards.first().map(|shard| shard.stopped.clone()))
    }

    /// Makes what was accepted durable, writes the tables, and ends the threads.
    pub fn stop(mut self) {
        for shard in &mut self.shards {
            let _ = shard.mailbox.send(Message::Stop);
        }
        for shard in self.shards.drain(..) {
            drop((shard.mailbox, shard.loader));
            for thread in shard.threads {
                let _ = thread.join();
            }
        }
    }
}

fn needs_keys(envelope: &Envelope<Reply>) -> bool {
    envelope.commands.iter().any(|command| command.key().is_some())
}

fn start<J, T, Rd>(
    shard: Shard<Reply>,
    journal: J,
    tables: T,
    reader: Rd,
    outlet: Outlet,
    clock: RawClock,
    history_days: u32,
) -> ShardHandle
where
    J: mainspring_store::Journal + Send + 'static,
    T: mainspring_store::Tables + Send + 'static,
    Rd: ReadTables + Send + 'static,
{
    let (mailbox, inbox) = bounded(MAILBOX_MAX);
    let (loader, loads) = bounded(MAILBOX_MAX);
    let (appends, append_orders) = bounded(8);
    let (cuts, cut_orders) = bounded(4);
    let (returns_in, returns) = bounded(16);
    let (figures_in, figures) = bounded(1);
    let (stopped_in, stopped) = bounded(1);
    let loader_mailbox = mailbox.clone();
    let cut_returns = returns_in.clone();
    let thread = shard_thread::ShardThread {
        shard,
        inbox,
        returns,
        appends,
        cuts,
        loader: loader.clone(),
        figures: figures_in,
        meters: Meters::default(),
        stopped: stopped_in,
        outlet,
        clock,
    };
    let threads = vec![
        spawn("journal", move || appender::run(journal, &append_orders, &returns_in)),
        spawn("tables", move || tabler::run(tables, history_days, &cut_orders, &cut_returns)),
        spawn("loader", move || loader::run(reader, &loads, &loader_mailbox)),
        spawn("shard", move || thread.run()),
    ];
    ShardHandle { mailbox, loader, figures, stopped, threads }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(body).expect("the system can start a thread")
}

/// The machine's own clocks.
#[derive(Clone, Copy, Debug)]
pub struct RawClock(Instant);

impl RawClock {
    pub fn start() -> Self {
        Self(Instant::now())
    }

    pub fn read(&self) -> Reading {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Reading {
            monotonic: Millis::new(self.0.elapsed().as_millis() as u64),
            wall: Wall::from_millis(wall.as_millis() as u64),
        }
    }
}
