//! Rows of one kind of durable entity in memory, and which of them a cut must write.
//! Entry: [`Table`]; [`EntityTable`] for what keeps a table together with lists derived from it.
//! - ET-1 only an `apply` inserts and changes rows, save for fields marked soft
//! - ET-2 a changed row is listed once for a cut, however often it changes before it
//! - ET-3 an ended row leaves memory only behind the barrier of the cut that stored its end

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeBounds;

use super::id_index::IdIndex;
use super::slab::{Id, Slab};
use crate::values::{EntityId, EntityKind, Name, Seq, Stamp, Wall};

/// What is journaled, written to the tables by cuts, and loaded from them.
pub trait Entity {
    const KIND: EntityKind;
    type Id: EntityId;
    /// Lists are in this order.
    type Key: Ord + Clone;

    fn id(&self) -> Self::Id;
    fn key(&self) -> Self::Key;
    /// Tenant and parent (a job, or empty), by which pages of the tables are narrowed.
    fn scope(&self) -> (Name, Name);
    /// `Some`: it leaves memory once a cut has stored it, and retention drops its row.
    fn ended(&self) -> Option<Wall>;
    /// The record that changed it last.
    fn touched(&self) -> Seq;
    fn set_touched(&mut self, seq: Seq);
    /// Of kinds whose ids are counted: the number of this one. A number is never given away again.
    fn number(&self) -> u64 {
        0
    }
    /// A row of it is in a cut: what never changes need not be written again.
    fn set_stored(&mut self) {}
}

#[derive(Debug)]
pub struct Table<E: Entity> {
    /// Boxed, so that growing moves pointers only.
    rows: Slab<Box<E>>,
    by_id: IdIndex,
    by_key: BTreeMap<E::Key, u32>,
    dirty: Vec<E::Id>,
    /// Rows in memory whose end the last cut stored.
    ended: BTreeSet<E::Id>,
    /// The greatest number that a row ever had; the head of a cut has it.
    numbers: u64,
}

impl<E: Entity> Default for Table<E> {
    fn default() -> Self {
        Self {
            rows: Slab::default(),
            by_id: IdIndex::default(),
            by_key: BTreeMap::new(),
            dirty: Vec::new(),
            ended: BTreeSet::new(),
            numbers: 0,
        }
    }
}

impl<E: Entity> Table<E> {
    /// The place of a row in memory: dense, and reused after the row has left.
    pub fn index_of(&self, id: E::Id) -> Option<u32> {
        self.by_id.find(id.to_bits(), |index| self.at(index).is_some_and(|row| row.id() == id))
    }

    pub fn at(&self, index: u32) -> Option<&E> {
        self.rows.get(Id::from_number(index)).map(|row| &**row)
    }

    pub fn get(&self, id: E::Id) -> Option<&E> {
        self.at(self.index_of(id)?)
    }

    pub fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&E>
    where
        E::Key: Borrow<Q>,
    {
        self.at(*self.by_key.get(key)?)
    }

    /// In the order of their keys.
    pub fn range<Q: Ord + ?Sized>(&self, keys: impl RangeBounds<Q>) -> impl DoubleEndedIterator<Item = &E>
    where
        E::Key: Borrow<Q>,
    {
        self.by_key.range(keys).filter_map(|(_, index)| self.at(*index))
    }

    /// In the order of their keys.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &E> {
        self.by_key.values().filter_map(|index| self.at(*index))
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn numbers(&self) -> u64 {
        self.numbers
    }

    /// For whoever loads rows: numbers up to this one were given away.
    pub fn set_numbers(&mut self, numbers: u64) {
        self.numbers = self.numbers.max(numbers);
    }

    /// Above every index in use.
    pub fn end(&self) -> u32 {
        self.rows.end()
    }

    /// Rows without an end that the tables have as of the last cut taken.
    pub fn live_rows(&self) -> usize {
        self.len() - self.ended.len()
    }

    /// Puts a row into memory that the tables hold.
    pub fn load(&mut self, row: E) {
        debug_assert!(self.get(row.id()).is_none(), "ET-1: a row is loaded once");
        let (bits, key) = (row.id().to_bits(), row.key());
        self.set_numbers(row.number());
        let index = self.rows.insert(Box::new(row)).number();
        self.by_id.insert(bits, index);
        let before = self.by_key.insert(key, index);
        debug_assert!(before.is_none(), "ET-1: two rows have one key");
    }

    /// For `apply`: a new row.
    pub(crate) fn insert(&mut self, mut row: E, at: Stamp) {
        row.set_touched(at.seq);
        self.dirty.push(row.id());
        self.load(row);
    }

    /// For `apply`.
    pub(crate) fn change(&mut self, id: E::Id, at: Stamp) -> &mut E {
        let index = self.index_of(id).expect("EV-1: the entity of an event is in memory");
        let row = &mut self.rows[Id::from_number(index)];
        if row.touched() <= at.cut {
            self.dirty.push(id);
        }
        row.set_touched(at.seq);
        row
    }

    /// For `apply`: nobody finds the row by its key any more, and another may have the key.
    pub(crate) fn unlist(&mut self, id: E::Id) {
        if let Some(index) = self.index_of(id) {
            self.remove_key(index);
        }
    }

    fn remove_key(&mut self, index: u32) {
        let Some(key) = self.at(index).map(Entity::key) else { return };
        if self.by_key.get(&key) == Some(&index) {
            self.by_key.remove(&key);
        }
    }

    /// For soft fields only.
    pub(crate) fn soft_mut(&mut self, id: E::Id) -> Option<&mut E> {
        let index = self.index_of(id)?;
        Some(&mut self.rows[Id::from_number(index)])
    }

    /// For soft fields only.
    pub(crate) fn soft_find_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut E>
    where
        E::Key: Borrow<Q>,
    {
        let index = *self.by_key.get(key)?;
        Some(&mut self.rows[Id::from_number(index)])
    }

    /// For soft fields only; in the order of their indices.
    pub(crate) fn iter_soft_mut(&mut self) -> impl Iterator<Item = &mut E> {
        self.rows.iter_mut().map(|row| &mut **row)
    }

    /// What the cut that is being made must write; each once.
    pub fn take_dirty(&mut self) -> Vec<E::Id> {
        let dirty = std::mem::take(&mut self.dirty);
        for id in &dirty {
            if self.get(*id).is_some_and(|row| row.ended().is_some()) {
                self.ended.insert(*id);
            } else {
                self.ended.remove(id);
            }
        }
        dirty
    }

    pub fn dirty_len(&self) -> usize {
        self.dirty.len()
    }

    /// For whoever writes rows: a cut has it.
    pub fn set_stored(&mut self, id: E::Id) {
        if let Some(row) = self.soft_mut(id) {
            row.set_stored();
        }
    }

    /// Takes a row out of memory that ended in or before this record; the tables answer for it from now on.
    pub fn leave(&mut self, id: E::Id, cut: Seq) -> Option<E> {
        let index = self.index_of(id)?;
        self.at(index).filter(|row| row.ended().is_some() && row.touched() <= cut)?;
        self.remove_key(index);
        self.ended.remove(&id);
        self.by_id.remove(id.to_bits(), |at| at == index);
        Some(*self.rows.remove(Id::from_number(index)))
    }
}

/// A [`Table`], with the lists that are derived from its rows.
pub trait EntityTable {
    type Row: Entity;

    fn rows(&self) -> &Table<Self::Row>;
    /// For whoever loads rows or takes what changed.
    fn rows_mut(&mut self) -> &mut Table<Self::Row>;

    /// Puts a row into memory that the tables hold.
    fn load(&mut self, row: Self::Row) {
        self.rows_mut().load(row);
    }

    /// As [`Table::leave`].
    fn leave(&mut self, id: <Self::Row as Entity>::Id, cut: Seq) {
        self.rows_mut().leave(id, cut);
    }
}

impl<E: Entity> EntityTable for Table<E> {
    type Row = E;

    fn rows(&self) -> &Self {
        self
    }

    fn rows_mut(&mut self) -> &mut Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{Now, WorkerId};

    #[derive(Debug)]
    struct Thing {
        id: WorkerId,
        name: Name,
        ended: Option<Wall>,
        touched: Seq,
    }

    impl Entity for Thing {
        const KIND: EntityKind = EntityKind::Cordon;
        type Id = WorkerId;
        type Key = Name;

        fn id(&self) -> WorkerId {
            self.id
        }

        fn key(&self) -> Name {
            self.name.clone()
        }

        fn scope(&self) -> (Name, Name) {
            (self.name.clone(), Name::default())
        }

        fn ended(&self) -> Option<Wall> {
            self.ended
        }

        fn touched(&self) -> Seq {
            self.touched
        }

        fn set_touched(&mut self, seq: Seq) {
            self.touched = seq;
        }
    }

    fn id(n: u128) -> WorkerId {
        WorkerId::from_bits(n)
    }

    fn thing(n: u128, name: &'static str) -> Thing {
        Thing { id: id(n), name: Name::fixed(name), ended: None, touched: Seq::ZERO }
    }

    fn at(seq: u64, cut: u64) -> Stamp {
        Stamp { seq: Seq::new(seq), cut: Seq::new(cut), now: Now::default() }
    }

    #[test]
    fn a_row_is_listed_once_a_cut() {
        let mut table = Table::default();
        table.load(thing(1, "loaded"));
        assert_eq!(table.take_dirty(), []);
        table.insert(thing(2, "new"), at(5, 4));
        for seq in [5, 6, 7] {
            table.change(id(1), at(seq, 4));
            table.change(id(2), at(seq, 4));
        }
        assert_eq!(table.take_dirty(), [id(2), id(1)]);
        table.change(id(2), at(8, 7));
        assert_eq!((table.dirty_len(), table.take_dirty()), (1, vec![id(2)]));
    }

    #[test]
    fn lists_are_in_the_order_of_keys_and_indices_are_reused() {
        let mut table = Table::default();
        for (n, name) in [(3, "b"), (1, "c"), (2, "a")] {
            table.load(thing(n, name));
        }
        assert_eq!(table.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(table.find(&Name::fixed("c")).map(|row| row.id), Some(id(1)));
        assert_eq!((table.index_of(id(1)), table.end()), (Some(1), 3));
        table.change(id(1), at(1, 0)).ended = Some(Wall::ZERO);
        assert!(table.leave(id(1), Seq::new(1)).is_some());
        assert_eq!((table.len(), table.get(id(1)).is_none(), table.index_of(id(1))), (2, true, None));
        table.load(thing(9, "d"));
        assert_eq!((table.index_of(id(9)), table.end()), (Some(1), 3));
    }

    #[test]
    fn a_key_can_be_given_away_before_its_row_has_left() {
        let mut table = Table::default();
        table.insert(thing(1, "a"), at(1, 0));
        table.change(id(1), at(2, 1)).ended = Some(Wall::ZERO);
        table.unlist(id(1));
        assert!(table.find(&Name::fixed("a")).is_none() && table.get(id(1)).is_some());
        table.insert(thing(2, "a"), at(3, 1));
        assert!(table.leave(id(1), Seq::new(3)).is_some());
        assert_eq!(table.find(&Name::fixed("a")).map(|row| row.id), Some(id(2)));
    }

    #[test]
    fn a_row_leaves_when_the_cut_has_its_end() {
        let mut table = Table::default();
        table.insert(thing(1, "a"), at(1, 0));
        table.insert(thing(2, "b"), at(1, 0));
        assert!(table.leave(id(1), Seq::new(9)).is_none(), "it has not ended");
        table.change(id(1), at(2, 0)).ended = Some(Wall::ZERO);
        assert_eq!((table.take_dirty().len(), table.live_rows()), (2, 1));
        table.change(id(1), at(3, 2));
        assert!(table.leave(id(1), Seq::new(2)).is_none(), "it was changed after the cut");
        assert!(table.leave(id(1), Seq::new(3)).is_some());
        assert_eq!((table.len(), table.live_rows()), (1, 1));
    }
}
