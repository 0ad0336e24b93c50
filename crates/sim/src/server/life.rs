//! How servers begin and end: opening, taking over, crashing, stepping down.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use mainspring_core::engine::{Command, Configure};
use mainspring_runtime::shard::StopCause;
use mainspring_runtime::{Envelope, Shard, ShardClock};
use mainspring_store::{Opened, Store};

use super::{Server, Ticket};
use crate::checkers::{Broken, Check};
use crate::faults::Fault;
use crate::words::Words;
use crate::world::{Happening, World};

impl World {
    pub(crate) fn open_if_none(&mut self) -> Check {
        if self.alive().is_empty() { self.open_server() } else { Ok(()) }
    }

    /// Opens the store as its next owner, whoever else may believe to own it.
    pub(crate) fn open_server(&mut self) -> Check {
        self.draw_wild_clock();
        let Opened { epoch, mut recovery, .. } = self.store.open().map_err(|error| unopened(&error))?;
        let mut config = self.settings.shard;
        config.engine.seed = self.chance.draw();
        let reading = self.clocks.read(self.now);
        // As the shard itself will count: on from the last record, or from a cut that was made after it.
        let head = self.store.disk().checkpoint().clone();
        let covered = head.seq == self.checkers.journal.last();
        let last = if covered { head.now } else { self.checkers.journal.now() };
        let clock = ShardClock::resume(last, reading, config.trust);
        let recovered = Shard::recover_with(config, epoch, &mut recovery, reading, Arc::new(Words));
        let (mut shard, _) = recovered.map_err(|error| unopened(&error))?;
        // Limits come before anything can be placed.
        let tenants = self.settings.tenants.iter().cloned();
        let tenants = tenants.map(|(tenant, share)| Configure::Tenant { tenant, share });
        let pools = self.settings.pools.iter().cloned().map(|(pool, limit)| Configure::Pool { pool, limit });
        let commands = tenants.chain(pools).map(Command::Configure).collect();
        shard.accept(Envelope { commands, reply: Ticket::Nobody }, reading);
        self.trace.say(self.now, format_args!("server {} opens as epoch {epoch}", self.servers.len()));
        self.servers.push(Some(Server {
            epoch,
            paused_until: 0,
            shard,
            mailbox: VecDeque::new(),
            signs: BTreeMap::new(),
            loader: VecDeque::new(),
            loader_busy: false,
            appending: false,
            sealed_at: 0,
            turned_at: self.now,
            wake: 0,
            poked: false,
            turns: 0,
            busy: false,
            spins: 0,
            clock,
        }));
        self.poke(self.servers.len() - 1);
        Ok(())
    }

    pub(crate) fn crash_server(&mut self, index: usize) {
        if let Some(server) = self.servers[index].take() {
            self.bury(&server);
            self.see(Fault::ServerCrash);
            self.tally.crashes += 1;
        }
        self.open_later();
    }

    pub(super) fn bury(&mut self, server: &Server) {
        self.tally.stale_reports += server.shard.engine().counts().stale_reports;
    }

    pub(crate) fn count_stale(&mut self, index: usize) {
        if let Some(server) = &self.servers[index] {
            self.tally.stale_reports += server.shard.engine().counts().stale_reports;
        }
    }

    pub(super) fn open_later(&mut self) {
        let after = self.span(8_000);
        self.put(after, Happening::OpenServer);
    }

    /// The shard says that it cannot go on.
    pub(super) fn stopped(&mut self, cause: &StopCause) -> Check {
        self.trace.say(self.now, format_args!("a server stops: {cause:?}"));
        self.open_later();
        match cause {
            StopCause::NotOwner { .. } => Ok(()),
            StopCause::Broken(what)
            | StopCause::Tables(what)
            | StopCause::Apply(what)
            | StopCause::Panicked(what) => {
                Err(Broken { invariant: "I16", what: format!("a shard stopped: {what}") })
            }
        }
    }

    pub(super) fn end_claim(&mut self, index: usize) {
        let replaced =
            self.servers[index].as_ref().is_some_and(|server| server.epoch != self.store.disk().newest());
        if replaced && let Some(server) = self.servers[index].take() {
            self.bury(&server);
            self.open_later();
        }
    }
}

fn unopened(error: &mainspring_store::OpenError) -> Broken {
    Broken { invariant: "I16", what: format!("the store does not open: {error}") }
}
