//! The thread that reads the tables for commands, before or after they were in the mailbox. One thread and
//! one order: a barrier is in the mailbox behind everything that was read before it. Look-ups that wait together
//! share one transaction.
//! - LD-1 an ended task that is only read is answered here: its row is durable, and memory did not have it

use crossbeam_channel::{Receiver, Sender};
use mainspring_core::command::{Answer, Command};
use mainspring_core::id::{ProcessId, RunId, TaskId};
use mainspring_core::key::{KeyFact, KeyScope};
use mainspring_core::time::Wall;
use mainspring_core::wait::FoundRun;
use mainspring_store::format::{ProfileCache, read_task};
use mainspring_store::tables::ReadError;
use mainspring_store::{ParkedFrom, ReadTables, StoredTask};

use super::Reply;
use super::shard_thread::Message;
use crate::shard::{Envelope, find_run};

pub(super) enum LoaderOrder {
    Keys(Envelope<Reply>),
    Load { id: TaskId, command: Command, reply: Reply },
    LoadRun { id: RunId, command: Command, reply: Reply },
    Page { after: (Wall, TaskId), until: Wall, limit: usize },
    PageFor { process: ProcessId, after: TaskId, limit: usize },
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

pub(super) fn run(mut reader: impl ReadTables, orders: &Receiver<LoaderOrder>, mailbox: &Sender<Message>) {
    let mut profiles = ProfileCache::default();
    let mut next = orders.recv().ok();
    while let Some(order) = next.take() {
        let message = match order {
            LoaderOrder::Load { id, command, reply } => {
                let mut lookups = vec![Lookup { id, command, reply }];
                next = gather(orders, &mut lookups);
                if !look_up(&mut reader, lookups, &mut profiles, mailbox) {
                    return;
                }
                next = next.or_else(|| orders.recv().ok());
                continue;
            }
            LoaderOrder::LoadRun { id, command, reply } => match find_run(&mut reader, id) {
                Ok(found) => Ok(Message::LoadedRun { command, reply, found }),
                Err(error) => {
                    tracing::error!(%error, run = %id, "a run cannot be read");
                    let what = "the row of this run cannot be read";
                    reply(vec![Err(mainspring_core::command::Rejection::Internal { what })]);
                    next = orders.recv().ok();
                    continue;
                }
            },
            LoaderOrder::Keys(envelope) => keys(&mut reader, envelope).map(Message::Commands),
            LoaderOrder::Page { after, until, limit } => {
                let rows = reader.parked(ParkedFrom::Due { after, until }, limit);
                rows.map(Message::Paged).or_else(|error| {
                    tracing::warn!(%error, "could not read parked tasks");
                    Ok(Message::PageFailed)
                })
            }
            LoaderOrder::PageFor { process, after, limit } => {
                let rows = reader.parked(ParkedFrom::Id { after }, limit).map(|rows| {
                    let more = rows.len() == limit;
                    (rows, more)
                });
                Ok(Message::PagedFor { process, rows: rows.ok() })
            }
            LoaderOrder::FindRun { task, run } => {
                let found = find_run(&mut reader, run).inspect_err(|error| {
                    tracing::warn!(%error, %task, %run, "a run that a task waits for cannot be read");
                });
                Ok(Message::RunFound { task, run, found: FoundRun::of(&found) })
            }
            LoaderOrder::Barrier(barrier) => Ok(Message::Barrier(barrier)),
        };
        match message {
            Ok(message) => {
                if mailbox.send(message).is_err() {
                    return;
                }
            }
            // The reply is dropped with the command: the caller learns that the outcome is unknown and asks again.
            Err(error) => tracing::error!(%error, "a command was not decided"),
        }
        next = orders.recv().ok();
    }
}

/// Takes the look-ups that are waiting already; gives back the first order that is none.
fn gather(orders: &Receiver<LoaderOrder>, lookups: &mut Vec<Lookup>) -> Option<LoaderOrder> {
    while lookups.len() < LOADS_MAX {
        match orders.try_recv().ok()? {
            LoaderOrder::Load { id, command, reply } => lookups.push(Lookup { id, command, reply }),
            other => return Some(other),
        }
    }
    None
}

/// False: the shard is gone.
fn look_up(
    reader: &mut impl ReadTables,
    lookups: Vec<Lookup>,
    profiles: &mut ProfileCache,
    mailbox: &Sender<Message>,
) -> bool {
    let ids: Vec<TaskId> = lookups.iter().map(|lookup| lookup.id).collect();
    let found = match reader.tasks(&ids) {
        Ok(found) => found,
        Err(error) => {
            tracing::error!(%error, commands = lookups.len(), "commands were not decided");
            return true;
        }
    };
    for (Lookup { command, reply, .. }, found) in lookups.into_iter().zip(found) {
        if let (Command::Read { .. }, Some(StoredTask::Ended(row))) = (&command, &found)
            && let Ok(task) = read_task(&row.bytes, profiles)
        {
            reply(vec![Ok(Answer::Task(Some(Box::new(task))))]);
            continue;
        }
        let message = Message::Loaded { command, reply, found: found.map(Box::new) };
        if mailbox.send(message).is_err() {
            return false;
        }
    }
    true
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
