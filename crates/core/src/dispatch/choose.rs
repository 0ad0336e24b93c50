//! The choice of a worker for one need.
//! Entry: [`WorkerRoom::tightest`] for most, [`WorkerRoom::roomiest`] for urgent tasks.
//! - CC-1 both find a worker if any has room; a wish to avoid one only changes which

use std::cmp::Reverse;

use super::need::Need;
use super::shelf::ShelfEntry;
use super::workers::WorkerRoom;
use crate::values::{Chance, WorkerIndex};

/// Urgent tasks look at this many workers: the best of 100 is in the best few per cent, at a fixed cost.
pub const SAMPLE: usize = 100;

impl WorkerRoom {
    pub fn fits(&self, slot: WorkerIndex, need: &Need) -> bool {
        self.worker(slot).is_some_and(|worker| {
            worker.is_listed()
                && worker.room.fits(&need.requirements.resources)
                && worker.runs(&need.executor)
                && worker.groups.contains(&need.group)
        })
    }

    /// The worker with the least room left over.
    pub fn tightest(&self, need: &Need, avoid: Option<WorkerIndex>) -> Option<WorkerIndex> {
        let shelf = &self.groups[need.group].shelf;
        let other = |worker| Some(WorkerIndex(worker)) != avoid && self.fits_rest(worker, need);
        let found = shelf.tightest(&need.amounts, other);
        let found = found.or_else(|| avoid.and(shelf.tightest(&need.amounts, |w| self.fits_rest(w, need))));
        found.map(WorkerIndex)
    }

    /// The worker with the most room in a sample; all are looked at before giving up.
    pub fn roomiest(
        &self,
        need: &Need,
        avoid: Option<WorkerIndex>,
        chance: &mut Chance,
    ) -> Option<WorkerIndex> {
        let shelf = &self.groups[need.group].shelf;
        let other = |worker| Some(WorkerIndex(worker)) != avoid && self.fits_rest(worker, need);
        let mut best = None;
        let mut look = |entry: &ShelfEntry| {
            if entry.free.cover(&need.amounts) && other(entry.worker) {
                best = best.max(Some(self.roominess(entry)));
            }
        };
        if shelf.len() <= SAMPLE {
            shelf.iter().for_each(look);
        } else {
            for _ in 0..SAMPLE {
                look(shelf.draw(|bound| chance.below(bound as u64) as usize));
            }
        }
        let found = best.map(|(.., Reverse(worker))| worker);
        let found = found.or_else(|| shelf.roomiest(&need.amounts, other));
        let found = found.or_else(|| avoid.and(shelf.roomiest(&need.amounts, |w| self.fits_rest(w, need))));
        found.map(WorkerIndex)
    }

    /// Workers without stated resources are told apart by their free slots.
    fn roominess(&self, entry: &ShelfEntry) -> (u64, u64, u32, Reverse<u32>) {
        let slots = self.at(entry.worker).room.slots_free();
        (entry.free.cpu, entry.free.spare[0], slots, Reverse(entry.worker))
    }

    /// A shelf knows one custom resource; the worker knows the others, and what it can run.
    fn fits_rest(&self, worker: u32, need: &Need) -> bool {
        let worker = self.at(worker);
        worker.runs(&need.executor)
            && (!need.has_many_custom || worker.room.fits_custom(&need.requirements.resources))
    }
}
