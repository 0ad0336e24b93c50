//! The fleet: workers that have said hello. Soft state, rebuilt from what they say.

use crate::name::Name;
use crate::resources::Resources;

/// Where a worker sits in memory; reused after it has left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WorkerSlot(pub u32);

impl WorkerSlot {
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a worker has to give.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WorkerOffer {
    pub pool: Name,
    /// How many attempts it runs at once.
    pub slots: u32,
    pub capacity: Resources,
    pub labels: Vec<(Name, Name)>,
    pub zone: Name,
}
