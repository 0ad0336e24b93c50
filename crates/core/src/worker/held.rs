//! Which attempts a worker holds: one linked list a worker, threaded through a vector by task slot, so that
//! taking and ending an attempt cost no search and no allocation.

use crate::values::{TaskIndex, WorkerIndex};

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct HeldLink {
    /// `NONE`: the task is held by no one.
    worker: u32,
    before: u32,
    after: u32,
}

const UNHELD: HeldLink = HeldLink { worker: NONE, before: NONE, after: NONE };

#[derive(Clone, Copy, Debug)]
struct HeldEnds {
    first: u32,
    last: u32,
}

#[derive(Debug, Default)]
pub(super) struct HeldLists {
    links: Vec<HeldLink>,
    ends: Vec<HeldEnds>,
}

impl HeldLists {
    pub(super) fn add(&mut self, task: TaskIndex, worker: WorkerIndex) {
        grow(&mut self.links, task.index(), UNHELD);
        grow(&mut self.ends, worker.index(), HeldEnds { first: NONE, last: NONE });
        debug_assert_eq!(self.links[task.index()].worker, NONE, "FL-2: held once");
        let ends = &mut self.ends[worker.index()];
        self.links[task.index()] = HeldLink { worker: worker.0, before: ends.last, after: NONE };
        match ends.last {
            NONE => ends.first = task.0,
            last => self.links[last as usize].after = task.0,
        }
        ends.last = task.0;
    }

    pub(super) fn remove(&mut self, task: TaskIndex) -> Option<WorkerIndex> {
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
        Some(WorkerIndex(link.worker))
    }

    pub(super) fn holder(&self, task: TaskIndex) -> Option<WorkerIndex> {
        self.links.get(task.index()).filter(|link| link.worker != NONE).map(|link| WorkerIndex(link.worker))
    }

    pub(super) fn of(&self, worker: WorkerIndex) -> impl Iterator<Item = TaskIndex> + '_ {
        let first = self.ends.get(worker.index()).map_or(NONE, |ends| ends.first);
        let start = (first != NONE).then_some(first);
        std::iter::successors(start, |task| {
            let after = self.links[*task as usize].after;
            (after != NONE).then_some(after)
        })
        .map(TaskIndex)
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
        let (a, b) = (WorkerIndex(0), WorkerIndex(3));
        for task in [5, 1, 9, 2] {
            held.add(TaskIndex(task), a);
        }
        held.add(TaskIndex(7), b);
        for (removed, left) in [(9, vec![5, 1, 2]), (5, vec![1, 2]), (2, vec![1]), (1, vec![])] {
            assert_eq!(held.remove(TaskIndex(removed)), Some(a));
            assert_eq!(held.of(a).map(|task| task.0).collect::<Vec<_>>(), left);
        }
        assert_eq!(held.remove(TaskIndex(9)), None, "already removed");
        assert_eq!(held.holder(TaskIndex(7)), Some(b));
    }
}
