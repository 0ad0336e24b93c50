//! Which attempts a worker holds: one linked list a worker, threaded through a vector by task slot, so that
//! taking and ending an attempt cost no search and no allocation.

use super::WorkerSlot;
use crate::index::TaskSlot;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Link {
    /// `NONE`: the task is held by no one.
    worker: u32,
    before: u32,
    after: u32,
}

const UNHELD: Link = Link { worker: NONE, before: NONE, after: NONE };

#[derive(Clone, Copy, Debug)]
struct Ends {
    first: u32,
    last: u32,
}

#[derive(Debug, Default)]
pub(super) struct HeldLists {
    links: Vec<Link>,
    ends: Vec<Ends>,
}

impl HeldLists {
    pub(super) fn add(&mut self, task: TaskSlot, worker: WorkerSlot) {
        grow(&mut self.links, task.index(), UNHELD);
        grow(&mut self.ends, worker.index(), Ends { first: NONE, last: NONE });
        debug_assert_eq!(self.links[task.index()].worker, NONE, "FL-2: held once");
        let ends = &mut self.ends[worker.index()];
        self.links[task.index()] = Link { worker: worker.0, before: ends.last, after: NONE };
        match ends.last {
            NONE => ends.first = task.0,
            last => self.links[last as usize].after = task.0,
        }
        ends.last = task.0;
    }

    pub(super) fn remove(&mut self, task: TaskSlot) -> Option<WorkerSlot> {
        let link = std::mem::replace(self.links.get_mut(task.index())?, UNHELD);
        if link.worker == NONE {
            return None;
        }
        let ends = &mut self.ends[link.worker as usize];
        match link.before {
            NONE => ends.first = link.after,
            before => self.links[before as usize].after = link.after,
        }
        match link.after {
            NONE => ends.last = link.before,
            after => self.links[after as usize].before = link.before,
        }
        Some(WorkerSlot(link.worker))
    }

    pub(super) fn holder(&self, task: TaskSlot) -> Option<WorkerSlot> {
        self.links.get(task.index()).filter(|link| link.worker != NONE).map(|link| WorkerSlot(link.worker))
    }

    pub(super) fn of(&self, worker: WorkerSlot) -> impl Iterator<Item = TaskSlot> + '_ {
        let first = self.ends.get(worker.index()).map_or(NONE, |ends| ends.first);
        let start = (first != NONE).then_some(first);
        std::iter::successors(start, |task| {
            let after = self.links[*task as usize].after;
            (after != NONE).then_some(after)
        })
        .map(TaskSlot)
    }
}

fn grow<T: Clone>(list: &mut Vec<T>, index: usize, empty: T) {
    if list.len() <= index {
        list.resize(index + 1, empty);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_the_order_of_grants_through_any_removal() {
        let mut held = HeldLists::default();
        let (a, b) = (WorkerSlot(0), WorkerSlot(3));
        for task in [5, 1, 9, 2] {
            held.add(TaskSlot(task), a);
        }
        held.add(TaskSlot(7), b);
        for (removed, left) in [(9, vec![5, 1, 2]), (5, vec![1, 2]), (2, vec![1]), (1, vec![])] {
            assert_eq!(held.remove(TaskSlot(removed)), Some(a));
            assert_eq!(held.of(a).map(|task| task.0).collect::<Vec<_>>(), left);
        }
        assert_eq!(held.remove(TaskSlot(9)), None, "already removed");
        assert_eq!(held.holder(TaskSlot(7)), Some(b));
    }
}
