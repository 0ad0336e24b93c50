//! What is done about a decision that panicked: its task, run, schedule or backfill ends or pauses with an error, so that
//! nobody tries it again for ever. Nothing is evaluated here.

use super::decide::PanicSubject;
use super::{Batch, Engine};
use crate::backfill::BackfillEvent;
use crate::event::{AfterFailure, Event};
use crate::run::{RunEnded, RunEvent};
use crate::schedule::ScheduleEvent;
use crate::task::{Status, Task, TaskState};
use crate::values::{
    Actor, BackfillId, Failure, FailureClass, Name, RunIndex, RunStatus, ScheduleId, TaskId,
};
use crate::wait::WaitEnd;

/// What people read in the task or run that ended by it.
fn reason(message: &str) -> String {
    format!("internal error (INTERNAL): the server panicked while it decided this: {message}")
}

fn over(message: &str) -> Actor {
    let text: String = reason(message).chars().filter(|c| !c.is_control()).take(50).collect();
    Actor { actor: Name::fixed("mainspring"), reason: Name::new(&text).unwrap_or_default() }
}

/// How a task ends about which nothing can be decided.
fn end_of(task: &Task, message: &str) -> Event {
    let id = task.id;
    let failure = Failure::new(FailureClass::Permanent, 0, &reason(message));
    match &task.state {
        TaskState::Leased(lease) => {
            let (fence, then) = (lease.fence, AfterFailure::Fail);
            Event::AttemptFailed { id, fence, failure, then, reported: false }
        }
        TaskState::Waiting(_) => Event::WaitEnded { id, end: WaitEnd::Failed(Box::new(failure)) },
        TaskState::Queued if task.profile.waits() => {
            Event::WaitEnded { id, end: WaitEnd::Failed(Box::new(failure)) }
        }
        _ => Event::TaskForced { id, status: Status::Failed, over: over(message), reported: true },
    }
}

impl Engine {
    pub(super) fn fail_task(&mut self, id: TaskId, message: &str, batch: &mut Batch) {
        let _ = self.look(PanicSubject::Task(id), batch, |view, out| {
            let task = view.state.tasks.by_id(id).filter(|task| !task.status().is_ended());
            out.extend(task.map(|task| end_of(task, message)));
        });
    }

    /// The run ends as failed: what is out is stopped first, if that can be decided.
    pub(super) fn fail_run(&mut self, index: RunIndex, message: &str, batch: &mut Batch) {
        let Some(run) = self.state.job_runs.runs.get(index).filter(|run| !run.status.is_ended()) else {
            return;
        };
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
        self.commit_one(Event::Run(event), batch);
    }

    /// It begins nothing more until somebody has looked at it.
    pub(super) fn pause_schedule(&mut self, id: ScheduleId, batch: &mut Batch) {
        self.commit_one(Event::Schedule(ScheduleEvent::Paused { id, paused: true }), batch);
    }

    /// As [`Self::pause_schedule`].
    pub(super) fn pause_backfill(&mut self, id: BackfillId, batch: &mut Batch) {
        self.commit_one(Event::Backfill(BackfillEvent::Paused { id, paused: true }), batch);
    }
}
