//! The waiting lines themselves: doubly linked FIFOs threaded through one table with an entry a task.
//! Entry: [`Links`] for the table, [`Fifo`] for the two ends of one line.
//! - LL-1 a task is in at most one FIFO, or held by one worker, never both
//! - LL-2 an entry has 24 bytes; adding and taking out anywhere are O(1)
//!
//! Not here: which FIFO a task belongs to (`lookup`), or which goes first (`place`).

use super::queue::Class;
use crate::collections::Id;
use crate::values::{TaskIndex, WorkerIndex};

const NONE: u32 = u32::MAX;
/// Set in `order` of a held task; the worker's generation is below it.
const HELD: u64 = 1 << 63;

#[derive(Clone, Copy, Debug)]
struct Link {
    prev: u32,
    next: u32,
    /// `NONE`: the dispatcher does not know the task.
    class: u32,
    /// Waiting: the worker to avoid. Held: the worker that holds it.
    worker: u32,
    /// Waiting: when it was enqueued, as a count. Held: see [`HELD`].
    order: u64,
}

const _: () = assert!(size_of::<Link>() == 24, "LL-2: memory per waiting task is a promise");

const ABSENT: Link = Link { prev: NONE, next: NONE, class: NONE, worker: NONE, order: 0 };

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    pub class: Id<Class>,
    pub worker: WorkerIndex,
    /// Which of the workers that have had this slot.
    pub generation: u32,
}

/// The ends of one line.
#[derive(Debug)]
pub struct Fifo {
    head: u32,
    tail: u32,
    len: u32,
}

impl Default for Fifo {
    fn default() -> Self {
        Self { head: NONE, tail: NONE, len: 0 }
    }
}

impl Fifo {
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub const fn len(&self) -> u32 {
        self.len
    }

    pub fn head(&self) -> Option<TaskIndex> {
        (self.head != NONE).then_some(TaskIndex(self.head))
    }
}

#[derive(Debug, Default)]
pub struct Links(Vec<Link>);

impl Links {
    pub fn queued(&self, task: TaskIndex) -> Option<Id<Class>> {
        let link = self.0.get(task.index())?;
        (link.class != NONE && link.order & HELD == 0).then_some(Id::from_number(link.class))
    }

    pub fn held(&self, task: TaskIndex) -> Option<Held> {
        let link = self.0.get(task.index())?;
        (link.class != NONE && link.order & HELD != 0).then_some(Held {
            class: Id::from_number(link.class),
            worker: WorkerIndex(link.worker),
            generation: link.order as u32,
        })
    }

    /// The worker a waiting task would rather not run on.
    pub fn avoid(&self, task: TaskIndex) -> Option<WorkerIndex> {
        let worker = self.0[task.index()].worker;
        (worker != NONE).then_some(WorkerIndex(worker))
    }

    pub fn order(&self, task: TaskIndex) -> u64 {
        self.0[task.index()].order
    }

    /// When the first of the line was enqueued; the line is not empty.
    pub fn head_order(&self, line: &Fifo) -> u64 {
        self.0[line.head as usize].order
    }

    pub fn push(
        &mut self,
        line: &mut Fifo,
        task: TaskIndex,
        class: Id<Class>,
        avoid: Option<WorkerIndex>,
        order: u64,
    ) {
        self.make_room(task);
        let worker = avoid.map_or(NONE, |worker| worker.0);
        self.0[task.index()] = Link { prev: line.tail, next: NONE, class: class.number(), worker, order };
        match line.tail {
            NONE => line.head = task.0,
            tail => self.0[tail as usize].next = task.0,
        }
        line.tail = task.0;
        line.len += 1;
    }

    pub fn unlink(&mut self, line: &mut Fifo, task: TaskIndex) {
        let Link { prev, next, .. } = self.0[task.index()];
        match prev {
            NONE => line.head = next,
            prev => self.0[prev as usize].next = next,
        }
        match next {
            NONE => line.tail = prev,
            next => self.0[next as usize].prev = prev,
        }
        line.len -= 1;
        self.0[task.index()] = ABSENT;
    }

    pub fn hold(&mut self, task: TaskIndex, held: Held) {
        self.make_room(task);
        let order = HELD | u64::from(held.generation);
        self.0[task.index()] = Link { class: held.class.number(), worker: held.worker.0, order, ..ABSENT };
    }

    pub fn forget(&mut self, task: TaskIndex) {
        self.0[task.index()] = ABSENT;
    }

    /// How many are before a waiting task, counted over at most `steps` links; then the bound `line.len`.
    pub fn position(&self, line: &Fifo, task: TaskIndex, steps: u32) -> u64 {
        let mut at = task.0;
        for ahead in 0..steps {
            at = self.0[at as usize].prev;
            if at == NONE {
                return u64::from(ahead);
            }
        }
        // Orders are shared by all lines, so this is at least the true number.
        (self.order(task) - self.head_order(line)).min(u64::from(line.len) - 1)
    }

    /// Grows by a quarter, not by doubling: doubling could cost 48 bytes a task.
    fn make_room(&mut self, task: TaskIndex) {
        let needed = task.index() + 1;
        if needed <= self.0.len() {
            return;
        }
        if needed > self.0.capacity() {
            let spare = (self.0.len() / 4).max(1024);
            self.0.reserve_exact(needed - self.0.len() + spare);
        }
        self.0.resize(needed, ABSENT);
    }
}
