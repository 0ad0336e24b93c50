//! A worker: one session at a time, work that goes on when the connection does not, and a spool of results
//! that is emptied only by acknowledgements.
//! - WK-1 it obeys only messages of its newest session, and starts a fence once. Its connection may outlive an owner of the
//!   shard: its host then greets the next one over a new link, and drops orders of older epochs
//! - WK-2 what it answers for (running, accepted, spooled) is in every hello; the spool survives a crash
//! - WK-3 a result is told again until it is acknowledged; a killed attempt has a result too
//!
//! Not here: what the work does (`work`).

mod work;

pub(crate) use self::work::details;

use std::collections::{BTreeMap, BTreeSet};

use mainspring_core::decision::{Effect, Start};
use mainspring_core::engine::Command;
use mainspring_core::task::decide::{Report, ReportKind};
use mainspring_core::values::{Epoch, Fence, Incarnation, Session, TaskId, WorkerId};
use mainspring_core::worker::WorkerOffer;
use mainspring_core::worker::decide::{Hello, Holding, SessionCommand};

use self::work::Attempt;
pub use self::work::Nature;
use crate::breaks::BreakMode;
use crate::checkers::{Check, Over};
use crate::network::{Direction, Peer};
use crate::server::Mail;
use crate::settings::worker_id;
use crate::world::{Happening, World};

type Claim = (TaskId, Fence);

#[derive(Clone, Debug)]
pub enum WorkerMessage {
    /// With the epoch of the owner that gave it.
    Order(Epoch, Box<Effect>),
    /// The server took a hello or a heartbeat.
    Heard { session: Session },
}

#[derive(Debug)]
pub enum WorkerEvent {
    Up,
    Heartbeat,
    Begin(Claim),
    Tick(Claim),
    Finish(Claim),
    Kill(Claim),
}

impl WorkerEvent {
    pub fn number(&self) -> u64 {
        match self {
            Self::Up => 0,
            Self::Heartbeat => 1,
            Self::Begin(_) => 2,
            Self::Tick(_) => 3,
            Self::Finish(_) => 4,
            Self::Kill(_) => 5,
        }
    }
}

pub struct Worker {
    id: WorkerId,
    offer: WorkerOffer,
    up: bool,
    pub paused_until: u64,
    /// Events of an earlier life are void.
    life: u64,
    incarnation: u64,
    session: u64,
    /// Counts the hellos of one session.
    link: u16,
    /// Orders of older epochs are dropped.
    floor: Epoch,
    /// This process has a connection that may go on.
    greeted: bool,
    /// The process it is connected to.
    server: Option<usize>,
    heard: u64,
    /// A message was lost: a stream does not go on without it.
    pub torn: bool,
    running: BTreeMap<Claim, Attempt>,
    spool: BTreeMap<Claim, ReportKind>,
    seen: BTreeSet<Claim>,
}

impl Worker {
    pub fn new(index: usize, offer: WorkerOffer) -> Self {
        Self {
            id: worker_id(index),
            offer,
            up: false,
            paused_until: 0,
            life: 0,
            incarnation: 0,
            session: 0,
            link: 0,
            floor: Epoch::ZERO,
            greeted: false,
            server: None,
            heard: 0,
            torn: false,
            running: BTreeMap::new(),
            spool: BTreeMap::new(),
            seen: BTreeSet::new(),
        }
    }

    fn session(&self) -> Session {
        Session::linked(self.session, self.link).expect("a world has few sessions")
    }

    /// Whether its host hands on an order.
    fn obeys(&self, session: Session, epoch: Epoch, break_mode: Option<BreakMode>) -> bool {
        if break_mode == Some(BreakMode::LateOrders) {
            return session.connection() == self.session;
        }
        session == self.session() && epoch >= self.floor
    }

    pub fn is_idle(&self) -> bool {
        self.up && self.running.is_empty() && self.spool.is_empty()
    }
}

impl World {
    pub(crate) fn worker_event(&mut self, index: usize, life: u64, what: WorkerEvent) -> Check {
        let worker = &self.workers[index];
        if worker.life != life {
            return Ok(());
        }
        if worker.paused_until > self.now {
            let after = worker.paused_until - self.now;
            self.put(after, Happening::Worker { worker: index, life, what });
            return Ok(());
        }
        match what {
            WorkerEvent::Up => self.worker_up(index),
            WorkerEvent::Heartbeat => self.heartbeat(index),
            WorkerEvent::Begin(claim) => return self.begin_work(index, claim),
            WorkerEvent::Tick(claim) => self.tick(index, claim),
            WorkerEvent::Finish(claim) => self.finish(index, claim),
            WorkerEvent::Kill(claim) => self.kill(index, claim),
        }
        Ok(())
    }

    fn put_worker(&mut self, index: usize, after: u64, what: WorkerEvent) {
        let life = self.workers[index].life;
        self.put(after, Happening::Worker { worker: index, life, what });
    }

    fn worker_up(&mut self, index: usize) {
        let worker = &mut self.workers[index];
        worker.up = true;
        worker.incarnation += 1;
        self.connect(index);
        self.put_worker(index, self.settings.heartbeat, WorkerEvent::Heartbeat);
    }

    /// Everything that runs is gone; the spool is on disk.
    pub(crate) fn crash_worker(&mut self, index: usize) {
        let worker = &mut self.workers[index];
        if !worker.up {
            return;
        }
        worker.up = false;
        worker.greeted = false;
        worker.life += 1;
        worker.seen.clear();
        worker.paused_until = 0;
        for ((task, fence), _) in std::mem::take(&mut worker.running) {
            self.checkers.ledger.end(task, fence, Over::Lost);
        }
        self.trace.say(self.now, format_args!("worker {index} crashes"));
        let after = self.span(8_000);
        self.put_worker(index, after, WorkerEvent::Up);
    }

    /// A new session, told with everything the worker answers for.
    fn connect(&mut self, index: usize) {
        if self.chance.per_mille(300) {
            let worker = &self.workers[index];
            let (worker, session) = (worker.id, worker.session());
            self.send_to_server(index, &Command::Session(SessionCommand::Closed { worker, session }));
        }
        let server = self.draw_server();
        let spooled = self.break_mode != Some(BreakMode::HelloWithoutSpool);
        let owner = server.and_then(|server| self.servers[server].as_ref()).map(|server| server.epoch);
        let keeps_connection = self.chance.per_mille(400);
        let worker = &mut self.workers[index];
        let owner = owner.filter(|epoch| keeps_connection && worker.greeted && *epoch >= worker.floor);
        if let Some(epoch) = owner {
            (worker.link, worker.floor) = (worker.link + 1, epoch);
        } else {
            (worker.session, worker.link, worker.floor) = (worker.session + 1, 1, Epoch::ZERO);
        }
        worker.greeted = true;
        worker.server = server;
        worker.heard = self.now;
        worker.torn = false;
        let (now, spool) = (self.now, worker.spool.keys().filter(|_| spooled));
        let running = worker.running.iter().map(|(claim, attempt)| (*claim, attempt.ran(now)));
        let held = running.chain(spool.map(|claim| (*claim, None)));
        let hello = Hello {
            worker: worker.id,
            epoch: worker.floor,
            session: worker.session(),
            incarnation: Incarnation::new(worker.incarnation),
            offer: worker.offer.clone(),
            holding: held.map(|((task, fence), ran)| Holding { task, fence, ran }).collect(),
        };
        self.trace.say(self.now, format_args!("worker {index} greets {server:?}, session {}", hello.session));
        self.send_to_server(index, &Command::Session(SessionCommand::Hello(Box::new(hello))));
        self.resend(index);
    }

    fn heartbeat(&mut self, index: usize) {
        let patience = self.settings.heartbeat * 2 + self.settings.hop * 6;
        self.put_worker(index, self.settings.heartbeat, WorkerEvent::Heartbeat);
        let worker = &self.workers[index];
        let gone = worker.server.is_none_or(|server| self.servers[server].is_none());
        if gone || worker.torn || self.now - worker.heard > patience {
            return self.connect(index);
        }
        let (worker, session) = (worker.id, worker.session());
        self.send_to_server(index, &Command::Session(SessionCommand::Heartbeat { worker, session }));
        self.resend(index);
    }

    fn resend(&mut self, index: usize) {
        let spool: Vec<(Claim, ReportKind)> =
            self.workers[index].spool.iter().map(|(claim, what)| (*claim, what.clone())).collect();
        for (claim, what) in spool {
            self.report(index, claim, what);
        }
    }

    fn report(&mut self, index: usize, (task, fence): Claim, what: ReportKind) {
        let worker = &self.workers[index];
        let session = worker.session();
        let details = if what.ends_attempt() { details((task, fence)) } else { None };
        let report = Report { worker: worker.id, session, task, fence, what, details };
        self.send_to_server(index, &Command::Report(Box::new(report)));
    }

    fn send_to_server(&mut self, index: usize, command: &Command) {
        let Some(server) = self.workers[index].server else { return };
        for after in self.delays(Peer::Worker(index), Direction::ToServer) {
            let mail = Mail::FromWorker { worker: index, command: command.clone() };
            self.put(after, Happening::ToServer { server, mail: Box::new(mail) });
        }
    }

    pub(crate) fn worker_message(&mut self, index: usize, message: WorkerMessage) {
        let worker = &mut self.workers[index];
        if !worker.up {
            return;
        }
        if worker.paused_until > self.now {
            let after = worker.paused_until - self.now;
            return self.put(after, Happening::ToWorker { worker: index, message });
        }
        let (epoch, effect) = match message {
            WorkerMessage::Order(epoch, effect) => (epoch, *effect),
            WorkerMessage::Heard { session } => {
                if session == worker.session() {
                    worker.heard = self.now;
                }
                return;
            }
        };
        let session = match &effect {
            Effect::Start(start) => start.session,
            Effect::Stop { session, .. }
            | Effect::Acknowledge { session, .. }
            | Effect::SessionLost { session, .. } => *session,
            _ => return,
        };
        if !worker.obeys(session, epoch, self.break_mode) {
            return;
        }
        match effect {
            Effect::Start(start) => self.start_ordered(index, &start),
            Effect::Stop { task, fence, grace, .. } => self.stop_ordered(index, (task, fence), grace.get()),
            Effect::Acknowledge { task, fence, .. } => drop(worker.spool.remove(&(task, fence))),
            Effect::SessionLost { .. } => self.connect(index),
            _ => {}
        }
    }

    fn start_ordered(&mut self, index: usize, start: &Start) {
        let claim = (start.task, start.fence);
        let refuses = self.chance.per_mille(if self.healed { 0 } else { 20 });
        let worker = &mut self.workers[index];
        if !worker.seen.insert(claim) {
            return;
        }
        if refuses || worker.running.len() >= worker.offer.slots as usize {
            return self.result(index, claim, ReportKind::Refused);
        }
        worker.running.insert(claim, Attempt::new(start));
        self.report(index, claim, ReportKind::Accepted);
        let after = self.chance.below(100);
        self.put_worker(index, after, WorkerEvent::Begin(claim));
    }

    fn stop_ordered(&mut self, index: usize, claim: Claim, grace: u64) {
        let after = self.chance.below(grace + 1);
        let worker = &mut self.workers[index];
        // A start that comes after its own stop must not begin.
        worker.seen.insert(claim);
        if let Some(attempt) = worker.running.get_mut(&claim)
            && !attempt.stopping
        {
            attempt.stopping = true;
            self.put_worker(index, after, WorkerEvent::Kill(claim));
        }
    }

    /// What came of an attempt; told until it is acknowledged.
    fn result(&mut self, index: usize, claim: Claim, what: ReportKind) {
        self.workers[index].running.remove(&claim);
        self.workers[index].spool.insert(claim, what.clone());
        let vanished = matches!(what, ReportKind::Vanished(_));
        self.checkers.ledger.end(claim.0, claim.1, if vanished { Over::Lost } else { Over::Known });
        self.report(index, claim, what);
    }
}
