//! The thread that reads the tables for commands, before or after they were in the mailbox. One thread and
//! one order: a barrier is in the mailbox behind everything that was read before it.

use crossbeam_channel::{Receiver, Sender};
use mainspring_core::command::Command;
use mainspring_core::id::{ProcessId, TaskId};
use mainspring_core::key::{KeyFact, KeyScope};
use mainspring_core::time::Wall;
use mainspring_store::tables::ReadError;
use mainspring_store::{ParkedFrom, ReadTables};

use super::Reply;
use super::shard_thread::Message;
use crate::shard::Envelope;

pub(super) enum LoaderOrder {
    Keys(Envelope<Reply>),
    Load { id: TaskId, command: Command, reply: Reply },
    Page { after: (Wall, TaskId), until: Wall, limit: usize },
    PageFor { process: ProcessId, after: TaskId, limit: usize },
    Barrier(u64),
}

pub(super) fn run(mut reader: impl ReadTables, orders: &Receiver<LoaderOrder>, mailbox: &Sender<Message>) {
    for order in orders {
        let message = match order {
            LoaderOrder::Keys(envelope) => keys(&mut reader, envelope).map(Message::Commands),
            LoaderOrder::Load { id, command, reply } => reader.tasks(&[id]).map(|mut found| {
                Message::Loaded { command, reply, found: found.pop().flatten().map(Box::new) }
            }),
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
