//! A server process: the real shard, driven as its thread drives it, with every completion an event.
//! - SV-1 outputs are carried out in order; a crash may come between any two
//! - SV-3 while the process is paused nothing is read: what was sent to it waits in its sockets, and is read a little after
//!   its threads go on
//! - SV-2 reads go through one loader in order, and see the tables at the time they are executed
//!
//! Not here: what may go wrong with the store (`io`), reading (`loader`), starting and ending (`life`).

mod io;
mod life;
mod loader;
mod turn;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use mainspring_core::engine::Command;
use mainspring_core::values::{Epoch, RunId, Session, TaskId};
use mainspring_core::wait::FoundRun;
use mainspring_core::worker::decide::SessionCommand;
use mainspring_runtime::{Envelope, FoundPage, Shard, ShardClock};
use mainspring_store::{AppendError, Cut, CutError, LiveRow, Record, StoredTask};

use self::loader::LoaderOrder;
use crate::checkers::Check;
use crate::worker::WorkerMessage;
use crate::world::{Happening, World};

/// After a pause the threads that read sockets and the shard's own go on in any order.
const READ_AFTER_PAUSE_MS: u64 = 30;

/// Whom an answer goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ticket {
    Operation(u64),
    Nobody,
}

/// Into the shard's mailbox.
#[derive(Debug)]
pub enum Mail {
    Commands(Envelope<Ticket>),
    FromWorker {
        worker: usize,
        command: Command,
    },
    LoadedRun {
        command: Command,
        reply: Ticket,
        found: Option<Box<mainspring_core::run::Run>>,
    },
    Loaded {
        command: Command,
        reply: Ticket,
        found: Option<StoredTask>,
    },
    Paged(Option<Vec<LiveRow>>),
    RunFound {
        task: TaskId,
        run: RunId,
        found: FoundRun,
    },
    PagedFor(Option<FoundPage>),
    Barrier(u64),
    /// The loader could not read; the caller hears nothing.
    Dropped,
}

#[derive(Debug)]
pub enum ServerEvent {
    /// Valid if the number is still the server's.
    Turn(u64),
    /// The store executes an append; `answer`: the outcome is told after this long.
    Append {
        record: Arc<Record>,
        answer: Option<u64>,
    },
    Appended(Result<(), AppendError>),
    Cut {
        cut: Arc<Cut>,
        answer: Option<u64>,
    },
    CutDone(Result<(), CutError>),
    RetryAppend,
    RetryCut,
    /// The loader executes its next order.
    Read,
    /// What was read comes into the mailbox.
    Deliver(Box<Mail>),
    /// The server is told that it no longer owns the shard.
    ClaimEnds,
}

impl ServerEvent {
    pub fn number(&self) -> u64 {
        match self {
            Self::Turn(_) => 0,
            Self::Append { .. } => 1,
            Self::Appended(Ok(())) => 2,
            Self::Appended(Err(_)) => 3,
            Self::Cut { .. } => 4,
            Self::CutDone(Ok(())) => 5,
            Self::CutDone(Err(_)) => 6,
            Self::RetryAppend => 7,
            Self::RetryCut => 8,
            Self::Read => 9,
            Self::Deliver(_) => 10,
            Self::ClaimEnds => 11,
        }
    }

    /// Needs the process to run; the rest happens in the store.
    fn is_in_process(&self) -> bool {
        !matches!(self, Self::Append { .. } | Self::Cut { .. })
    }
}

#[expect(clippy::struct_excessive_bools, reason = "each belongs to another thread of the process")]
pub struct Server {
    pub epoch: Epoch,
    pub paused_until: u64,
    shard: Shard<Ticket>,
    mailbox: VecDeque<Mail>,
    /// Signs of life that the edge has read and the shard has not taken in.
    signs: BTreeMap<usize, Session>,
    loader: VecDeque<LoaderOrder>,
    loader_busy: bool,
    appending: bool,
    /// When the record that is being appended was sealed.
    sealed_at: u64,
    /// The last turn.
    turned_at: u64,
    /// Goes up with every turn that is planned; older plans are void.
    wake: u64,
    poked: bool,
    turns: u64,
    /// Its last turn led to something.
    busy: bool,
    spins: u32,
    /// Tells when something was heard, apart from the shard.
    clock: ShardClock,
}

impl World {
    pub(crate) fn server_event(&mut self, index: usize, what: ServerEvent) -> Check {
        if let Some(server) = &self.servers[index]
            && server.paused_until > self.now
            && what.is_in_process()
        {
            let after = server.paused_until - self.now;
            self.put(after, Happening::Server { server: index, what });
            return Ok(());
        }
        match what {
            ServerEvent::Append { record, answer } => self.execute_append(index, &record, answer),
            ServerEvent::Cut { cut, answer } => self.execute_cut(index, &cut, answer),
            ServerEvent::Turn(wake) => match &self.servers[index] {
                Some(server) if server.wake == wake => self.turn(index),
                Some(_) | None => Ok(()),
            },
            ServerEvent::Appended(result) => self.appended(index, result),
            ServerEvent::CutDone(result) => self.cut_done(index, result),
            ServerEvent::RetryAppend => self.with_shard(index, Shard::retry_append),
            ServerEvent::RetryCut => self.with_shard(index, Shard::retry_cut),
            ServerEvent::Read => {
                self.read(index);
                Ok(())
            }
            ServerEvent::Deliver(mail) => {
                self.deliver(index, *mail);
                Ok(())
            }
            ServerEvent::ClaimEnds => {
                self.end_claim(index);
                Ok(())
            }
        }
    }

    /// Something that the shard is told, and a turn after it.
    fn with_shard(&mut self, index: usize, act: impl FnOnce(&mut Shard<Ticket>)) -> Check {
        let Some(server) = self.servers[index].as_mut() else { return Ok(()) };
        act(&mut server.shard);
        self.turn(index)
    }

    /// A message came over the network; its process may be gone.
    pub(crate) fn mail_arrived(&mut self, index: usize, mail: Mail) {
        let read_after = self.span(READ_AFTER_PAUSE_MS);
        let Some(server) = self.servers[index].as_mut() else { return };
        let operation = match &mail {
            Mail::Commands(Envelope { reply: Ticket::Operation(number), .. }) => Some(*number),
            _ => None,
        };
        let mut read_at = operation.map_or(0, |number| *self.callers.unread_until(number));
        if server.paused_until > self.now {
            read_at = read_at.max(server.paused_until + read_after);
        }
        if read_at > self.now {
            if let Some(number) = operation {
                *self.callers.unread_until(number) = read_at;
            }
            let after = read_at - self.now;
            return self.put(after, Happening::ToServer { server: index, mail: Box::new(mail) });
        }
        match mail {
            Mail::FromWorker {
                worker,
                command: Command::Session(SessionCommand::Heartbeat { session, .. }),
            } => {
                let newest = server.signs.entry(worker).or_insert(session);
                *newest = session.max(*newest);
                // Answered by the edge, whatever the shard and its journal do.
                self.send_to_worker(worker, &WorkerMessage::Heard { session });
                return;
            }
            Mail::Commands(envelope) => {
                if loader::needed(&envelope) {
                    server.loader.push_back(LoaderOrder::Keys(envelope));
                } else {
                    server.mailbox.push_back(Mail::Commands(envelope));
                }
                self.start_reading(index);
            }
            mail => server.mailbox.push_back(mail),
        }
        self.poke(index);
    }

    /// Plans a turn soon; several messages then share it.
    pub(crate) fn poke(&mut self, index: usize) {
        let after = self.chance.below(3);
        let Some(server) = self.servers[index].as_mut() else { return };
        if !server.poked {
            server.poked = true;
            server.wake += 1;
            let wake = server.wake;
            self.put(after, Happening::Server { server: index, what: ServerEvent::Turn(wake) });
        }
    }

    pub(crate) fn is_settled(&self) -> bool {
        let owner = self.owner().and_then(|index| self.servers[index].as_ref());
        owner.is_some_and(|server| server.shard.is_settled() && server.mailbox.is_empty())
    }
}
