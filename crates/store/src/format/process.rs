//! Processes: big work that continues itself. Their events and the shard-wide state carry these.

use std::sync::Arc;

use mainspring_core::operation::{Cursor, EndWaits, Operation, OperationKind, RunSelector, Selector};

use super::trigger::{read_notice, write_notice};
use super::{FormatError, Reader, Writer};

/// For the shard-wide state that a cut carries beside its rows.
pub fn write_process(w: &mut Writer<'_>, process: &Operation) {
    write_work(w, &process.work);
    write_cursor(w, process.cursor);
    w.varint(process.handled);
}

pub fn read_process(r: &mut Reader<'_>) -> Result<Operation, FormatError> {
    Ok(Operation { work: read_work(r)?, cursor: read_cursor(r)?, handled: r.varint("handled")? })
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
        found => Err(FormatError::newer("kind of work", at, found, 2)),
    }
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
    }
}

pub(super) fn read_cursor(r: &mut Reader<'_>) -> Result<Cursor, FormatError> {
    let at = r.at();
    match r.byte("cursor")? {
        0 => r.varint32("slot").map(Cursor::Memory),
        1 => r.task_id().map(Cursor::Parked),
        found => Err(FormatError::newer("kind of cursor", at, found, 1)),
    }
}
