//! Operations: big work that continues itself. Their events carry the work, their rows also how far it is.

use std::sync::Arc;

use mainspring_core::collections::Soft;
use mainspring_core::operation::{
    Announcement, Cursor, EndWaits, Operation, OperationKind, RunSelector, Selector,
};
use mainspring_core::values::{OperationId, Seq, TaskId};

use super::trigger::{read_id, read_notice, read_span, write_id, write_notice, write_span};
use super::{EncodedProfiles, FormatError, Reader, Writer};
use crate::entity::{EntityBytes, EntityError, EntityFormat, EntityRow, ReadWith};

const VERSION: u8 = 1;

impl EntityFormat for Operation {
    fn write(&self, out: &mut EntityBytes, _: &mut EncodedProfiles) {
        if !*self.stored {
            write_work(&mut Writer::new(out.fixed.insert(Vec::new())), &self.work);
        }
        write_operation(&mut out.bytes, self);
    }

    fn read(row: &EntityRow, _: &mut ReadWith<'_>) -> Result<Self, EntityError> {
        Ok(read_operation(row.fixed.as_deref().unwrap_or_default(), &row.bytes)?)
    }
}

/// What it works on is a blob of its own, written once: it may hold the data of an event.
pub fn write_operation_work(out: &mut Vec<u8>, work: &OperationKind) {
    write_work(&mut Writer::new(out), work);
}

pub fn read_operation_work(bytes: &[u8]) -> Result<OperationKind, FormatError> {
    let r = &mut Reader::new(bytes);
    let work = read_work(r)?;
    r.finish("work of an operation")?;
    Ok(work)
}

pub fn write_operation(out: &mut Vec<u8>, operation: &Operation) {
    let w = &mut Writer::new(out);
    w.byte(VERSION);
    w.varint(operation.id.get());
    write_cursor(w, operation.cursor);
    w.varint(operation.handled);
    w.option(operation.ended, Writer::wall);
    w.varint(operation.touched.get());
}

pub fn read_operation(work: &[u8], bytes: &[u8]) -> Result<Operation, FormatError> {
    let work = read_operation_work(work)?;
    let r = &mut Reader::new(bytes);
    r.version("operation version", VERSION)?;
    let operation = Operation {
        id: OperationId::new(r.varint("operation")?),
        work,
        cursor: read_cursor(r)?,
        handled: r.varint("handled")?,
        ended: r.option("ended", |r| r.wall("ended"))?,
        touched: Seq::new(r.varint("touched")?),
        stored: Soft(true),
    };
    r.finish("operation")?;
    Ok(operation)
}

pub(super) fn write_work(w: &mut Writer<'_>, work: &OperationKind) {
    match work {
        OperationKind::BulkCancel { selector, before, stop_running } => {
            w.byte(0);
            write_selector(w, selector);
            w.wall(*before);
            w.bool(*stop_running);
        }
        OperationKind::EndWaits(work) => {
            w.byte(1);
            w.name(&work.tenant);
            write_notice(w, &work.notice);
            w.wall(work.at);
        }
        OperationKind::CancelRuns { selector, before, over } => {
            w.byte(2);
            w.name(&selector.tenant);
            w.name(&selector.job);
            w.option(selector.label.as_ref(), |w, (key, value)| {
                w.name(key);
                w.name(value);
            });
            w.wall(*before);
            w.option(over.as_ref(), Writer::over);
        }
        OperationKind::Announce(work) => {
            w.byte(3);
            write_announcement(w, work);
        }
    }
}

pub(super) fn read_work(r: &mut Reader<'_>) -> Result<OperationKind, FormatError> {
    let at = r.at();
    match r.byte("work")? {
        0 => Ok(OperationKind::BulkCancel {
            selector: Box::new(read_selector(r)?),
            before: r.wall("before")?,
            stop_running: r.bool("stop_running")?,
        }),
        1 => Ok(OperationKind::EndWaits(Arc::new(EndWaits {
            tenant: r.name("tenant")?,
            notice: Arc::new(read_notice(r)?),
            at: r.wall("instant of an event")?,
        }))),
        2 => Ok(OperationKind::CancelRuns {
            selector: Box::new(RunSelector {
                tenant: r.name("tenant")?,
                job: r.name("job")?,
                label: r.option("label", |r| Ok((r.name("label key")?, r.name("label value")?)))?,
            }),
            before: r.wall("before")?,
            over: r.option("over", Reader::over)?,
        }),
        3 => read_announcement(r).map(Arc::new).map(OperationKind::Announce),
        found => Err(FormatError::newer("kind of work", at, found, 3)),
    }
}

fn write_announcement(w: &mut Writer<'_>, announcement: &Announcement) {
    let Announcement { tenant, notice, ended, depth, job, window, triggers, before } = announcement;
    w.name(tenant);
    write_notice(w, notice);
    w.task_id(TaskId::from_bits(*ended));
    w.byte(*depth);
    w.name(job);
    w.option(*window, write_span);
    w.list(triggers, |w, id| write_id(w, *id));
    w.varint(u64::from(*before));
}

fn read_announcement(r: &mut Reader<'_>) -> Result<Announcement, FormatError> {
    Ok(Announcement {
        tenant: r.name("tenant")?,
        notice: Arc::new(read_notice(r)?),
        ended: r.task_id()?.bits(),
        depth: r.byte("depth")?,
        job: r.name("job")?,
        window: r.option("window", read_span)?,
        triggers: r.list("triggers", read_id)?,
        before: r.varint32("before")?,
    })
}

fn write_selector(w: &mut Writer<'_>, selector: &Selector) {
    w.name(&selector.tenant);
    w.name(&selector.job);
    w.name(&selector.pool);
    w.name(&selector.executor);
    w.labels(&selector.labels);
    w.list(&selector.statuses, |w, status| w.byte(*status as u8));
}

fn read_selector(r: &mut Reader<'_>) -> Result<Selector, FormatError> {
    Ok(Selector {
        tenant: r.name("tenant")?,
        job: r.name("job")?,
        pool: r.name("pool")?,
        executor: r.name("executor")?,
        labels: r.labels()?.to_vec(),
        statuses: r.list("statuses", Reader::status)?,
    })
}

pub(super) fn write_cursor(w: &mut Writer<'_>, cursor: Cursor) {
    match cursor {
        Cursor::Memory(slot) => {
            w.byte(0);
            w.varint(u64::from(slot));
        }
        Cursor::Parked(id) => {
            w.byte(1);
            w.task_id(id);
        }
        Cursor::Listed(done) => {
            w.byte(2);
            w.varint(u64::from(done));
        }
    }
}

pub(super) fn read_cursor(r: &mut Reader<'_>) -> Result<Cursor, FormatError> {
    let at = r.at();
    match r.byte("cursor")? {
        0 => r.varint32("slot").map(Cursor::Memory),
        1 => r.task_id().map(Cursor::Parked),
        2 => r.varint32("entries done").map(Cursor::Listed),
        found => Err(FormatError::newer("kind of cursor", at, found, 2)),
    }
}
