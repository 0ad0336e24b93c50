//! What the world does to itself from time to time, and how it heals.

use mainspring_core::values::Seq;

use crate::checkers::Check;
use crate::client::CallerEvent;
use crate::faults::{Disaster, Fault, Rates};
use crate::network::{Direction, Peer};
use crate::server::ServerEvent;
use crate::world::{Happening, World};

/// How far a clock is set, forward or back.
const CLOCK_STEPS_MS: [u64; 6] = [400, 2_000, 6_000, 60_000, 600_000, 3_600_000];

/// How far a clock is off that is wild, and for how long.
const WILD_MIN_MS: u64 = 2 * 86_400_000;
const WILD_MAX_MS: u64 = 1_000 * 86_400_000;
const WILD_SPAN_MS: u64 = 120_000;

/// Nothing that was sent before healing is still on its way after this long.
const LATEST_WISH_MS: u64 = 120_000;

impl World {
    pub(crate) fn disaster(&mut self) -> Check {
        if self.healed || self.rates.disaster_every == 0 {
            return Ok(());
        }
        let after = self.span(self.rates.disaster_every * 2);
        self.put(after, Happening::Disaster);
        match self.rates.disaster(&mut self.chance) {
            Some(Disaster::ServerCrash) => self.crash_any_server(),
            Some(Disaster::ServerPause) => self.pause_server(),
            Some(Disaster::Takeover) => self.take_over()?,
            Some(Disaster::StoreFull) => self.full_until = self.now + self.lease_span(1),
            Some(Disaster::TablesFail) => self.tables_fail_until = self.now + self.lease_span(2),
            Some(Disaster::Partition) => self.partition(true),
            Some(Disaster::OneWayPartition) => self.partition(false),
            Some(Disaster::WorkerCrash) => {
                let worker = self.chance.below(self.workers.len() as u64) as usize;
                self.see(Fault::WorkerCrash);
                self.crash_worker(worker);
            }
            Some(Disaster::WorkerPause) => {
                let worker = self.chance.below(self.workers.len() as u64) as usize;
                self.see(Fault::WorkerPause);
                self.workers[worker].paused_until = self.now + self.lease_span(3);
            }
            Some(Disaster::ClockForward) => self.set_clock(1),
            Some(Disaster::ClockBack) => self.set_clock(-1),
            None => {}
        }
        Ok(())
    }

    /// Up to so many leases.
    fn lease_span(&mut self, leases: u64) -> u64 {
        self.span(self.settings.shard.engine.limits.lease.get() * leases)
    }

    fn crash_any_server(&mut self) {
        let alive = self.alive();
        let at = self.chance.below(alive.len() as u64) as usize;
        if let Some(server) = alive.get(at) {
            self.crash_server(*server);
        }
    }

    fn pause_server(&mut self) {
        let until = self.now + self.lease_span(3);
        let alive = self.alive();
        let at = self.chance.below(alive.len() as u64) as usize;
        if let Some(server) = alive.get(at).and_then(|index| self.servers[*index].as_mut()) {
            server.paused_until = until;
            self.see(Fault::ServerPause);
        }
    }

    /// A second owner opens the store while the first still runs; the first finds out, at the latest, when its own
    /// claim on the shard runs out.
    fn take_over(&mut self) -> Check {
        let &[old] = self.alive().as_slice() else { return Ok(()) };
        let after = self.span(40_000);
        self.put(after, Happening::Server { server: old, what: ServerEvent::ClaimEnds });
        if self.chance.per_mille(400)
            && let Some(server) = self.servers[old].as_mut()
        {
            server.paused_until = self.now + self.chance.below(after);
        }
        self.see(Fault::Takeover);
        self.tally.takeovers += 1;
        self.open_server()
    }

    fn partition(&mut self, both_ways: bool) {
        let until = self.now + self.lease_span(3);
        let at = self.chance.below(self.workers.len() as u64 + 1) as usize;
        let peer = if at < self.workers.len() { Peer::Worker(at) } else { Peer::Callers };
        let one = if self.chance.per_mille(500) { Direction::ToServer } else { Direction::FromServer };
        self.network.cut(peer, one, until);
        if both_ways {
            self.network.cut(peer, Direction::ToServer, until);
            self.network.cut(peer, Direction::FromServer, until);
        }
        self.see(if both_ways { Fault::Partition } else { Fault::OneWayPartition });
    }

    fn set_clock(&mut self, sign: i64) {
        let step = CLOCK_STEPS_MS[self.chance.below(CLOCK_STEPS_MS.len() as u64) as usize];
        let by = self.span(step) as i64;
        self.clocks.step(sign * by);
        self.see(if sign > 0 { Fault::ClockForward } else { Fault::ClockBack });
    }

    /// The clock is wrong by days or years when a server opens data that others wrote, and is set right before anybody
    /// may believe it.
    pub(crate) fn draw_wild_clock(&mut self) {
        if self.checkers.journal.last() == Seq::ZERO || !self.chance.per_mille(self.rates.clock_wild) {
            return;
        }
        self.see(Fault::ClockWild);
        let by = self.span(WILD_MAX_MS - WILD_MIN_MS) + WILD_MIN_MS;
        let sign = if self.chance.per_mille(700) { 1 } else { -1 };
        self.clocks.go_wild(sign * by as i64);
        let after = self.span(WILD_SPAN_MS);
        self.put(after, Happening::ClockTame);
    }

    /// From now on nothing goes wrong any more; what went wrong is not undone.
    pub fn heal(&mut self) {
        self.trace.say(self.now, format_args!("healed"));
        self.healed = true;
        self.rates = Rates::default();
        self.full_until = 0;
        self.tables_fail_until = 0;
        self.network.heal();
        self.settings.quicken();
        self.clocks.heal(self.now);
        for worker in &mut self.workers {
            worker.paused_until = 0;
        }
        let owner = self.owner();
        for index in self.alive() {
            if let Some(server) = self.servers[index].as_mut() {
                server.paused_until = 0;
            }
            if Some(index) != owner {
                self.put(0, Happening::Server { server: index, what: ServerEvent::ClaimEnds });
            }
        }
        self.put(100, Happening::OpenServer);
        self.put(2_000, Happening::Caller(CallerEvent::Relieve));
        for after in [1_000, LATEST_WISH_MS] {
            self.put(after, Happening::Caller(CallerEvent::Uncordon));
        }
    }
}
