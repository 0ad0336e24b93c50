//! The choice of the next task and its worker.
//! Entry: [`Dispatcher::place`].
//! Each step of the loop either places a task, or takes something out of the way for good: a line to its
//! tenant's limit, a class to a full limit or to its need, a lane out of the ring. So what cannot run is looked at once after
//! each thing that could have changed that.

use super::links::Held;
use super::need::Outlook;
use super::queue::{Class, Line, Pool, Spot, Stand};
use super::{Dispatcher, Placement};
use crate::collections::Id;
use crate::values::{Band, TaskIndex, WorkerIndex};

impl Dispatcher {
    /// The next placement, its room taken; `None` if nothing can be placed now.
    pub fn place(&mut self) -> Option<Placement> {
        for band in Band::ALL {
            while let Some(pool) = self.ready[band.index()].front().copied() {
                if let Some(placement) = self.place_in(pool, band) {
                    // Pools take turns, or one would use up a limit that a tenant has over all pools.
                    self.ready[band.index()].rotate_left(1);
                    return Some(placement);
                }
                self.ready[band.index()].pop_front();
                self.pools[pool].lanes[band.index()].in_ring = false;
            }
        }
        None
    }

    fn place_in(&mut self, pool: Id<Pool>, band: Band) -> Option<Placement> {
        while self.is_pool_open(pool) && self.is_lane_open(pool, band) {
            let line = self.next_line(pool, band)?;
            if let Some(placement) = self.serve(line) {
                return Some(placement);
            }
        }
        None
    }

    pub(super) fn is_pool_open(&self, pool: Id<Pool>) -> bool {
        let here = &self.pools[pool];
        here.running < here.limit.running_max && self.workers.pool(pool).open > 0
    }

    /// Backfills leave the rest of the fleet to what is live.
    fn is_lane_open(&self, pool: Id<Pool>, band: Band) -> bool {
        band != Band::Backfill || self.pools[pool].backfill < self.backfill_max(pool)
    }

    /// Slots of the pool that tasks of backfills may hold.
    pub(super) fn backfill_max(&self, pool: Id<Pool>) -> u32 {
        let share = self.workers.pool(pool).slots * u64::from(self.backfill_share) / 100;
        u32::try_from(share).unwrap_or(u32::MAX).max(1)
    }

    /// Whose turn it is, after everyone who was woken and comes before has been put back in line.
    fn next_line(&mut self, pool: Id<Pool>, band: Band) -> Option<Id<Line>> {
        loop {
            let first = self.first_line(pool, band);
            let Some((rank, need)) = self.pools[pool].lanes[band.index()].woken.first() else {
                return first;
            };
            if let Some(line) = first {
                let class = self.first_class(line);
                if self.rank(class) < rank {
                    return first;
                }
            }
            self.unpark_first(need, band);
        }
    }

    fn first_line(&mut self, pool: Id<Pool>, band: Band) -> Option<Id<Line>> {
        let lines = &mut self.pools[pool].lanes[band.index()].lines;
        loop {
            let (kept, id) = lines.first()?;
            let line = &mut self.lines[id];
            if kept == line.pass || lines.is_single() {
                return Some(id);
            }
            lines.remove(&(kept, id));
            lines.insert((line.pass, id));
            line.stand = Stand::Lane(line.pass);
        }
    }

    fn first_class(&mut self, line: Id<Line>) -> Id<Class> {
        let order = &mut self.lines[line].order;
        loop {
            let (level, age, id) = order.first().expect("QU-2: a line in its lane is not empty");
            let class = &mut self.classes[id];
            let key = class.age_key(&self.links);
            if key == (level, age) || order.is_single() {
                return id;
            }
            order.remove(&(level, age, id));
            order.insert((key.0, key.1, id));
            class.spot = Spot::Line(key.0, key.1);
        }
    }

    fn serve(&mut self, line: Id<Line>) -> Option<Placement> {
        if self.tenants[self.lines[line].tenant].is_at_limit() {
            self.wait_for_limit(line);
            return None;
        }
        let class = self.first_class(line);
        if let Some((limit, max)) = self.full_limit(&self.classes[class]) {
            self.wait_for_permit(class, limit, max);
            return None;
        }
        let task = self.classes[class].fifo.head().expect("QU-1: a class in its line is not empty");
        let Some(worker) = self.worker_for(class, task) else {
            self.close(self.classes[class].need);
            self.park(class);
            return None;
        };
        let waited_for = self.classes[class].waited_at.map(|limit| self.limits[limit].name.clone());
        self.start(class, task, worker);
        Some(Placement { task, worker, waited_for })
    }

    fn worker_for(&mut self, class: Id<Class>, task: TaskIndex) -> Option<WorkerIndex> {
        let class = &self.classes[class];
        let need = &self.needs[class.need];
        match need.outlook {
            Outlook::Closed => None,
            Outlook::Only(worker) => Some(worker).filter(|worker| self.workers.fits(*worker, need)),
            Outlook::Open if self.lines[class.line].band == Band::P0 => {
                self.workers.roomiest(need, self.links.avoid(task), &mut self.chance)
            }
            Outlook::Open => self.workers.tightest(need, self.links.avoid(task)),
        }
    }

    fn start(&mut self, class: Id<Class>, task: TaskIndex, worker: WorkerIndex) {
        let line = self.classes[class].line;
        self.take_turn(line);
        self.unqueue(class, task);
        self.occupy(class, task, worker);
        self.rouse_all_of(class, None);
    }

    /// A line that was blocked for long has a low pass: it gets this turn early, but not a row of them.
    fn take_turn(&mut self, id: Id<Line>) {
        let line = &mut self.lines[id];
        let lane = &mut self.pools[line.pool].lanes[line.band.index()];
        lane.pass = lane.pass.max(line.pass);
        line.pass = lane.pass + self.tenants[line.tenant].turn();
    }

    /// Takes the room, and counts the attempt for its tenant and pool.
    pub(super) fn occupy(&mut self, id: Id<Class>, task: TaskIndex, worker: WorkerIndex) {
        let class = &mut self.classes[id];
        class.held += 1;
        let line = &mut self.lines[class.line];
        line.running += 1;
        line.placed += 1;
        self.tenants[line.tenant].running += 1;
        let pool = &mut self.pools[line.pool];
        pool.running += 1;
        pool.backfill += u32::from(line.band == Band::Backfill);
        self.workers.take(worker, &self.needs[class.need]);
        let generation = self.workers.record(worker).generation;
        self.links.hold(task, Held { class: id, worker, generation });
        self.sit(id, task);
    }
}
