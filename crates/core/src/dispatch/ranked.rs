//! A sorted set whose first element lies beside the tree: most orders have one element most of the time,
//! and then neither allocate nor descend.
//! - RK-1 `first` is below all of `rest`, and is there if any is

use std::collections::BTreeSet;

#[derive(Debug)]
pub struct Ranked<K> {
    first: Option<K>,
    rest: BTreeSet<K>,
}

impl<K> Default for Ranked<K> {
    fn default() -> Self {
        Self { first: None, rest: BTreeSet::new() }
    }
}

impl<K: Ord + Copy> Ranked<K> {
    pub const fn first(&self) -> Option<K> {
        self.first
    }

    pub const fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    pub fn is_single(&self) -> bool {
        self.first.is_some() && self.rest.is_empty()
    }

    pub fn insert(&mut self, key: K) {
        match self.first {
            None => self.first = Some(key),
            Some(first) if key < first => {
                self.first = Some(key);
                self.rest.insert(first);
            }
            Some(first) => {
                if key != first {
                    self.rest.insert(key);
                }
            }
        }
    }

    pub fn remove(&mut self, key: &K) {
        if self.first.as_ref() == Some(key) {
            self.first = self.rest.pop_first();
        } else {
            self.rest.remove(key);
        }
    }
}
