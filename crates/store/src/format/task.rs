//! A task as one row of the tables, and inside the event that revives one.
//! - TB-1 what is journaled comes back as it was; what is soft comes back as after a recovery: `Running` as
//!   `Assigned`, the soft part of a lease as when it was assigned, `stored` false

use std::sync::Arc;

use mainspring_core::collections::Soft;
use mainspring_core::task::{
    AttemptRecord, Extra, Lease, LeaseSoft, Status, Stop, Task, TaskNote, TaskState,
};
use mainspring_core::values::{AttemptDetails, Incarnation, Seq, Wall};

use super::{EncodedProfiles, FormatError, ProfileCache, Reader, Writer, retry, schedule, wait, workflow};

const VERSION: u8 = 1;

const CANCEL_REQUESTED: u8 = 1;
const EXTRA: u8 = 2;
const IN_RUN: u8 = 4;
/// It was submitted for an instant that has come; before, its state has it.
const SCHEDULED: u8 = 8;
const FLAGS: u8 = CANCEL_REQUESTED | EXTRA | IN_RUN | SCHEDULED;

pub fn write_task(out: &mut Vec<u8>, task: &Task, profiles: &mut EncodedProfiles) {
    write(&mut Writer::new(out), task, profiles);
}

pub fn read_task(bytes: &[u8], profiles: &mut ProfileCache) -> Result<Task, FormatError> {
    let mut r = Reader::new(bytes);
    let task = read(&mut r, profiles)?;
    r.finish("task")?;
    Ok(task)
}

/// Of a task's row only its output.
pub fn read_task_output(bytes: &[u8]) -> Result<Option<Arc<[u8]>>, FormatError> {
    let mut r = Reader::new(bytes);
    r.version("task version", VERSION)?;
    r.task_id()?;
    r.bytes("profile")?;
    r.bytes("payload")?;
    read_state(&mut r)?;
    r.priority()?;
    let flags = r.flags("task flags", FLAGS)?;
    if flags & EXTRA == 0 {
        return Ok(None);
    }
    r.fence()?;
    r.worker_id()?;
    for what in ["started", "attempts", "retries_spent", "version", "submitted", "changed", "touched"] {
        r.varint(what)?;
    }
    if flags & SCHEDULED != 0 {
        r.wall("scheduled")?;
    }
    if flags & IN_RUN != 0 {
        workflow::read_in_run(&mut r)?;
    }
    r.option("labels", Reader::labels)?;
    r.option("key", Reader::key)?;
    for _ in 0..r.varint("attempts")? {
        read_attempt(&mut r)?;
    }
    r.varint32("attempts_dropped")?;
    r.varint32("worker_kills")?;
    r.option("checkpoint", |r| r.bytes("checkpoint").map(drop))?;
    r.option("output", |r| r.shared_bytes("output"))
}

pub(super) fn write(w: &mut Writer<'_>, task: &Task, profiles: &mut EncodedProfiles) {
    w.byte(VERSION);
    w.task_id(task.id);
    profiles.write(w, &task.profile);
    w.bytes(&task.payload);
    write_state(w, &task.state);
    w.priority(task.priority);
    let was_scheduled = task.scheduled > Wall::ZERO && task.status() != Status::Pending;
    w.byte(
        u8::from(task.cancel_requested) * CANCEL_REQUESTED
            + u8::from(task.extra.is_some()) * EXTRA
            + u8::from(task.in_run.is_some()) * IN_RUN
            + u8::from(was_scheduled) * SCHEDULED,
    );
    w.fence(task.fence);
    w.worker_id(task.worker);
    w.wall(task.started);
    w.varint(u64::from(task.attempts));
    w.varint(u64::from(task.retries_spent));
    w.varint(u64::from(task.version));
    w.wall(task.submitted);
    w.wall(task.changed);
    w.varint(task.touched.get());
    if was_scheduled {
        w.wall(task.scheduled);
    }
    if let Some(origin) = &task.in_run {
        workflow::write_in_run(w, origin);
    }
    if let Some(extra) = &task.extra {
        write_extra(w, extra);
    }
}

pub(super) fn read(r: &mut Reader<'_>, profiles: &mut ProfileCache) -> Result<Task, FormatError> {
    r.version("task version", VERSION)?;
    let id = r.task_id()?;
    let profile = profiles.read(r)?;
    let payload = r.shared_bytes("payload")?;
    let state = read_state(r)?;
    let priority = r.priority()?;
    let flags = r.flags("task flags", FLAGS)?;
    let (is_pending, pending_until) = match state {
        TaskState::Pending { due } => (true, due),
        _ => (false, Wall::ZERO),
    };
    Ok(Task {
        id,
        profile,
        payload,
        state,
        priority,
        cancel_requested: flags & CANCEL_REQUESTED != 0,
        fence: r.fence()?,
        worker: r.worker_id()?,
        started: r.wall("started")?,
        attempts: r.varint32("attempts")?,
        retries_spent: r.varint32("retries_spent")?,
        version: r.varint32("version")?,
        submitted: r.wall("submitted")?,
        changed: r.wall("changed")?,
        touched: Seq::new(r.varint("touched")?),
        stored: Soft(false),
        scheduled: if flags & SCHEDULED == 0 { pending_until } else { read_scheduled(r, is_pending)? },
        due: Soft::default(),
        in_run: if flags & IN_RUN == 0 { None } else { Some(Box::new(workflow::read_in_run(r)?)) },
        extra: if flags & EXTRA == 0 { None } else { Some(Box::new(read_extra(r)?)) },
    })
}

/// Only of a task whose state does not have it.
fn read_scheduled(r: &mut Reader<'_>, is_pending: bool) -> Result<Wall, FormatError> {
    let at = r.at();
    let scheduled = r.wall("scheduled")?;
    if is_pending || scheduled == Wall::ZERO {
        return Err(FormatError::bad("scheduled", at, "is written for a task that has none of its own"));
    }
    Ok(scheduled)
}

/// Stands in the place of a status: people see such a task as deferred, but it carries something else.
const WAITING: u8 = 64;

fn write_state(w: &mut Writer<'_>, state: &TaskState) {
    let status = match state.status() {
        Status::Running => Status::Assigned,
        status => status,
    };
    w.byte(if let TaskState::Waiting(_) = state { WAITING } else { status as u8 });
    match state {
        TaskState::Waiting(wait) => wait::write(w, wait),
        TaskState::Pending { due } => w.wall(*due),
        TaskState::RetryWait { due, delayed_by } => {
            w.elapsed(*due);
            retry::write_delayed_by(w, *delayed_by);
        }
        TaskState::Deferred { due } => w.elapsed(*due),
        TaskState::Leased(lease) => write_lease(w, lease),
        TaskState::Queued
        | TaskState::Succeeded
        | TaskState::Failed
        | TaskState::Cancelled
        | TaskState::Skipped
        | TaskState::UpstreamFailed
        | TaskState::Quarantined => {}
    }
}

fn read_state(r: &mut Reader<'_>) -> Result<TaskState, FormatError> {
    if r.peek() == Some(WAITING) {
        r.byte("status")?;
        return Ok(TaskState::Waiting(Box::new(wait::read(r)?)));
    }
    let at = r.at();
    Ok(match r.status()? {
        Status::Pending => TaskState::Pending { due: r.wall("due")? },
        Status::Queued => TaskState::Queued,
        Status::Assigned => TaskState::Leased(Box::new(read_lease(r)?)),
        Status::Running => return Err(FormatError::bad("status", at, "is running, which is never written")),
        Status::RetryWait => {
            TaskState::RetryWait { due: r.elapsed("due")?, delayed_by: retry::read_delayed_by(r)? }
        }
        Status::Deferred => TaskState::Deferred { due: r.elapsed("due")? },
        Status::Succeeded => TaskState::Succeeded,
        Status::Failed => TaskState::Failed,
        Status::Cancelled => TaskState::Cancelled,
        Status::Skipped => TaskState::Skipped,
        Status::UpstreamFailed => TaskState::UpstreamFailed,
        Status::Quarantined => TaskState::Quarantined,
    })
}

fn write_lease(w: &mut Writer<'_>, lease: &Lease) {
    w.fence(lease.fence);
    w.worker_id(lease.worker);
    w.varint(lease.incarnation.get());
    w.elapsed(lease.assigned);
    w.millis(lease.extended);
    w.option(lease.stop, |w, stop| {
        w.byte(stop.reason as u8);
        w.elapsed(stop.requested);
    });
}

fn read_lease(r: &mut Reader<'_>) -> Result<Lease, FormatError> {
    let fence = r.fence()?;
    let worker = r.worker_id()?;
    let incarnation = Incarnation::new(r.varint("incarnation")?);
    let assigned = r.elapsed("assigned")?;
    Ok(Lease {
        fence,
        worker,
        incarnation,
        assigned,
        extended: r.millis("extended")?,
        soft: Soft(LeaseSoft::at(assigned)),
        stop: r.option("stop", |r| {
            Ok(Stop { reason: r.stop_reason()?, requested: r.elapsed("stop requested")? })
        })?,
    })
}

fn write_extra(w: &mut Writer<'_>, extra: &Extra) {
    w.option(extra.labels.as_ref(), |w, labels| w.labels(labels));
    w.option(extra.key.as_ref(), Writer::key);
    w.list(&extra.attempts, write_attempt);
    w.varint(u64::from(extra.attempts_dropped));
    w.varint(u64::from(extra.worker_kills));
    w.option(extra.checkpoint.as_ref(), |w, bytes| w.bytes(bytes));
    w.option(extra.output.as_ref(), |w, bytes| w.bytes(bytes));
    w.option(extra.memory_bytes, Writer::varint);
    w.option(extra.forced.as_ref(), Writer::over);
    w.option(extra.permits.as_ref(), |w, permits| w.permits(permits));
    w.option(extra.window.as_deref(), schedule::write_window);
    w.option(extra.deadline, Writer::wall);
    w.option(extra.details.as_deref(), write_details);
    w.list(&extra.notes, write_note);
}

fn read_extra(r: &mut Reader<'_>) -> Result<Extra, FormatError> {
    Ok(Extra {
        labels: r.option("labels", Reader::labels)?,
        key: r.option("key", Reader::key)?,
        attempts: r.list("attempts", read_attempt)?,
        attempts_dropped: r.varint32("attempts_dropped")?,
        worker_kills: r.varint32("worker_kills")?,
        checkpoint: r.option("checkpoint", |r| r.shared_bytes("checkpoint"))?,
        output: r.option("output", |r| r.shared_bytes("output"))?,
        memory_bytes: r.option("memory_bytes", |r| r.varint("memory_bytes"))?,
        forced: r.option("forced", Reader::over)?,
        permits: r.option("permits", Reader::permits)?,
        window: r.option("window", schedule::read_window)?,
        deadline: r.option("deadline", |r| r.wall("deadline"))?,
        details: r.option("details", read_details)?.map(Box::new),
        notes: r.list("notes", read_note)?,
    })
}

fn write_note(w: &mut Writer<'_>, note: &TaskNote) {
    w.wall(note.at);
    w.byte(note.change as u8);
    w.byte(note.status as u8);
    w.over(&note.over);
}

fn read_note(r: &mut Reader<'_>) -> Result<TaskNote, FormatError> {
    Ok(TaskNote { at: r.wall("note at")?, change: r.task_change()?, status: r.status()?, over: r.over()? })
}

fn write_attempt(w: &mut Writer<'_>, attempt: &AttemptRecord) {
    w.varint(u64::from(attempt.number));
    w.fence(attempt.fence);
    w.worker_id(attempt.worker);
    w.wall(attempt.assigned);
    w.wall(attempt.ended);
    w.failure(&attempt.failure);
    w.byte(attempt.left as u8);
    w.option(attempt.memory_bytes, Writer::varint);
    w.option(attempt.details.as_deref(), write_details);
}

fn read_attempt(r: &mut Reader<'_>) -> Result<AttemptRecord, FormatError> {
    Ok(AttemptRecord {
        number: r.varint32("attempt number")?,
        fence: r.fence()?,
        worker: r.worker_id()?,
        assigned: r.wall("attempt assigned")?,
        ended: r.wall("attempt ended")?,
        failure: r.failure()?,
        left: r.status()?,
        memory_bytes: r.option("attempt memory_bytes", |r| r.varint("attempt memory_bytes"))?,
        details: r.option("attempt details", read_details)?.map(Box::new),
    })
}

pub(super) fn write_details(w: &mut Writer<'_>, details: &AttemptDetails) {
    w.option(details.memory_peak_bytes, Writer::varint);
    w.option(details.cpu_ms, Writer::varint);
    w.option(details.ran_ms, Writer::varint);
    w.option(details.progress.as_deref(), Writer::text);
    w.option(details.waited_for.as_ref(), Writer::name);
}

pub(super) fn read_details(r: &mut Reader<'_>) -> Result<AttemptDetails, FormatError> {
    Ok(AttemptDetails {
        memory_peak_bytes: r.option("memory_peak_bytes", |r| r.varint("memory_peak_bytes"))?,
        cpu_ms: r.option("cpu_ms", |r| r.varint("cpu_ms"))?,
        ran_ms: r.option("ran_ms", |r| r.varint("ran_ms"))?,
        progress: r.option("progress", |r| r.text("progress"))?.map(Into::into),
        waited_for: r.option("waited_for", |r| r.name("waited_for"))?,
    })
}
