//! Cells that keep their number while they live, and give it to a newcomer afterwards.
//! Entry: [`Slab`], with one [`Id`] type for each kind of thing stored.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// The number of a cell that holds a `T`.
pub struct Id<T> {
    number: u32,
    kind: PhantomData<fn() -> T>,
}

impl<T> Id<T> {
    pub const fn from_number(number: u32) -> Self {
        Self { number, kind: PhantomData }
    }

    pub const fn number(self) -> u32 {
        self.number
    }

    pub const fn index(self) -> usize {
        self.number as usize
    }
}

// By hand: the derives would ask the same of `T`.
impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Id<T> {}
impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}
impl<T> Eq for Id<T> {}
impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.number.cmp(&other.number)
    }
}
impl<T> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}
impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.number)
    }
}

#[derive(Debug)]
pub struct Slab<T> {
    cells: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { cells: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    pub fn insert(&mut self, value: T) -> Id<T> {
        if let Some(number) = self.free.pop() {
            self.cells[number as usize] = Some(value);
            return Id::from_number(number);
        }
        self.cells.push(Some(value));
        Id::from_number(self.cells.len() as u32 - 1)
    }

    pub fn remove(&mut self, id: Id<T>) -> T {
        let value = self.cells[id.index()].take().expect("DP-7: an id in use names a live cell");
        self.free.push(id.number);
        value
    }

    pub fn get(&self, id: Id<T>) -> Option<&T> {
        self.cells.get(id.index())?.as_ref()
    }

    /// In the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.cells.iter().flatten()
    }

    /// In the order of their numbers.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.cells.iter_mut().flatten()
    }

    /// Above every number in use.
    pub fn end(&self) -> u32 {
        self.cells.len() as u32
    }

    pub fn ids(&self) -> impl Iterator<Item = Id<T>> {
        let used = self.cells.iter().enumerate().filter(|(_, cell)| cell.is_some());
        used.map(|(number, _)| Id::from_number(number as u32))
    }

    pub(crate) fn len(&self) -> usize {
        self.cells.len() - self.free.len()
    }
}

impl<T> Index<Id<T>> for Slab<T> {
    type Output = T;

    #[inline]
    fn index(&self, id: Id<T>) -> &T {
        self.cells[id.index()].as_ref().expect("DP-7: an id in use names a live cell")
    }
}

impl<T> IndexMut<Id<T>> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, id: Id<T>) -> &mut T {
        self.cells[id.index()].as_mut().expect("DP-7: an id in use names a live cell")
    }
}
