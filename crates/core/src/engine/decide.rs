//! Every decision goes through here: a rule reads a view of the engine and adds to the record being built; what it added
//! is applied when it has returned.
//! - GD-1 a refusal, or a panic, takes back what the rule added and nothing else
//! - GD-2 nothing is applied inside of a rule: a panic while an event is applied is not caught, because memory may then
//!   differ from the journal, and the shard stops

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::{Batch, Engine};
use crate::decision::{Mark, Out, Rejection, View};
use crate::task::next_deadline;
use crate::values::{BackfillId, RunId, ScheduleId, TaskId, TriggerId};

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
            Self::Upkeep => f.write_str("upkeep"),
        }
    }
}

/// Why nothing was decided.
pub(super) enum Undecided {
    Refused(Rejection),
    /// With its message.
    Panicked(Arc<str>),
}

impl Undecided {
    /// What whoever asked is told.
    pub(super) fn rejection(self) -> Rejection {
        match self {
            Self::Refused(rejection) => rejection,
            Self::Panicked(_) => {
                Rejection::Internal { what: "the decision panicked; the log of the server says where" }
            }
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> Arc<str> {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    text.chars().take(MESSAGE_CHARS_MAX).collect::<String>().into()
}

/// Borrows single fields: what a rule may change lies beside what it reads.
macro_rules! view {
    ($engine:expr) => {
        View {
            state: &$engine.state,
            dispatcher: &$engine.dispatcher,
            wait_index: &$engine.wait_index,
            limits: &$engine.config.limits,
            pressure: $engine.pressure,
            late: $engine.present.since($engine.state.now.elapsed),
            breaks: $engine.config.breaks,
            evaluate: &*$engine.evaluate,
        }
    };
}

impl Engine {
    /// Decides, and applies what was decided.
    pub(super) fn decide<T>(
        &mut self,
        subject: PanicSubject,
        batch: &mut Batch,
        rule: impl FnOnce(&View<'_>, &mut Out<'_>) -> Result<T, Rejection>,
    ) -> Result<T, Undecided> {
        let from = batch.events.len();
        let decided = self.rule(subject, batch, rule)?;
        self.commit(batch, from);
        Ok(decided)
    }

    /// A decision that cannot be refused; the error is the message of a panic.
    pub(super) fn look<T>(
        &mut self,
        subject: PanicSubject,
        batch: &mut Batch,
        rule: impl FnOnce(&View<'_>, &mut Out<'_>) -> T,
    ) -> Result<T, Arc<str>> {
        self.decide(subject, batch, |view, out| Ok(rule(view, out))).map_err(|undecided| match undecided {
            Undecided::Panicked(message) => message,
            Undecided::Refused(_) => unreachable!("GD-1: a look refuses nothing"),
        })
    }

    /// Decides without applying: the caller commits.
    pub(super) fn rule<T>(
        &mut self,
        subject: PanicSubject,
        batch: &mut Batch,
        rule: impl FnOnce(&View<'_>, &mut Out<'_>) -> Result<T, Rejection>,
    ) -> Result<T, Undecided> {
        let before = (batch.events.len(), batch.effects.len());
        let view = view!(self);
        let lists = (&mut batch.events, &mut batch.effects, &mut self.marks);
        let mut out = Out::new(lists, &mut self.retry_state, &mut self.pace);
        let decided = catch_unwind(AssertUnwindSafe(|| rule(&view, &mut out)));
        let undecided = match decided {
            Ok(Ok(decided)) => {
                if !self.marks.is_empty() {
                    self.note_marks();
                }
                return Ok(decided);
            }
            Ok(Err(rejection)) => Undecided::Refused(rejection),
            Err(panic) => Undecided::Panicked(self.note_panic(subject, message(&*panic))),
        };
        batch.events.truncate(before.0);
        batch.effects.truncate(before.1);
        self.marks.clear();
        Err(undecided)
    }

    /// What changes nothing of the state, or only what is kept in memory. A panic in it is refused.
    pub(super) fn guard<T>(
        &mut self,
        subject: PanicSubject,
        work: impl FnOnce(&mut Self) -> Result<T, Rejection>,
    ) -> Result<T, Rejection> {
        let done = catch_unwind(AssertUnwindSafe(|| work(self)));
        done.unwrap_or_else(|panic| {
            Err(Undecided::Panicked(self.note_panic(subject, message(&*panic))).rejection())
        })
    }

    fn note_marks(&mut self) {
        for mark in std::mem::take(&mut self.marks) {
            match mark {
                Mark::AwaitsJobs { run, node } => self.state.job_runs.await_jobs(run, node),
                Mark::CheckpointHeld { task, checkpoint } => {
                    let Some(index) = self.state.tasks.find(task) else { continue };
                    let Some(task) = self.state.tasks.get_mut(index) else { continue };
                    if let Some(lease) = task.state.lease_mut() {
                        lease.soft.pending_checkpoint = Some(checkpoint);
                        self.timers.set(index, next_deadline(task));
                    }
                }
            }
        }
    }

    /// Decisions that panicked since this was last asked, for the log; of very many only the first.
    pub fn take_panics(&mut self) -> Vec<Panicked> {
        std::mem::take(&mut self.panics)
    }

    fn note_panic(&mut self, subject: PanicSubject, message: Arc<str>) -> Arc<str> {
        self.counts.panics += 1;
        if self.panics.len() < KEPT_MAX {
            self.panics.push(Panicked { subject, message: message.clone() });
        }
        message
    }

    /// What a decision would read; for questions, which decide nothing.
    pub(super) fn view(&self) -> View<'_> {
        view!(self)
    }
}
