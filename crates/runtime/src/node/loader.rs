//! The thread that reads the tables for commands, before or after they were in the mailbox. One thread and
//! one order: the shard is told of a barrier behind everything that was read before it. Look-ups that wait together
//! share one transaction.
//! - LD-1 an ended task that is only read is answered here: its row is durable, and memory did not have it

use std::fmt;

use crossbeam_channel::{Receiver, Select, Sender, TryRecvError, never};
use mainspring_core::decision::Rejection;
use mainspring_core::engine::{Answer, Command, WantedPage};
use mainspring_core::key::{KeyFact, KeyScope};
use mainspring_core::values::{Millis, Name, RunId, TaskId, Wall};
use mainspring_core::wait::FoundRun;
use mainspring_store::format::{ProfileCache, read_task};
use mainspring_store::tables::ReadError;
use mainspring_store::{ParkedFrom, ReadTables, StoredTask};

use super::Reply;
use super::conditions::Source;
use super::health::{Health, Part};
use super::shard_thread::Loaded;
use crate::shard::{Envelope, LoadError, find_page, find_run};

/// What the shard asks for.
pub(super) enum LoaderOrder {
    Load { id: TaskId, command: Command, reply: Reply },
    LoadRun { id: RunId, command: Command, reply: Reply },
    Page { after: (Wall, TaskId), until: Wall, limit: usize },
    PageFor { wanted: WantedPage, limit: usize },
    FindRun { task: TaskId, run: RunId },
    Barrier(u64),
}

/// Look-ups in one transaction.
const LOADS_MAX: usize = 256;

/// A command whose task memory does not hold.
struct Lookup {
    id: TaskId,
    command: Command,
    reply: Reply,
}

/// The shard is gone.
struct Gone;

struct Loader<'h, R> {
    reader: R,
    orders: Receiver<LoaderOrder>,
    loaded: Sender<Loaded>,
    profiles: ProfileCache,
    health: &'h Health,
}

/// Orders of the shard and envelopes of callers take turns, so that neither waits for all of the other.
pub(super) fn run(
    reader: impl ReadTables,
    orders: Receiver<LoaderOrder>,
    mut keyed: Receiver<Envelope<Reply>>,
    loaded: Sender<Loaded>,
    health: &Health,
) {
    let mut loader = Loader { reader, orders, loaded, profiles: ProfileCache::default(), health };
    loop {
        let mut select = Select::new();
        select.recv(&loader.orders);
        select.recv(&keyed);
        select.ready();
        let order = match loader.orders.try_recv() {
            Ok(order) => loader.carry_out(order),
            Err(TryRecvError::Empty) => Ok(()),
            Err(TryRecvError::Disconnected) => Err(Gone),
        };
        let keys = match keyed.try_recv() {
            Ok(envelope) => loader.look_up_keys(envelope),
            Err(TryRecvError::Empty) => Ok(()),
            Err(TryRecvError::Disconnected) => {
                keyed = never();
                Ok(())
            }
        };
        if order.and(keys).is_err() {
            return;
        }
    }
}

impl<R: ReadTables> Loader<'_, R> {
    /// Blocks while the shard takes nothing in: it never blocks on this thread.
    fn tell(&self, loaded: Loaded) -> Result<(), Gone> {
        self.loaded.send(loaded).map_err(|_| Gone)
    }

    fn read<T, E: fmt::Display>(&mut self, read: impl FnOnce(&mut R) -> Result<T, E>) -> Result<T, E> {
        self.health.began(Part::Loader);
        let found = read(&mut self.reader);
        self.health.ended(Part::Loader);
        match &found {
            Ok(_) => self.health.conditions.well(Source::Reads),
            Err(error) => self.health.conditions.read_failed(error),
        }
        found
    }

    fn carry_out(&mut self, order: LoaderOrder) -> Result<(), Gone> {
        let loaded = match order {
            LoaderOrder::Load { id, command, reply } => {
                let mut lookups = vec![Lookup { id, command, reply }];
                let next = self.gather(&mut lookups);
                self.look_up(lookups)?;
                return next.map_or(Ok(()), |next| self.carry_out(next));
            }
            LoaderOrder::LoadRun { id, command, reply } => match self.read(|reader| find_run(reader, id)) {
                Ok(found) => Loaded::Run { command, reply, found },
                Err(LoadError::Read(error)) => {
                    tracing::error!(%error, run = %id, "a run cannot be read");
                    let retry_after = Millis::from_secs(1);
                    reply(vec![Err(Rejection::StoreUnavailable { retry_after })]);
                    return Ok(());
                }
                Err(error) => {
                    let (row, why) = (id.to_string(), error.to_string());
                    let name = Name::new(&row).unwrap_or_default();
                    reply(vec![Err(Rejection::RowDamaged { row: name })]);
                    Loaded::Damaged { row, why }
                }
            },
            LoaderOrder::Page { after, until, limit } => {
                let rows = self.read(|reader| reader.parked(ParkedFrom::Due { after, until }, limit));
                rows.map_or_else(
                    |error| {
                        tracing::warn!(%error, "could not read parked tasks");
                        Loaded::PageFailed
                    },
                    Loaded::Page,
                )
            }
            LoaderOrder::PageFor { wanted, limit } => {
                let found = self.read(|reader| find_page(reader, &wanted, limit)).inspect_err(|error| {
                    tracing::warn!(%error, operation = wanted.operation.get(), "rows for an operation cannot be read");
                });
                Loaded::PageFor(found.ok())
            }
            LoaderOrder::FindRun { task, run } => {
                let found = self.read(|reader| find_run(reader, run)).inspect_err(|error| {
                    tracing::warn!(%error, %task, %run, "a run that a task waits for cannot be read");
                });
                Loaded::RunFound { task, run, found: FoundRun::of(&found) }
            }
            LoaderOrder::Barrier(barrier) => Loaded::Barrier(barrier),
        };
        self.tell(loaded)
    }

    /// Takes the look-ups that are waiting already; gives back the first order that is none.
    fn gather(&self, lookups: &mut Vec<Lookup>) -> Option<LoaderOrder> {
        while lookups.len() < LOADS_MAX {
            match self.orders.try_recv().ok()? {
                LoaderOrder::Load { id, command, reply } => lookups.push(Lookup { id, command, reply }),
                other => return Some(other),
            }
        }
        None
    }

    fn look_up(&mut self, lookups: Vec<Lookup>) -> Result<(), Gone> {
        let ids: Vec<TaskId> = lookups.iter().map(|lookup| lookup.id).collect();
        let found = match self.read(|reader| reader.tasks(&ids)) {
            Ok(found) => found,
            Err(error) => {
                tracing::error!(%error, commands = lookups.len(), "commands were not decided");
                return Ok(());
            }
        };
        for (Lookup { command, reply, .. }, found) in lookups.into_iter().zip(found) {
            if let (Command::Read { .. }, Some(StoredTask::Ended(row))) = (&command, &found)
                && let Ok(task) = read_task(&row.bytes, &mut self.profiles)
            {
                reply(vec![Ok(Answer::Task(Some(Box::new(task))))]);
                continue;
            }
            self.tell(Loaded::Task { command, reply, found: found.map(Box::new) })?;
        }
        Ok(())
    }

    fn look_up_keys(&mut self, envelope: Envelope<Reply>) -> Result<(), Gone> {
        match self.read(|reader| keys(reader, envelope)) {
            Ok(envelope) => self.tell(Loaded::Commands(envelope)),
            // The reply is dropped with the commands: the caller learns that the outcome is unknown and asks again.
            Err(error) => {
                tracing::error!(%error, "commands were not decided");
                Ok(())
            }
        }
    }
}

/// Looks up all keys of an envelope at once.
fn keys(reader: &mut impl ReadTables, mut envelope: Envelope<Reply>) -> Result<Envelope<Reply>, ReadError> {
    let keys = envelope.commands.iter().filter_map(Command::key);
    let scopes: Vec<KeyScope> = keys.map(|claim| claim.scope).collect();
    let mut found = reader.keys(&scopes)?.into_iter();
    for command in &mut envelope.commands {
        if let Some((_, fact)) = command.key_mut() {
            *fact = found.next().flatten().map_or(KeyFact::Absent, KeyFact::Bound);
        }
    }
    Ok(envelope)
}
