//! The runs in memory: a slab with an index by id. Iteration goes by slot, so its order depends on the events alone.

use super::state::Run;
use crate::collections::IdIndex;
use crate::values::{RunId, RunIndex};

#[derive(Debug, Default)]
pub struct RunTable {
    runs: Vec<Option<Box<Run>>>,
    free: Vec<u32>,
    index: IdIndex,
}

impl RunTable {
    pub fn find(&self, id: RunId) -> Option<RunIndex> {
        self.index.find(id.bits(), |slot| self.holds(slot, id)).map(RunIndex)
    }

    fn holds(&self, slot: u32, id: RunId) -> bool {
        self.runs.get(slot as usize).is_some_and(|run| run.as_ref().is_some_and(|run| run.id == id))
    }

    pub fn by_id(&self, id: RunId) -> Option<&Run> {
        self.find(id).and_then(|slot| self.get(slot))
    }

    pub fn get(&self, slot: RunIndex) -> Option<&Run> {
        self.runs.get(slot.0 as usize)?.as_deref()
    }

    pub fn get_mut(&mut self, slot: RunIndex) -> Option<&mut Run> {
        self.runs.get_mut(slot.0 as usize)?.as_deref_mut()
    }

    /// The id must not be in the table.
    pub fn insert(&mut self, run: Box<Run>) -> RunIndex {
        let id = run.id;
        let slot = self.free.pop().unwrap_or_else(|| {
            self.runs.push(None);
            self.runs.len() as u32 - 1
        });
        self.runs[slot as usize] = Some(run);
        self.index.insert(id.bits(), slot);
        RunIndex(slot)
    }

    pub fn remove(&mut self, slot: RunIndex) -> Option<Box<Run>> {
        let id = self.get(slot)?.id;
        let runs = &self.runs;
        self.index.remove(id.bits(), |at| {
            runs.get(at as usize).is_some_and(|run| run.as_ref().is_some_and(|run| run.id == id))
        });
        self.free.push(slot.0);
        self.runs[slot.0 as usize].take()
    }

    /// One past the last slot.
    pub fn end(&self) -> u32 {
        self.runs.len() as u32
    }

    /// By slot.
    pub fn iter(&self) -> impl Iterator<Item = (RunIndex, &Run)> {
        (0..).map(RunIndex).zip(&self.runs).filter_map(|(slot, run)| Some((slot, run.as_deref()?)))
    }

    pub fn len(&self) -> usize {
        self.runs.len() - self.free.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
