//! Tasks that come and go: queued, taken back, held, released.
//! Entry: [`Dispatcher::enqueue`], [`Dispatcher::remove`], [`Dispatcher::hold`], [`Dispatcher::release`].

use super::queue::{Class, Spot, Stand};
use super::{Dispatcher, Wants};
use crate::collections::Id;
use crate::values::{Band, TaskIndex, WorkerIndex};

impl Dispatcher {
    /// A task became ready. One that is already known starts anew at the end of its line.
    pub fn enqueue(&mut self, task: TaskIndex, wants: Wants<'_>) {
        self.forget(task);
        let id = self.class_for(&wants);
        self.order += 1;
        let class = &mut self.classes[id];
        self.links.push(&mut class.fifo, task, id, wants.avoid, self.order);
        let line = &mut self.lines[class.line];
        let pool = &mut self.pools[line.pool];
        let lane = &mut pool.lanes[line.band.index()];
        // A tenant that was idle joins where the others are, or it would have saved up turns.
        if line.order.is_empty() && line.queued_total() == 0 {
            line.pass = line.pass.max(lane.pass);
        }
        line.queued[usize::from(class.level)] += 1;
        lane.queued += 1;
        pool.queued += 1;
        self.queued += 1;
        let is_out = class.spot == Spot::Out;
        self.count_wish(id, true);
        if is_out {
            self.put_in_line(id);
        }
    }

    pub fn is_queued(&self, task: TaskIndex) -> bool {
        self.links.queued(task).is_some()
    }

    /// No longer waiting; says whether it was.
    pub fn remove(&mut self, task: TaskIndex) -> bool {
        let Some(class) = self.links.queued(task) else { return false };
        self.unqueue(class, task);
        self.rouse_all_of(class, None);
        self.note_idle(class);
        true
    }

    /// An attempt that is already on this worker: takes the room even if that overdraws it.
    /// The worker may say hello later.
    pub fn hold(&mut self, task: TaskIndex, worker: WorkerIndex, wants: Wants<'_>) {
        self.forget(task);
        let class = self.class_for(&wants);
        self.workers.record(worker);
        self.occupy(class, task, worker);
    }

    /// An attempt ended or was taken back: gives back its room, also when the worker has left meanwhile.
    pub fn release(&mut self, task: TaskIndex) {
        let Some(held) = self.links.held(task) else { return };
        self.links.forget(task);
        let class = &mut self.classes[held.class];
        class.held -= 1;
        let line = &mut self.lines[class.line];
        line.running -= 1;
        let (tenant, pool, band) = (line.tenant, line.pool, line.band);
        self.tenants[tenant].running -= 1;
        self.pools[pool].running -= 1;
        self.pools[pool].backfill -= u32::from(band == Band::Backfill);
        self.workers.give(held, &self.needs[class.need]);
        self.stand_up(held.class, task);
        self.wake_tenant(tenant);
        self.ring(pool);
        self.room_gained(held.worker);
        self.note_idle(held.class);
    }

    fn forget(&mut self, task: TaskIndex) {
        if !self.remove(task) {
            self.release(task);
        }
    }

    /// Takes a waiting task out of its class, and out of the way what is empty then.
    pub(super) fn unqueue(&mut self, id: Id<Class>, task: TaskIndex) {
        let class = &mut self.classes[id];
        self.links.unlink(&mut class.fifo, task);
        let line = &mut self.lines[class.line];
        line.queued[usize::from(class.level)] -= 1;
        let pool = &mut self.pools[line.pool];
        pool.queued -= 1;
        pool.lanes[line.band.index()].queued -= 1;
        self.queued -= 1;
        let (is_empty, spot) = (class.fifo.is_empty(), class.spot);
        self.count_wish(id, false);
        if is_empty {
            self.classes[id].waited_at = None;
            match spot {
                Spot::Out => {}
                Spot::Line(..) => self.take_from_line(id),
                Spot::Parked(_) => self.take_from_need(id),
                Spot::AtLimit { .. } => self.take_from_limit(id),
            }
        }
    }

    pub(super) fn put_in_line(&mut self, id: Id<Class>) {
        let class = &mut self.classes[id];
        let (level, age) = class.age_key(&self.links);
        class.spot = Spot::Line(level, age);
        let line_id = class.line;
        let line = &mut self.lines[line_id];
        line.order.insert((level, age, id));
        if line.stand == Stand::Out {
            line.stand = Stand::Lane(line.pass);
            let (pool, band, pass) = (line.pool, line.band, line.pass);
            self.pools[pool].lanes[band.index()].lines.insert((pass, line_id));
            self.ring_lane(pool, band);
        }
    }

    pub(super) fn take_from_line(&mut self, id: Id<Class>) {
        let class = &mut self.classes[id];
        let Spot::Line(level, age) = std::mem::replace(&mut class.spot, Spot::Out) else { return };
        let line_id = class.line;
        let line = &mut self.lines[line_id];
        line.order.remove(&(level, age, id));
        if line.order.is_empty() {
            match std::mem::replace(&mut line.stand, Stand::Out) {
                Stand::Out => {}
                Stand::Lane(pass) => {
                    self.pools[line.pool].lanes[line.band.index()].lines.remove(&(pass, line_id));
                }
                Stand::AtLimit => self.tenants[line.tenant].at_limit.retain(|other| *other != line_id),
            }
        }
    }
}
