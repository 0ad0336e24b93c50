//! The operations of a shard, how far each has come, and which of them changed since the last cut.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Announcement, Bulk, Cursor, EndWaits, OperationKind};
use crate::collections::{Entity, EntityTable, Soft, Table};
use crate::values::{Actor, EntityKind, Name, OperationId, Seq, Stamp, Wall};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    pub id: OperationId,
    /// Never changes.
    pub work: OperationKind,
    pub cursor: Cursor,
    /// Tasks, runs or others that it has looked at.
    pub looked: u64,
    /// Of these, changed.
    pub handled: u64,
    /// Of these, matched and could not be changed.
    pub refused: u64,
    /// Why the last of them could not.
    pub refusal: Option<Arc<str>>,
    pub started: Wall,
    pub ended: Option<Wall>,
    /// Who ended it before it was through.
    pub cancelled: Option<Actor>,
    pub touched: Seq,
    /// A cut has stored its work.
    pub stored: Soft<bool>,
}

/// What one step did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StepCounts {
    pub looked: u32,
    pub handled: u32,
    pub refused: u32,
}

impl Operation {
    /// What a caller asked for; the others are the server's own.
    pub fn bulk(&self) -> Option<&Arc<Bulk>> {
        match &self.work {
            OperationKind::Bulk(bulk) => Some(bulk),
            OperationKind::EndWaits(_) | OperationKind::Announce(_) => None,
        }
    }
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
            OperationKind::Bulk(bulk) => return bulk.scope(),
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

    /// One that callers asked for, ended or not, while it is in memory.
    pub fn asked_for(&self, id: OperationId) -> Option<&Operation> {
        self.table.get(id).filter(|operation| operation.bulk().is_some())
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

    pub fn dirty_len(&self) -> usize {
        self.table.dirty_len()
    }

    fn list_of(&mut self, work: &OperationKind) -> &mut BTreeSet<OperationId> {
        match work {
            OperationKind::Bulk(_) => &mut self.bulk,
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
            OperationKind::EndWaits(_) => Cursor::Memory(0),
            OperationKind::Bulk(bulk) => bulk.start(),
        };
        let operation = Operation {
            id,
            work: work.clone(),
            cursor,
            looked: 0,
            handled: 0,
            refused: 0,
            refusal: None,
            started: at.now.wall,
            ended: None,
            cancelled: None,
            touched: at.seq,
            stored: Soft(false),
        };
        self.list(&operation);
        self.table.insert(operation, at);
    }

    pub(crate) fn advance(
        &mut self,
        id: OperationId,
        cursor: Cursor,
        (counts, refusal): (StepCounts, Option<&Arc<str>>),
        at: Stamp,
    ) {
        let operation = self.table.change(id, at);
        operation.cursor = cursor;
        operation.looked += u64::from(counts.looked);
        operation.handled += u64::from(counts.handled);
        operation.refused += u64::from(counts.refused);
        if let Some(refusal) = refusal {
            operation.refusal = Some(refusal.clone());
        }
    }

    pub(crate) fn end(&mut self, id: OperationId, cancelled: Option<&Actor>, at: Stamp) {
        let operation = self.table.change(id, at);
        operation.ended = Some(at.now.wall);
        operation.cancelled = cancelled.cloned();
        let work = operation.work.clone();
        self.list_of(&work).remove(&id);
    }

    /// Indices of memory are dealt anew in every epoch. What was looked at is looked at again; what was handled is not.
    pub(crate) fn restart(&mut self, at: Stamp) {
        let moved = self.all_bulk().filter(|operation| matches!(operation.cursor, Cursor::Memory(1..)));
        let moved: Vec<OperationId> = moved.map(|operation| operation.id).collect();
        for id in moved {
            let operation = self.table.change(id, at);
            (operation.cursor, operation.looked, operation.refused) = (Cursor::Memory(0), 0, 0);
        }
    }
}
