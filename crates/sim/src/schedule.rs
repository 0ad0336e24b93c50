//! What will happen, in order of time; what happens at one instant goes in the order it was put in.

use std::collections::BTreeMap;

#[derive(Debug)]
pub struct Schedule<T> {
    coming: BTreeMap<(u64, u64), T>,
    put: u64,
}

impl<T> Default for Schedule<T> {
    fn default() -> Self {
        Self { coming: BTreeMap::new(), put: 0 }
    }
}

impl<T> Schedule<T> {
    /// `at` in milliseconds since the world began.
    pub fn put(&mut self, at: u64, what: T) {
        self.put += 1;
        self.coming.insert((at, self.put), what);
    }

    pub fn next(&mut self) -> Option<(u64, T)> {
        self.coming.pop_first().map(|((at, _), what)| (at, what))
    }
}
