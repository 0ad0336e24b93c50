//! The tasks in memory: a slab with an index by id.
//! - TT-1 iteration goes by slot, so its order depends on the events alone

use super::Task;
use crate::id::TaskId;
use crate::index::{SlotIndex, TaskSlot};

#[derive(Debug, Default)]
pub struct TaskTable {
    slots: Vec<Option<Task>>,
    free: Vec<u32>,
    index: SlotIndex,
}

/// Stands for an id that no task has; a vacant slot is never in the index.
const NO_ID: u128 = 0;

fn id_at(slots: &[Option<Task>], slot: u32) -> u128 {
    slots[slot as usize].as_ref().map_or(NO_ID, |task| task.id.bits())
}

impl TaskTable {
    pub fn find(&self, id: TaskId) -> Option<TaskSlot> {
        self.index.find(id.bits(), |slot| id_at(&self.slots, slot)).map(TaskSlot)
    }

    pub fn by_id(&self, id: TaskId) -> Option<&Task> {
        self.find(id).and_then(|slot| self.get(slot))
    }

    pub fn get(&self, slot: TaskSlot) -> Option<&Task> {
        self.slots.get(slot.index()).and_then(Option::as_ref)
    }

    pub fn get_mut(&mut self, slot: TaskSlot) -> Option<&mut Task> {
        self.slots.get_mut(slot.index()).and_then(Option::as_mut)
    }

    /// The id must not be in the table.
    pub fn insert(&mut self, task: Task) -> TaskSlot {
        let id = task.id.bits();
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(task);
                slot
            }
            None => {
                self.slots.push(Some(task));
                u32::try_from(self.slots.len() - 1).expect("fewer than 2^32 tasks in memory")
            }
        };
        let slots = &self.slots;
        self.index.insert(id, slot, |slot| id_at(slots, slot));
        TaskSlot(slot)
    }

    pub fn remove(&mut self, slot: TaskSlot) -> Option<Task> {
        let id = self.get(slot)?.id;
        let slots = &self.slots;
        self.index.remove(id.bits(), |slot| id_at(slots, slot));
        self.free.push(slot.0);
        self.slots[slot.index()].take()
    }

    /// By slot.
    pub fn iter(&self) -> impl Iterator<Item = (TaskSlot, &Task)> {
        (0..).map(TaskSlot).zip(&self.slots).filter_map(|(slot, task)| Some((slot, task.as_ref()?)))
    }

    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One past the highest slot in use so far; bounds a scan by slot.
    pub fn slots_end(&self) -> u32 {
        self.slots.len() as u32
    }
}
