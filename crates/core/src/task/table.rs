//! The tasks in memory: a slab with an index by id.
//! - TT-1 iteration goes by slot, so its order depends on the events alone
//! - TT-2 growing copies no task: a table of millions never stops the shard to move

use std::cell::Cell;

use super::Task;
use crate::collections::IdIndex;
use crate::values::{TaskId, TaskIndex};

/// Tasks in one block; a block is never moved.
const BLOCK: usize = 4096;

#[derive(Debug, Default)]
pub struct TaskTable {
    blocks: Vec<Vec<Option<Task>>>,
    free: Vec<u32>,
    index: IdIndex,
    slots: u32,
    /// The task found last. Deciding and applying ask for the same one several times over, and in a table of
    /// millions every search goes to memory.
    last: Cell<TaskIndex>,
}

fn at(blocks: &[Vec<Option<Task>>], slot: u32) -> Option<&Task> {
    blocks.get(slot as usize / BLOCK)?.get(slot as usize % BLOCK)?.as_ref()
}

fn holds(blocks: &[Vec<Option<Task>>], slot: u32, id: TaskId) -> bool {
    at(blocks, slot).is_some_and(|task| task.id == id)
}

impl TaskTable {
    pub fn find(&self, id: TaskId) -> Option<TaskIndex> {
        let last = self.last.get();
        if holds(&self.blocks, last.0, id) {
            return Some(last);
        }
        let slot = self.index.find(id.bits(), |slot| holds(&self.blocks, slot, id)).map(TaskIndex)?;
        self.last.set(slot);
        Some(slot)
    }

    /// The task in this slot is the next one that will be asked for.
    pub fn expect(&self, slot: TaskIndex) {
        self.last.set(slot);
    }

    pub fn by_id(&self, id: TaskId) -> Option<&Task> {
        self.find(id).and_then(|slot| self.get(slot))
    }

    pub fn get(&self, slot: TaskIndex) -> Option<&Task> {
        at(&self.blocks, slot.0)
    }

    /// The task that an event has just changed, or that something beside the state names.
    pub(crate) fn live(&self, slot: TaskIndex) -> &Task {
        self.get(slot).expect("MA-1: a task that is named by its index is in memory")
    }

    pub fn get_mut(&mut self, slot: TaskIndex) -> Option<&mut Task> {
        self.blocks.get_mut(slot.index() / BLOCK)?.get_mut(slot.index() % BLOCK)?.as_mut()
    }

    /// The id must not be in the table.
    pub fn insert(&mut self, task: Task) -> TaskIndex {
        let id = task.id;
        let slot = self.free.pop().unwrap_or_else(|| self.grow());
        self.blocks[slot as usize / BLOCK][slot as usize % BLOCK] = Some(task);
        self.index.insert(id.bits(), slot);
        self.last.set(TaskIndex(slot));
        TaskIndex(slot)
    }

    fn grow(&mut self) -> u32 {
        let slot = self.slots;
        self.slots = slot.checked_add(1).expect("fewer than 2^32 tasks in memory");
        if (slot as usize).is_multiple_of(BLOCK) {
            self.blocks.push(Vec::with_capacity(BLOCK));
        }
        self.blocks[slot as usize / BLOCK].push(None);
        slot
    }

    pub fn remove(&mut self, slot: TaskIndex) -> Option<Task> {
        let id = self.get(slot)?.id;
        let blocks = &self.blocks;
        self.index.remove(id.bits(), |slot| holds(blocks, slot, id));
        self.free.push(slot.0);
        self.blocks[slot.index() / BLOCK][slot.index() % BLOCK].take()
    }

    /// By slot.
    pub fn iter(&self) -> impl Iterator<Item = (TaskIndex, &Task)> {
        let tasks = self.blocks.iter().flatten();
        (0..).map(TaskIndex).zip(tasks).filter_map(|(slot, task)| Some((slot, task.as_ref()?)))
    }

    pub fn len(&self) -> usize {
        self.slots as usize - self.free.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One past the highest slot in use so far; bounds a scan by slot.
    pub fn end(&self) -> u32 {
        self.slots
    }
}
