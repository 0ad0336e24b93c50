//! The world: one store, the servers that own it one after the other (or two at once), workers, callers, a
//! network, clocks, and everything that is about to happen.
//! Entry: [`World::step`]; `run` decides how long.
//! - WO-1 everything follows from the seed: one source of chance, one queue, no iteration over hashes
//!
//! Not here: what the parts do (`server`, `worker`, `client`), what must hold (`checkers`).

use std::collections::BTreeSet;

use mainspring_core::task::Arrow;
use mainspring_core::values::Chance;
use mainspring_runtime::Replies;

use crate::breaks::BreakMode;
use crate::checkers::{Check, Checkers};
use crate::client::{CallerEvent, Callers};
use crate::clock::RawClocks;
use crate::faults::{Fault, Rates, Seen};
use crate::network::{Direction, Network, Peer};
use crate::schedule::Schedule;
use crate::server::{Mail, Server, ServerEvent};
use crate::settings::Settings;
use crate::store::SimStore;
use crate::trace::Trace;
use crate::worker::{Worker, WorkerEvent, WorkerMessage};

#[derive(Debug)]
pub enum Happening {
    Server {
        server: usize,
        what: ServerEvent,
    },
    ToServer {
        server: usize,
        mail: Box<Mail>,
    },
    /// A server is started if none is alive.
    OpenServer,
    Worker {
        worker: usize,
        life: u64,
        what: WorkerEvent,
    },
    ToWorker {
        worker: usize,
        message: WorkerMessage,
    },
    Caller(CallerEvent),
    ToCaller {
        operation: u64,
        results: Replies,
    },
    Disaster,
    /// The wall clock is set right.
    ClockTame,
}

impl Happening {
    /// For the trace.
    fn number(&self) -> u64 {
        match self {
            Self::Server { server, what } => 1 << 32 | (*server as u64) << 8 | what.number(),
            Self::ToServer { server, .. } => 2 << 32 | *server as u64,
            Self::OpenServer => 3 << 32,
            Self::Worker { worker, what, .. } => 4 << 32 | (*worker as u64) << 8 | what.number(),
            Self::ToWorker { worker, .. } => 5 << 32 | *worker as u64,
            Self::Caller(_) => 6 << 32,
            Self::ToCaller { operation, .. } => 7 << 32 | *operation,
            Self::Disaster => 8 << 32,
            Self::ClockTame => 9 << 32,
        }
    }
}

/// Counted for the report.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub ok_operations: u64,
    pub takeovers: u64,
    /// New epochs of the same owner.
    pub renewals: u64,
    pub crashes: u64,
    pub lease_expiries: u64,
    pub stale_reports: u64,
    pub executions: u64,
    pub cuts: u64,
    pub records: u64,
    pub loads: u64,
    pub flows: crate::checkers::FlowCounts,
    pub windows: crate::checkers::WindowCounts,
    pub events: crate::checkers::EventCounts,
    pub pages: u64,
    /// Arrows of the table of states that were taken.
    pub arrows: BTreeSet<Arrow>,
    pub seen: Seen,
}

pub struct World {
    pub settings: Settings,
    pub rates: Rates,
    pub break_mode: Option<BreakMode>,
    pub chance: Chance,
    /// Milliseconds since the world began.
    pub now: u64,
    pub healed: bool,
    pub(crate) schedule: Schedule<Happening>,
    pub store: SimStore,
    pub(crate) clocks: RawClocks,
    pub(crate) full_until: u64,
    /// Until then the tables can neither be written nor read.
    pub(crate) tables_fail_until: u64,
    /// By number of start; a dead one leaves its place empty.
    pub(crate) servers: Vec<Option<Server>>,
    pub(crate) network: Network,
    pub(crate) workers: Vec<Worker>,
    pub(crate) callers: Callers,
    pub checkers: Checkers,
    pub trace: Trace,
    pub tally: Tally,
}

impl World {
    pub fn new(seed: u64, break_mode: Option<BreakMode>, print: bool) -> Self {
        let mut chance = Chance::new(seed);
        let settings = Settings::draw(&mut chance, break_mode);
        let rates = Rates::draw(&mut chance);
        let workers =
            settings.workers.iter().enumerate().map(|(index, offer)| Worker::new(index, offer.clone()));
        let mut world = Self {
            workers: workers.collect(),
            checkers: Checkers::new(settings.rules()),
            callers: Callers::new(settings.operations),
            store: SimStore::new(break_mode != Some(BreakMode::EpochNotLocked)),
            settings,
            rates,
            break_mode,
            chance,
            now: 0,
            healed: false,
            schedule: Schedule::default(),
            clocks: RawClocks::default(),
            full_until: 0,
            tables_fail_until: 0,
            servers: Vec::new(),
            network: Network::default(),
            trace: Trace::new(print),
            tally: Tally::default(),
        };
        world.begin();
        world
    }

    fn begin(&mut self) {
        self.put(0, Happening::OpenServer);
        for worker in 0..self.workers.len() {
            let after = self.chance.below(500);
            self.put(after, Happening::Worker { worker, life: 0, what: WorkerEvent::Up });
        }
        self.put(10, Happening::Caller(CallerEvent::Next));
        if self.rates.disaster_every > 0 {
            self.put(self.rates.disaster_every, Happening::Disaster);
        }
        self.trace.say(0, format_args!("{:?}\n{:?}", self.settings, self.rates));
    }

    /// The next thing that happens. False: nothing will ever happen again.
    pub fn step(&mut self) -> Result<bool, crate::checkers::Broken> {
        let Some((at, what)) = self.schedule.next() else { return Ok(false) };
        self.now = self.now.max(at);
        self.trace.mix(self.now);
        self.trace.mix(what.number());
        match what {
            Happening::Server { server, what } => self.server_event(server, what)?,
            Happening::ToServer { server, mail } => self.mail_arrived(server, *mail),
            Happening::OpenServer => self.open_if_none()?,
            Happening::Worker { worker, life, what } => self.worker_event(worker, life, what)?,
            Happening::ToWorker { worker, message } => self.worker_message(worker, message),
            Happening::Caller(what) => self.caller_event(what),
            Happening::ToCaller { operation, results } => self.caller_told(operation, &results),
            Happening::Disaster => self.disaster()?,
            Happening::ClockTame => self.clocks.tame(),
        }
        self.clocks.read(self.now);
        Ok(true)
    }

    pub(crate) fn put(&mut self, after: u64, what: Happening) {
        self.schedule.put(self.now + after, what);
    }

    /// Between one and `max`.
    pub(crate) fn span(&mut self, max: u64) -> u64 {
        1 + self.chance.below(max.max(1))
    }

    pub(crate) fn delays(&mut self, peer: Peer, direction: Direction) -> Vec<u64> {
        let timing = (self.now, self.settings.hop);
        let (chance, seen) = (&mut self.chance, &mut self.tally.seen);
        let delays = self.network.delays((peer, direction), timing, &self.rates, chance, seen);
        if let (Peer::Worker(worker), []) = (peer, delays.as_slice()) {
            self.workers[worker].torn = true;
        }
        delays
    }

    pub(crate) fn see(&mut self, fault: Fault) {
        self.tally.seen.note(fault);
        self.trace.say(self.now, format_args!("fault: {}", fault.label()));
    }

    /// Servers that are alive, oldest first.
    pub(crate) fn alive(&self) -> Vec<usize> {
        (0..self.servers.len()).filter(|index| self.servers[*index].is_some()).collect()
    }

    /// The newest owner if it is alive.
    pub(crate) fn owner(&self) -> Option<usize> {
        let newest = self.store.disk().newest();
        self.alive()
            .into_iter()
            .rev()
            .find(|index| self.servers[*index].as_ref().is_some_and(|s| s.epoch == newest))
    }

    /// Whom a worker or a caller connects to: mostly the newest, sometimes one that has been replaced.
    pub(crate) fn draw_server(&mut self) -> Option<usize> {
        let alive = self.alive();
        let any = self.chance.below(alive.len() as u64) as usize;
        if self.chance.per_mille(400) { alive.get(any).copied() } else { alive.last().copied() }
    }

    /// Checks of what the journal says that need the world's clocks.
    pub(crate) fn check_dates(&self) -> Check {
        self.checkers.journal.believes_only(self.clocks.wall_max())
    }
}
