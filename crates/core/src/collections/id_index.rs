//! Lookup by key with a fixed-seed hash. There is deliberately no way to iterate: the order of a hash
//! map must never reach an event, an effect or a stored byte.

use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};

/// A map without iteration.
#[derive(Debug)]
pub struct KeyIndex<K, V>(HashMap<K, V, FixedState>);

impl<K: Hash + Eq, V> Default for KeyIndex<K, V> {
    fn default() -> Self {
        Self(HashMap::with_hasher(FixedState::with_seed(0)))
    }
}

impl<K: Hash + Eq, V> KeyIndex<K, V> {
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

/// From a 128-bit id to the slot of the entry that holds the id: nine bytes an entry instead of thirty-two.
#[derive(Debug, Default)]
pub struct IdIndex(HashTable<IdEntry>);

/// Half of the hash is kept, so that a growing table need not visit the tasks, most of which are out of every
/// cache.
#[derive(Clone, Copy, Debug)]
struct IdEntry {
    index: u32,
    half: u32,
}

impl IdEntry {
    fn hash(self) -> u64 {
        spread(self.half)
    }
}

/// The table looks at the highest and the lowest bits; both must differ between entries.
const fn spread(half: u32) -> u64 {
    (half as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn half(id: u128) -> u32 {
    FixedState::with_seed(0).hash_one(id) as u32
}

impl IdIndex {
    /// `holds` tells whether a slot's entry is the one looked for.
    pub fn find(&self, id: u128, holds: impl Fn(u32) -> bool) -> Option<u32> {
        let half = half(id);
        self.0.find(spread(half), |entry| entry.half == half && holds(entry.index)).map(|entry| entry.index)
    }

    pub fn insert(&mut self, id: u128, index: u32) {
        let entry = IdEntry { index, half: half(id) };
        self.0.insert_unique(entry.hash(), entry, |entry| entry.hash());
    }

    pub fn remove(&mut self, id: u128, holds: impl Fn(u32) -> bool) {
        let half = half(id);
        if let Ok(entry) = self.0.find_entry(spread(half), |entry| entry.half == half && holds(entry.index)) {
            entry.remove();
        }
    }
}
