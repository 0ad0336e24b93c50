//! The loader: reads the tables for commands, one order after the other. What it read may be old by the time
//! it reaches the shard.

use mainspring_core::engine::{Command, WantedPage};
use mainspring_core::key::KeyFact;
use mainspring_core::values::{RunId, TaskId, Wall};
use mainspring_core::wait::FoundRun;
use mainspring_runtime::{Envelope, find_page, find_run};
use mainspring_store::ParkedFrom;

use super::{Mail, ServerEvent, Ticket};
use crate::faults::Fault;
use crate::world::{Happening, World};

#[derive(Debug)]
pub(super) enum LoaderOrder {
    Keys(Envelope<Ticket>),
    Load { id: TaskId, command: Command, reply: Ticket },
    LoadRun { id: RunId, command: Command, reply: Ticket },
    Page { after: (Wall, TaskId), until: Wall, limit: usize },
    PageFor { wanted: WantedPage, limit: usize },
    FindRun { task: TaskId, run: RunId },
    Barrier(u64),
}

/// Whether the tables must be asked for keys before the shard is.
pub(super) fn needed(envelope: &Envelope<Ticket>) -> bool {
    envelope.commands.iter().any(|command| command.key().is_some())
}

impl World {
    pub(super) fn start_reading(&mut self, index: usize) {
        let after = self.chance.below(self.settings.read_ms + 1);
        let Some(server) = self.servers[index].as_mut() else { return };
        if !server.loader_busy && !server.loader.is_empty() {
            server.loader_busy = true;
            self.put(after, Happening::Server { server: index, what: ServerEvent::Read });
        }
    }

    pub(super) fn read(&mut self, index: usize) {
        let Some(order) = self.servers[index].as_mut().and_then(|server| server.loader.pop_front()) else {
            return;
        };
        self.tally.loads += u64::from(matches!(order, LoaderOrder::Load { .. }));
        self.tally.pages +=
            u64::from(matches!(order, LoaderOrder::Page { .. } | LoaderOrder::PageFor { .. }));
        let failing = self.tables_fail_until > self.now;
        let failed = !matches!(order, LoaderOrder::Barrier(_))
            && (failing || self.chance.per_mille(self.rates.read_error));
        if failed {
            self.see(if failing { Fault::TablesFail } else { Fault::ReadError });
        }
        let mail = self.execute_read(order, failed);
        let slow = if matches!(mail, Mail::Barrier(_)) { 1 } else { self.settings.read_ms * 2 };
        let after = self.chance.below(slow + 1);
        self.put(after, Happening::Server { server: index, what: ServerEvent::Deliver(Box::new(mail)) });
    }

    fn execute_read(&self, order: LoaderOrder, failed: bool) -> Mail {
        let disk = self.store.disk();
        match order {
            LoaderOrder::Keys(_) | LoaderOrder::Load { .. } | LoaderOrder::LoadRun { .. } if failed => {
                Mail::Dropped
            }
            LoaderOrder::Keys(mut envelope) => {
                for command in &mut envelope.commands {
                    if let Some((claim, fact)) = command.key_mut() {
                        *fact =
                            disk.key(claim.scope).map_or(KeyFact::Absent, |row| KeyFact::Bound(row.binding));
                    }
                }
                Mail::Commands(envelope)
            }
            LoaderOrder::Load { id, command, reply } => Mail::Loaded { command, reply, found: disk.task(id) },
            LoaderOrder::LoadRun { id, command, reply } => {
                drop(disk);
                let found = find_run(&mut self.store.reader(), id);
                found.map_or(Mail::Dropped, |found| Mail::LoadedRun { command, reply, found })
            }
            LoaderOrder::FindRun { task, run } => {
                drop(disk);
                let found = find_run(&mut self.store.reader(), run);
                Mail::RunFound {
                    task,
                    run,
                    found: if failed { FoundRun::Unread } else { FoundRun::of(&found) },
                }
            }
            LoaderOrder::Page { after, until, limit } => {
                Mail::Paged((!failed).then(|| disk.parked(ParkedFrom::Due { after, until }, limit)))
            }
            LoaderOrder::PageFor { wanted, limit } => {
                drop(disk);
                let found = find_page(&mut self.store.reader(), &wanted, limit).ok();
                Mail::PagedFor(found.filter(|_| !failed))
            }
            LoaderOrder::Barrier(barrier) => Mail::Barrier(barrier),
        }
    }

    pub(super) fn deliver(&mut self, index: usize, mail: Mail) {
        if let Some(server) = self.servers[index].as_mut() {
            server.loader_busy = false;
            server.mailbox.push_back(mail);
        }
        self.start_reading(index);
        self.poke(index);
    }
}
