//! Operations: big work that continues itself. Their events carry the work, their rows also how far it is.

use std::sync::Arc;

use mainspring_core::collections::Soft;
use mainspring_core::event::Event;
use mainspring_core::job::JobKey;
use mainspring_core::operation::{
    Announcement, Bulk, BulkVerb, Cursor, EndWaits, EndedPlace, Operation, OperationKind, RunSelector,
    Selection, Selector, StepCounts,
};
use mainspring_core::run::StartedBy;
use mainspring_core::schedule::ScheduleKey;
use mainspring_core::values::{OperationId, RunStatus, Seq, TaskId};

use super::trigger::{read_id, read_notice, read_span, write_id, write_notice, write_span};
use super::{EncodedProfiles, FormatError, Reader, Writer};
use crate::entity::{EntityBytes, EntityError, EntityFormat, EntityRow, ReadWith};

const VERSION: u8 = 2;

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
    w.varint(operation.looked);
    w.varint(operation.handled);
    w.varint(operation.refused);
    w.option(operation.refusal.as_deref(), Writer::text);
    w.wall(operation.started);
    w.option(operation.ended, Writer::wall);
    w.option(operation.cancelled.as_ref(), Writer::over);
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
        looked: r.varint("looked")?,
        handled: r.varint("handled")?,
        refused: r.varint("refused")?,
        refusal: r.option("refusal", |r| r.text("refusal"))?.map(Arc::from),
        started: r.wall("started")?,
        ended: r.option("ended", |r| r.wall("ended"))?,
        cancelled: r.option("cancelled", Reader::over)?,
        touched: Seq::new(r.varint("touched")?),
        stored: Soft(true),
    };
    r.finish("operation")?;
    Ok(operation)
}

/// Of an event of an operation; others have nothing to do here.
pub(super) fn write_event(w: &mut Writer<'_>, event: &Event) {
    match event {
        Event::OperationStarted { id, work } => {
            w.varint(id.get());
            write_work(w, work);
        }
        Event::OperationAdvanced { id, cursor, counts, refusal } => {
            w.varint(id.get());
            write_cursor(w, *cursor);
            write_counts(w, *counts);
            w.option(refusal.as_deref(), Writer::text);
        }
        Event::OperationEnded { id, cancelled } => {
            w.varint(id.get());
            w.option(cancelled.as_deref(), Writer::over);
        }
        _ => unreachable!("not an event of an operation"),
    }
}

pub(super) fn write_work(w: &mut Writer<'_>, work: &OperationKind) {
    match work {
        OperationKind::Bulk(bulk) => {
            w.byte(0);
            write_bulk(w, bulk);
        }
        OperationKind::EndWaits(work) => {
            w.byte(1);
            w.name(&work.tenant);
            write_notice(w, &work.notice);
            w.wall(work.at);
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
        0 => read_bulk(r).map(Arc::new).map(OperationKind::Bulk),
        1 => Ok(OperationKind::EndWaits(Arc::new(EndWaits {
            tenant: r.name("tenant")?,
            notice: Arc::new(read_notice(r)?),
            at: r.wall("instant of an event")?,
        }))),
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

fn write_bulk(w: &mut Writer<'_>, bulk: &Bulk) {
    let Bulk { verb, of, before, over, total, words } = bulk;
    write_verb(w, *verb);
    match of {
        Selection::Tasks(selector) => {
            w.byte(0);
            write_selector(w, selector);
        }
        Selection::Runs(selector) => {
            w.byte(1);
            write_run_selector(w, selector);
        }
        Selection::Jobs(keys) => {
            w.byte(2);
            w.list(keys, |w, key| {
                w.name(&key.tenant);
                w.name(&key.name);
            });
        }
        Selection::Schedules(keys) => {
            w.byte(3);
            w.list(keys, |w, key| {
                w.name(&key.tenant);
                w.name(&key.job);
                w.name(&key.name);
            });
        }
        Selection::Workers(ids) => {
            w.byte(4);
            w.list(ids, |w, id| w.worker_id(*id));
        }
    }
    w.wall(*before);
    w.option(over.as_ref(), Writer::over);
    w.option(*total, Writer::varint);
    w.text(words);
}

fn read_bulk(r: &mut Reader<'_>) -> Result<Bulk, FormatError> {
    let verb = read_verb(r)?;
    let at = r.at();
    let of = match r.byte("selection")? {
        0 => Selection::Tasks(Box::new(read_selector(r)?)),
        1 => Selection::Runs(Box::new(read_run_selector(r)?)),
        2 => Selection::Jobs(
            r.list("jobs", |r| Ok(JobKey { tenant: r.name("tenant")?, name: r.name("job")? }))?,
        ),
        3 => Selection::Schedules(r.list("schedules", |r| {
            Ok(ScheduleKey { tenant: r.name("tenant")?, job: r.name("job")?, name: r.name("schedule")? })
        })?),
        4 => Selection::Workers(r.list("workers", Reader::worker_id)?),
        found => return Err(FormatError::newer("kind of selection", at, found, 4)),
    };
    Ok(Bulk {
        verb,
        of,
        before: r.wall("before")?,
        over: r.option("over", Reader::over)?,
        total: r.option("total", |r| r.varint("total"))?,
        words: r.text("words")?.into(),
    })
}

/// Frozen: a number is never given away again.
fn write_verb(w: &mut Writer<'_>, verb: BulkVerb) {
    match verb {
        BulkVerb::CancelTasks { stop_running } => {
            w.byte(0);
            w.bool(stop_running);
        }
        BulkVerb::SetPriority(priority) => {
            w.byte(1);
            w.priority(priority);
        }
        BulkVerb::RunTasksNow => w.byte(2),
        BulkVerb::RetryTasks => w.byte(3),
        BulkVerb::DiscardTasks => w.byte(4),
        BulkVerb::CancelRuns => w.byte(5),
        BulkVerb::PauseRuns => w.byte(6),
        BulkVerb::ResumeRuns => w.byte(7),
        BulkVerb::RetryRuns => w.byte(8),
        BulkVerb::PauseJobs => w.byte(9),
        BulkVerb::ResumeJobs => w.byte(10),
        BulkVerb::DeleteJobs => w.byte(11),
        BulkVerb::PauseSchedules => w.byte(12),
        BulkVerb::ResumeSchedules => w.byte(13),
        BulkVerb::CordonWorkers => w.byte(14),
        BulkVerb::DrainWorkers => w.byte(15),
        BulkVerb::UncordonWorkers => w.byte(16),
    }
}

fn read_verb(r: &mut Reader<'_>) -> Result<BulkVerb, FormatError> {
    let at = r.at();
    Ok(match r.byte("verb")? {
        0 => BulkVerb::CancelTasks { stop_running: r.bool("stop_running")? },
        1 => BulkVerb::SetPriority(r.priority()?),
        2 => BulkVerb::RunTasksNow,
        3 => BulkVerb::RetryTasks,
        4 => BulkVerb::DiscardTasks,
        5 => BulkVerb::CancelRuns,
        6 => BulkVerb::PauseRuns,
        7 => BulkVerb::ResumeRuns,
        8 => BulkVerb::RetryRuns,
        9 => BulkVerb::PauseJobs,
        10 => BulkVerb::ResumeJobs,
        11 => BulkVerb::DeleteJobs,
        12 => BulkVerb::PauseSchedules,
        13 => BulkVerb::ResumeSchedules,
        14 => BulkVerb::CordonWorkers,
        15 => BulkVerb::DrainWorkers,
        16 => BulkVerb::UncordonWorkers,
        found => return Err(FormatError::newer("verb of an operation", at, found, 16)),
    })
}

fn write_selector(w: &mut Writer<'_>, selector: &Selector) {
    let Selector { tenant, job, pool, executor, labels, statuses, fingerprint, since, until } = selector;
    w.name(tenant);
    w.name(job);
    w.name(pool);
    w.name(executor);
    w.labels(labels);
    w.list(statuses, |w, status| w.byte(*status as u8));
    w.option(*fingerprint, Writer::varint);
    w.option(*since, Writer::wall);
    w.option(*until, Writer::wall);
}

fn read_selector(r: &mut Reader<'_>) -> Result<Selector, FormatError> {
    Ok(Selector {
        tenant: r.name("tenant")?,
        job: r.name("job")?,
        pool: r.name("pool")?,
        executor: r.name("executor")?,
        labels: r.labels()?.to_vec(),
        statuses: r.list("statuses", Reader::status)?,
        fingerprint: r.option("fingerprint", |r| r.varint("fingerprint"))?,
        since: r.option("since", |r| r.wall("since"))?,
        until: r.option("until", |r| r.wall("until"))?,
    })
}

fn write_run_selector(w: &mut Writer<'_>, selector: &RunSelector) {
    let RunSelector { tenant, job, labels, statuses, started_by, since, until } = selector;
    w.name(tenant);
    w.name(job);
    w.labels(labels);
    w.list(statuses, |w, status| w.byte(*status as u8));
    w.option(*started_by, |w, kind| w.byte(kind as u8));
    w.option(*since, Writer::wall);
    w.option(*until, Writer::wall);
}

fn read_run_selector(r: &mut Reader<'_>) -> Result<RunSelector, FormatError> {
    Ok(RunSelector {
        tenant: r.name("tenant")?,
        job: r.name("job")?,
        labels: r.labels()?.to_vec(),
        statuses: r.list("statuses", read_run_status)?,
        started_by: r.option("started_by", read_started_by)?,
        since: r.option("since", |r| r.wall("since"))?,
        until: r.option("until", |r| r.wall("until"))?,
    })
}

fn read_run_status(r: &mut Reader<'_>) -> Result<RunStatus, FormatError> {
    let at = r.at();
    let found = r.byte("status of a run")?;
    RunStatus::from_index(found).ok_or_else(|| FormatError::newer("status of a run", at, found, 4))
}

fn read_started_by(r: &mut Reader<'_>) -> Result<StartedBy, FormatError> {
    let at = r.at();
    let found = r.byte("what began a run")?;
    let known = [
        StartedBy::Manual,
        StartedBy::Parent,
        StartedBy::Rerun,
        StartedBy::Schedule,
        StartedBy::Event,
        StartedBy::Backfill,
    ];
    let kind = known.into_iter().find(|kind| *kind as u8 == found);
    kind.ok_or_else(|| FormatError::newer("what began a run", at, found, 5))
}

fn write_counts(w: &mut Writer<'_>, counts: StepCounts) {
    w.varint(u64::from(counts.looked));
    w.varint(u64::from(counts.handled));
    w.varint(u64::from(counts.refused));
}

pub(super) fn read_counts(r: &mut Reader<'_>) -> Result<StepCounts, FormatError> {
    Ok(StepCounts {
        looked: r.varint32("looked")?,
        handled: r.varint32("handled")?,
        refused: r.varint32("refused")?,
    })
}

fn write_cursor(w: &mut Writer<'_>, cursor: Cursor) {
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
        Cursor::Ended(EndedPlace { day, id }) => {
            w.byte(3);
            w.varint(u64::from(day));
            w.task_id(id);
        }
        Cursor::EndedRuns(after) => {
            w.byte(4);
            w.option(after, |w, id| w.task_id(TaskId::from_bits(id.bits())));
        }
    }
}

pub(super) fn read_cursor(r: &mut Reader<'_>) -> Result<Cursor, FormatError> {
    let at = r.at();
    match r.byte("cursor")? {
        0 => r.varint32("slot").map(Cursor::Memory),
        1 => r.task_id().map(Cursor::Parked),
        2 => r.varint32("entries done").map(Cursor::Listed),
        3 => Ok(Cursor::Ended(EndedPlace { day: r.varint32("day")?, id: r.task_id()? })),
        4 => r.option("run", Reader::run_id).map(Cursor::EndedRuns),
        found => Err(FormatError::newer("kind of cursor", at, found, 4)),
    }
}
