//! Things to look at, each once, in the order they were added.
//! - WQ-1 what was taken stays noted until it is done: what happens to it meanwhile does not add it a second time

use std::collections::{BTreeSet, VecDeque};

/// For things with small, dense numbers: a ring and one bit each.
#[derive(Clone, Debug, Default)]
pub struct WorkQueue {
    queue: VecDeque<u32>,
    noted: Bits,
}

impl WorkQueue {
    pub fn push(&mut self, number: u32) {
        if self.noted.insert(number) {
            self.queue.push_back(number);
        }
    }

    /// The first one; [`WorkQueue::done`] follows.
    pub fn take(&mut self) -> Option<u32> {
        self.queue.pop_front()
    }

    /// The one that was taken may be added again.
    pub fn done(&mut self, number: u32) {
        self.noted.remove(number);
    }

    /// It will be looked at, or is being looked at.
    pub fn contains(&self, number: u32) -> bool {
        self.noted.contains(number)
    }

    pub fn len(&self) -> usize {
        self.queue.len()
    }

    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }
}

/// A set of small numbers.
#[derive(Clone, Debug, Default)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// False if it was there.
    pub fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = place(number);
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }

    pub fn remove(&mut self, number: u32) {
        let (word, bit) = place(number);
        if let Some(word) = self.0.get_mut(word) {
            *word &= !bit;
        }
    }

    pub fn contains(&self, number: u32) -> bool {
        let (word, bit) = place(number);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }
}

const fn place(number: u32) -> (usize, u64) {
    ((number / 64) as usize, 1 << (number % 64))
}

/// The same for things that are named by a key. One that is taken may be added again at once.
#[derive(Clone, Debug)]
pub struct KeyQueue<K> {
    queue: VecDeque<K>,
    /// Holds the same keys: with the queue alone, adding n of them takes n² comparisons.
    queued: BTreeSet<K>,
}

impl<K> Default for KeyQueue<K> {
    fn default() -> Self {
        Self { queue: VecDeque::new(), queued: BTreeSet::new() }
    }
}

impl<K: Ord + Clone> KeyQueue<K> {
    pub fn push(&mut self, key: K) {
        if self.queued.insert(key.clone()) {
            self.queue.push_back(key);
        }
    }

    pub fn take(&mut self) -> Option<K> {
        let key = self.queue.pop_front()?;
        self.queued.remove(&key);
        Some(key)
    }

    pub fn contains(&self, key: &K) -> bool {
        self.queued.contains(key)
    }

    pub fn len(&self) -> usize {
        self.queue.len()
    }

    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_once_and_again_when_it_is_done() {
        let mut queue = WorkQueue::default();
        for number in [3, 700, 3] {
            queue.push(number);
        }
        assert_eq!((queue.len(), queue.take()), (2, Some(3)));
        queue.push(3);
        assert_eq!(queue.len(), 1, "it is being looked at");
        assert!(queue.contains(3) && queue.contains(700) && !queue.contains(4));
        queue.done(3);
        queue.push(3);
        assert_eq!([queue.take(), queue.take(), queue.take()], [Some(700), Some(3), None]);
    }

    #[test]
    fn a_key_that_was_taken_may_come_again() {
        let mut queue = KeyQueue::default();
        for key in ["b", "a", "b"] {
            queue.push(key);
        }
        assert_eq!((queue.len(), queue.take()), (2, Some("b")));
        queue.push("b");
        assert!(queue.contains(&"a") && queue.contains(&"b"));
        assert_eq!([queue.take(), queue.take(), queue.take()], [Some("a"), Some("b"), None]);
    }
}
