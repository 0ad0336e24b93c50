//! Lookup by key with a fixed-seed hash. There is deliberately no way to iterate: the order of a hash
//! map must never reach an event, an effect or a stored byte.

use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};

/// Where a task sits in memory; reused after the task has left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TaskSlot(pub u32);

impl TaskSlot {
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A map without iteration.
#[derive(Debug)]
pub struct Index<K, V>(HashMap<K, V, FixedState>);

impl<K: Hash + Eq, V> Default for Index<K, V> {
    fn default() -> Self {
        Self(HashMap::with_hasher(FixedState::with_seed(0)))
    }
}

impl<K: Hash + Eq, V> Index<K, V> {
    pub fn get(&self, key: &K) -> Option<&V> {
        self.0.get(key)
    }

    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.0.get_mut(key)
    }

    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.0.insert(key, value)
    }

    pub fn remove(&mut self, key: &K) -> Option<V> {
        self.0.remove(key)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// From a 128-bit id to a slot whose entry holds the id: five bytes an entry instead of thirty-two.
#[derive(Debug, Default)]
pub struct SlotIndex(HashTable<u32>);

impl SlotIndex {
    fn hash(id: u128) -> u64 {
        FixedState::with_seed(0).hash_one(id)
    }

    /// `id_of` tells which id sits in a slot.
    pub fn find(&self, id: u128, id_of: impl Fn(u32) -> u128) -> Option<u32> {
        self.0.find(Self::hash(id), |slot| id_of(*slot) == id).copied()
    }

    pub fn insert(&mut self, id: u128, slot: u32, id_of: impl Fn(u32) -> u128) {
        self.0.insert_unique(Self::hash(id), slot, |slot| Self::hash(id_of(*slot)));
    }

    pub fn remove(&mut self, id: u128, id_of: impl Fn(u32) -> u128) {
        if let Ok(entry) = self.0.find_entry(Self::hash(id), |slot| id_of(*slot) == id) {
            entry.remove();
        }
    }
}
