//! The operations of a shard, how far each has come, and which of them changed since the last cut.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use super::{Announcement, Cursor, EndWaits, OperationKind};
use crate::collections::{Entity, EntityTable, Soft, Table};
use crate::values::{EntityKind, Name, OperationId, Seq, Stamp, Wall};

/// Ended bulk operations that are remembered.
const REMEMBERED_MAX: usize = 100;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    pub id: OperationId,
    /// Never changes.
    pub work: OperationKind,
    pub cursor: Cursor,
    pub handled: u64,
    pub ended: Option<Wall>,
    pub touched: Seq,
    /// A cut has stored its work.
    pub stored: Soft<bool>,
}

/// Ended ones stay until a cut has stored them.
#[derive(Debug, Default)]
pub struct Operations {
    table: Table<Operation>,
    /// Derived, as the next two: what callers asked for and has not ended.
    bulk: BTreeSet<OperationId>,
    /// Events that some waiting tasks have not been told of yet.
    deliveries: BTreeSet<OperationId>,
    /// Ends that some triggers have not decided about yet.
    announcements: BTreeSet<OperationId>,
    /// Soft: what the last bulk operations did, newest last; a restart forgets it.
    remembered: VecDeque<(OperationId, u64)>,
}

impl Entity for Operation {
    const KIND: EntityKind = EntityKind::Operation;
    type Id = OperationId;
    type Key = OperationId;

    fn id(&self) -> OperationId {
        self.id
    }

    fn key(&self) -> OperationId {
        self.id
    }

    fn scope(&self) -> (Name, Name) {
        let (tenant, job) = match &self.work {
            OperationKind::BulkCancel { selector, .. } => (&selector.tenant, &selector.job),
            OperationKind::CancelRuns { selector, .. } => (&selector.tenant, &selector.job),
            OperationKind::EndWaits(work) => return (work.tenant.clone(), Name::default()),
            OperationKind::Announce(work) => (&work.tenant, &work.job),
        };
        (tenant.clone(), job.clone())
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

    fn number(&self) -> u64 {
        self.id.get()
    }

    fn set_stored(&mut self) {
        self.stored = Soft(true);
    }
}

impl EntityTable for Operations {
    type Row = Operation;

    fn rows(&self) -> &Table<Operation> {
        &self.table
    }

    fn rows_mut(&mut self) -> &mut Table<Operation> {
        &mut self.table
    }

    fn load(&mut self, operation: Operation) {
        self.list(&operation);
        self.table.load(operation);
    }
}

impl Operations {
    /// A bulk operation that has not ended.
    pub fn bulk(&self, id: OperationId) -> Option<&Operation> {
        self.table.get(id).filter(|_| self.bulk.contains(&id))
    }

    /// Bulk operations that have not ended, oldest first.
    pub fn all_bulk(&self) -> impl Iterator<Item = &Operation> {
        self.bulk.iter().filter_map(|id| self.table.get(*id))
    }

    pub fn bulk_len(&self) -> usize {
        self.bulk.len()
    }

    /// Oldest first.
    pub fn deliveries(&self) -> impl Iterator<Item = (OperationId, &Arc<EndWaits>)> {
        self.deliveries.iter().filter_map(|id| match &self.table.get(*id)?.work {
            OperationKind::EndWaits(work) => Some((*id, work)),
            _ => None,
        })
    }

    /// Oldest first, with how many of its triggers have decided.
    pub fn announcements(&self) -> impl Iterator<Item = (OperationId, &Arc<Announcement>, u32)> {
        self.announcements.iter().filter_map(|id| {
            let operation = self.table.get(*id)?;
            match (&operation.work, operation.cursor) {
                (OperationKind::Announce(work), Cursor::Listed(told)) => Some((*id, work, told)),
                _ => None,
            }
        })
    }

    pub fn has_deliveries(&self) -> bool {
        !self.deliveries.is_empty()
    }

    pub fn has_announcements(&self) -> bool {
        !self.announcements.is_empty()
    }

    /// Those that have not ended, of all kinds.
    pub fn unfinished(&self) -> usize {
        self.bulk.len() + self.deliveries.len() + self.announcements.len()
    }

    pub fn next_id(&self) -> OperationId {
        OperationId::new(self.table.numbers() + 1)
    }

    /// Whether one with this id has begun, ever.
    pub fn has_begun(&self, id: OperationId) -> bool {
        id.get() > 0 && id.get() <= self.table.numbers()
    }

    /// How many tasks an ended bulk operation has handled, while it is remembered.
    pub fn remembered(&self, id: OperationId) -> Option<u64> {
        self.remembered.iter().find(|(ended, _)| *ended == id).map(|(_, handled)| *handled)
    }

    pub fn dirty_len(&self) -> usize {
        self.table.dirty_len()
    }

    fn list_of(&mut self, work: &OperationKind) -> &mut BTreeSet<OperationId> {
        match work {
            OperationKind::BulkCancel { .. } | OperationKind::CancelRuns { .. } => &mut self.bulk,
            OperationKind::EndWaits(_) => &mut self.deliveries,
            OperationKind::Announce(_) => &mut self.announcements,
        }
    }

    /// What is derived from a row that is new in memory.
    fn list(&mut self, operation: &Operation) {
        if operation.ended.is_none() {
            self.list_of(&operation.work).insert(operation.id);
        }
    }

    pub(crate) fn start(&mut self, id: OperationId, work: &OperationKind, at: Stamp) {
        let cursor = match work {
            OperationKind::Announce(_) => Cursor::Listed(0),
            _ => Cursor::Memory(0),
        };
        let (work, touched) = (work.clone(), at.seq);
        let operation = Operation { id, work, cursor, handled: 0, ended: None, touched, stored: Soft(false) };
        self.list(&operation);
        self.table.insert(operation, at);
    }

    pub(crate) fn advance(&mut self, id: OperationId, cursor: Cursor, handled: u32, at: Stamp) {
        let operation = self.table.change(id, at);
        operation.cursor = cursor;
        operation.handled += u64::from(handled);
    }

    pub(crate) fn end(&mut self, id: OperationId, at: Stamp) {
        let operation = self.table.change(id, at);
        operation.ended = Some(at.now.wall);
        let (work, handled) = (operation.work.clone(), operation.handled);
        self.list_of(&work).remove(&id);
        if let OperationKind::BulkCancel { .. } | OperationKind::CancelRuns { .. } = work {
            if self.remembered.len() >= REMEMBERED_MAX {
                self.remembered.pop_front();
            }
            self.remembered.push_back((id, handled));
        }
    }

    /// Indices of memory are dealt anew in every epoch.
    pub(crate) fn restart(&mut self, at: Stamp) {
        let moved = self.all_bulk().filter(|operation| matches!(operation.cursor, Cursor::Memory(1..)));
        let moved: Vec<OperationId> = moved.map(|operation| operation.id).collect();
        for id in moved {
            self.table.change(id, at).cursor = Cursor::Memory(0);
        }
    }
}
