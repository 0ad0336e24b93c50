//! The panic boundary. A decision that panics is taken back and counted: its command is refused, or its task, run or
//! schedule is ended with an error, so that nobody tries it again for ever.
//! - GD-1 a panic while an event is applied is passed on: memory may then differ from the journal, and the shard stops
//! - GD-2 what was applied before the panic stays, in memory and in the record; events that were only decided go, and so do
//!   effects that nothing applied asks for

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use super::command::Command;
use super::{Batch, Engine};
use crate::backfill::BackfillEvent;
use crate::decision::{Effect, ReportVerdict};
use crate::event::{AfterFailure, Event};
use crate::run::{RunEnded, RunEvent};
use crate::schedule::ScheduleEvent;
use crate::task::decide::Report;
use crate::task::{Status, TaskState};
use crate::values::{
    Actor, BackfillId, Failure, FailureClass, Fence, Name, OperationId, RunId, RunIndex, RunStatus,
    ScheduleId, Session, TaskId, TaskIndex, TriggerId, WorkerId,
};
use crate::wait::WaitEnd;

/// Panics that are kept for the log until somebody asks; those beyond are only counted.
const KEPT_MAX: usize = 100;
/// Of a message.
const MESSAGE_CHARS_MAX: usize = 300;

/// Where a decision panicked, for the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Panicked {
    pub subject: PanicSubject,
    pub message: Arc<str>,
}

/// What was being decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PanicSubject {
    Command(&'static str),
    Task(TaskId),
    Run(RunId),
    Trigger(TriggerId),
    Schedule(ScheduleId),
    Backfill(BackfillId),
    Operation(OperationId),
    /// The server's own watchdog or the start of runs that waited.
    Upkeep,
}

impl fmt::Display for PanicSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(name) => write!(f, "command {name}"),
            Self::Task(id) => write!(f, "task {id}"),
            Self::Run(id) => write!(f, "run {id}"),
            Self::Trigger(id) => write!(f, "{id}"),
            Self::Schedule(id) => write!(f, "{id}"),
            Self::Backfill(id) => write!(f, "backfill {id}"),
            Self::Operation(id) => write!(f, "process {}", id.get()),
            Self::Upkeep => f.write_str("upkeep"),
        }
    }
}

/// What is done about a command that panicked, besides refusing it.
pub(super) enum Remedy {
    None,
    /// The attempt fails; the worker forgets the report.
    Report {
        task: TaskId,
        fence: Fence,
        worker: WorkerId,
        session: Session,
    },
    Operation(OperationId),
}

impl Remedy {
    pub(super) fn of(command: &Command) -> Self {
        match command {
            Command::Report(report) => {
                let Report { task, fence, worker, session, .. } = **report;
                Self::Report { task, fence, worker, session }
            }
            Command::ContinueOperation { id, .. } => Self::Operation(*id),
            _ => Self::None,
        }
    }
}

/// What people read in the task or run that ended by it.
fn reason(message: &str) -> String {
    format!("internal error (INTERNAL): the server panicked while it decided this: {message}")
}

fn over(message: &str) -> Actor {
    let text: String = reason(message).chars().filter(|c| !c.is_control()).take(50).collect();
    Actor { actor: Name::fixed("mainspring"), reason: Name::new(&text).unwrap_or_default() }
}

fn message(panic: &(dyn Any + Send)) -> Arc<str> {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    text.chars().take(MESSAGE_CHARS_MAX).collect::<String>().into()
}

impl Engine {
    /// Decisions that panicked since this was last asked, for the log; of very many only the first.
    pub fn take_panics(&mut self) -> Vec<Panicked> {
        std::mem::take(&mut self.panics)
    }

    /// Whether an event was being applied when a panic ended it all.
    pub fn is_applying(&self) -> bool {
        self.is_applying
    }

    /// Runs a decision. A panic in it is its error, unless an event was being applied.
    pub(super) fn guard<T>(
        &mut self,
        subject: PanicSubject,
        batch: &mut Batch,
        work: impl FnOnce(&mut Self, &mut Batch) -> T,
    ) -> Result<T, Arc<str>> {
        let entry = (batch.events.len(), batch.effects.len());
        let kept = std::mem::replace(&mut self.kept, entry);
        let done = catch_unwind(AssertUnwindSafe(|| work(&mut *self, &mut *batch)));
        let done = done.map_err(|panic| {
            if self.is_applying {
                resume_unwind(panic);
            }
            batch.events.truncate(self.kept.0);
            batch.effects.truncate(self.kept.1);
            self.note_panic(subject, message(&*panic))
        });
        if self.kept == entry {
            self.kept = kept;
        }
        done
    }

    fn note_panic(&mut self, subject: PanicSubject, message: Arc<str>) -> Arc<str> {
        self.counts.panics += 1;
        if self.panics.len() < KEPT_MAX {
            self.panics.push(Panicked { subject, message: message.clone() });
        }
        message
    }

    /// As [`Self::guard`], for a decision about one task, which fails if it panics.
    pub(super) fn guard_task(
        &mut self,
        index: TaskIndex,
        batch: &mut Batch,
        work: impl FnOnce(&mut Self, &mut Batch),
    ) {
        let Some(id) = self.state.tasks.get(index).map(|task| task.id) else { return };
        let subject = PanicSubject::Task(id);
        if let Err(message) = self.guard(subject, batch, work) {
            let _ = self.guard(subject, batch, |engine, batch| engine.fail_task(id, &message, batch));
        }
    }

    fn fail_task(&mut self, id: TaskId, message: &str, batch: &mut Batch) {
        let Some(index) = self.state.tasks.find(id) else { return };
        let Some(task) = self.state.tasks.get(index).filter(|task| !task.status().is_ended()) else { return };
        let failure = Failure::new(FailureClass::Permanent, 0, &reason(message));
        let event = match &task.state {
            TaskState::Assigned(lease) | TaskState::Running(lease) => {
                let (fence, then) = (lease.fence, AfterFailure::Fail);
                Event::AttemptFailed { id, fence, failure, then, reported: false }
            }
            TaskState::Waiting(_) => Event::WaitEnded { id, end: WaitEnd::Failed(Box::new(failure)) },
            TaskState::Queued if task.profile.waits() => {
                Event::WaitEnded { id, end: WaitEnd::Failed(Box::new(failure)) }
            }
            _ => Event::TaskForced { id, status: Status::Failed, over: over(message), reported: true },
        };
        self.commit_one(event, batch);
    }

    /// The run ends as failed: what is out is stopped first, if that can be decided.
    pub(super) fn fail_run(&mut self, index: RunIndex, message: &str, batch: &mut Batch) {
        let Some(run) = self.state.flows.runs.get(index).filter(|run| !run.status.is_ended()) else { return };
        let id = run.id;
        let event = if run.status == RunStatus::Running && run.forced.is_none() {
            RunEvent::RunForced { id, status: RunStatus::Failed, over: over(message) }
        } else if run.out == 0 {
            let why = Some(reason(message).into());
            RunEvent::RunEnded(Box::new(RunEnded { id, status: RunStatus::Failed, output: None, why }))
        } else {
            // Its tasks were told to stop; the end of the last one comes here again.
            return;
        };
        let subject = PanicSubject::Run(id);
        let _ = self.guard(subject, batch, |engine, batch| engine.commit_one(Event::Run(event), batch));
    }

    /// It begins nothing more until somebody has looked at it.
    pub(super) fn guard_schedule(
        &mut self,
        id: ScheduleId,
        batch: &mut Batch,
        work: impl FnOnce(&mut Self, &mut Batch),
    ) {
        if self.guard(PanicSubject::Schedule(id), batch, work).is_err() {
            let paused = Event::Schedule(ScheduleEvent::Paused { id, paused: true });
            self.commit_one(paused, batch);
        }
    }

    /// As [`Self::guard_schedule`].
    pub(super) fn guard_backfill(
        &mut self,
        id: BackfillId,
        batch: &mut Batch,
        work: impl FnOnce(&mut Self, &mut Batch),
    ) {
        if self.guard(PanicSubject::Backfill(id), batch, work).is_err() {
            let paused = Event::Backfill(BackfillEvent::Paused { id, paused: true });
            self.commit_one(paused, batch);
        }
    }

    pub(super) fn remedy(&mut self, remedy: &Remedy, message: &str, batch: &mut Batch) {
        match *remedy {
            Remedy::None => {}
            Remedy::Operation(id) => {
                if self.state.operations.bulk(id).is_some() {
                    self.commit_one(Event::OperationEnded { id }, batch);
                }
            }
            Remedy::Report { task, fence, worker, session } => {
                let held = self.state.tasks.by_id(task).and_then(|task| task.lease());
                if held.is_some_and(|lease| lease.fence == fence) {
                    let subject = PanicSubject::Task(task);
                    let _ =
                        self.guard(subject, batch, |engine, batch| engine.fail_task(task, message, batch));
                }
                let verdict = ReportVerdict::Stale;
                batch.effects.push(Effect::Acknowledge { worker, session, task, fence, verdict });
            }
        }
    }
}
