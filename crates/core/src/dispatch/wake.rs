//! Who waits for what, and who is woken by it.
//! - a lane waits for its pool: a worker with a free slot, and fewer running than the pool's limit
//! - a line waits for its tenant's limit
//! - a class waits at its need for room, and the need watches its group; of the parked classes only the
//!   one whose turn it would be is put back, so that a thousand tenants do not run for one free slot

use super::Dispatcher;
use super::need::{Need, Outlook};
use super::queue::{Class, Line, Pool, Rank, Spot, Stand, Tenant};
use crate::collections::Id;
use crate::values::{Band, WorkerIndex};

impl Dispatcher {
    /// The pool may have opened.
    pub(super) fn ring(&mut self, pool: Id<Pool>) {
        if self.is_pool_open(pool) {
            for band in Band::ALL {
                self.ring_lane(pool, band);
            }
        }
    }

    pub(super) fn ring_lane(&mut self, pool: Id<Pool>, band: Band) {
        let lane = &mut self.pools[pool].lanes[band.index()];
        if !lane.in_ring && !lane.is_empty() {
            lane.in_ring = true;
            self.ready[band.index()].push_back(pool);
        }
    }

    pub(super) fn wait_for_limit(&mut self, id: Id<Line>) {
        let line = &mut self.lines[id];
        if let Stand::Lane(pass) = std::mem::replace(&mut line.stand, Stand::AtLimit) {
            self.pools[line.pool].lanes[line.band.index()].lines.remove(&(pass, id));
            self.tenants[line.tenant].at_limit.push(id);
        }
    }

    /// The tenant may be below its limit.
    pub(super) fn wake_tenant(&mut self, id: Id<Tenant>) {
        let tenant = &mut self.tenants[id];
        if tenant.at_limit.is_empty() || tenant.is_at_limit() {
            return;
        }
        for id in std::mem::take(&mut tenant.at_limit) {
            let line = &mut self.lines[id];
            line.stand = Stand::Lane(line.pass);
            let (pool, band, pass) = (line.pool, line.band, line.pass);
            self.pools[pool].lanes[band.index()].lines.insert((pass, id));
            self.ring_lane(pool, band);
        }
    }

    /// The worker may have more room, or be new: tells the needs that watch its groups.
    pub(super) fn room_gained(&mut self, slot: WorkerIndex) {
        let Some(worker) = self.workers.worker(slot).filter(|worker| worker.is_listed()) else { return };
        let cpu = worker.room.free(None).cpu;
        let mut gainers = Vec::new();
        for group in &worker.groups {
            let watch = &self.workers.groups[*group].watch;
            if !watch.is_empty() {
                let in_reach = watch.range(..=(cpu, Id::from_number(u32::MAX)));
                gainers.extend(in_reach.map(|(_, need)| *need).filter(|need| {
                    let need = &self.needs[*need];
                    worker.room.fits(&need.requirements.resources) && worker.runs(&need.executor)
                }));
            }
        }
        let pool = worker.pool();
        for need in gainers {
            self.widen(need, slot);
        }
        if let Some(pool) = pool {
            self.ring(pool);
        }
    }

    fn widen(&mut self, id: Id<Need>, slot: WorkerIndex) {
        let need = &mut self.needs[id];
        match need.outlook {
            Outlook::Open => {}
            Outlook::Only(worker) if worker == slot => {}
            Outlook::Only(_) => {
                need.outlook = Outlook::Open;
                self.workers.groups[need.group].watch.remove(&(need.amounts.cpu, id));
            }
            Outlook::Closed => {
                need.outlook = Outlook::Only(slot);
                for band in Band::ALL {
                    self.show_woken(id, band);
                }
            }
        }
    }

    pub(super) fn close(&mut self, id: Id<Need>) {
        let need = &mut self.needs[id];
        if need.outlook != Outlook::Closed {
            need.outlook = Outlook::Closed;
            self.workers.groups[need.group].watch.insert((need.amounts.cpu, id));
            for band in Band::ALL {
                self.show_woken(id, band);
            }
        }
    }

    /// Brings the `woken` order of a lane in line with the need (NE-3).
    fn show_woken(&mut self, id: Id<Need>, band: Band) {
        let need = &mut self.needs[id];
        let woken = &mut self.pools[need.pool].lanes[band.index()].woken;
        let first = need.parked[band.index()].first();
        let shown = first.filter(|_| need.outlook != Outlook::Closed);
        if need.woken[band.index()] == shown {
            return;
        }
        if let Some(rank) = std::mem::replace(&mut need.woken[band.index()], shown) {
            woken.remove(&(rank, id));
        }
        if let Some(rank) = shown {
            woken.insert((rank, id));
            let pool = need.pool;
            self.ring_lane(pool, band);
        }
    }

    /// From its line to its need, which has no room.
    pub(super) fn park(&mut self, id: Id<Class>) {
        self.take_from_line(id);
        let rank = self.rank(id);
        let class = &mut self.classes[id];
        class.spot = Spot::Parked(rank);
        class.waited_at = None;
        let band = self.lines[class.line].band;
        self.needs[class.need].parked[band.index()].insert(rank);
    }

    pub(super) fn take_from_need(&mut self, id: Id<Class>) {
        let class = &mut self.classes[id];
        let Spot::Parked(rank) = std::mem::replace(&mut class.spot, Spot::Out) else { return };
        let (need, band) = (class.need, self.lines[class.line].band);
        self.needs[need].parked[band.index()].remove(&rank);
        self.show_woken(need, band);
    }

    /// Puts the first parked class of a woken need back in line, if the need may still have room.
    pub(super) fn unpark_first(&mut self, id: Id<Need>, band: Band) {
        let need = &self.needs[id];
        if let Outlook::Only(worker) = need.outlook
            && !self.workers.fits(worker, need)
        {
            self.close(id);
            return;
        }
        let parked = need.parked[band.index()].first().expect("NE-3: a woken need has parked classes");
        let class = parked.class;
        let rank = self.rank(class);
        self.take_from_need(class);
        // A rank that has grown since is only put right: it may no longer be the turn of this class.
        if rank == parked {
            self.put_in_line(class);
        } else {
            self.classes[class].spot = Spot::Parked(rank);
            self.needs[id].parked[band.index()].insert(rank);
            self.show_woken(id, band);
        }
    }

    pub(super) fn rank(&self, id: Id<Class>) -> Rank {
        let class = &self.classes[id];
        Rank {
            pass: self.lines[class.line].pass,
            line: class.line,
            age: class.age_key(&self.links),
            class: id,
        }
    }
}
