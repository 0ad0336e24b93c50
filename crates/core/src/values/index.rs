//! Places in the slabs of memory: small numbers that name what is held now. They mean nothing after a restart.

/// Where a task sits in memory; reused after the task has left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct TaskIndex(pub u32);

impl TaskIndex {
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a run sits in memory; reused after the run has left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct RunIndex(pub u32);

/// Where a worker sits in memory; reused after it has left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WorkerIndex(pub u32);

impl WorkerIndex {
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a schedule sits in memory; reused after it has left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ScheduleIndex(pub u32);
