//! Commands on tasks that memory does not hold: the tables are asked first.

use mainspring_core::command::{Answer, Command, Rejection};
use mainspring_core::id::TaskId;
use mainspring_core::question::{Diagnosis, Question, Standing};
use mainspring_core::task::Task;
use mainspring_store::StoredTask;
use mainspring_store::format::read_task;

use super::{Shard, StopCause};
use crate::clock::Reading;

impl<R> Shard<R> {
    /// The task that must be looked up before this command can be decided.
    pub(super) fn needs_load(&self, command: &Command) -> Option<TaskId> {
        let id = match command {
            Command::Cancel { id, .. }
            | Command::Amend { id, .. }
            | Command::RunNow { id }
            | Command::Force { id, .. }
            | Command::Revive { id, fact: None, .. }
            | Command::Read { id }
            | Command::Ask(Question::Why { id }) => *id,
            Command::Submit(_)
            | Command::Revive { fact: Some(_), .. }
            | Command::BulkCancel { .. }
            | Command::ContinueProcess { .. }
            | Command::Report(_)
            | Command::Session(_)
            | Command::Configure(_)
            | Command::Ask(_) => return None,
        };
        self.machine.state().tasks().find(id).is_none().then_some(id)
    }

    /// What the tables had for a command that asked for it. Memory still wins: the task may have come back since.
    pub fn loaded(&mut self, command: Command, reply: R, found: Option<StoredTask>, reading: Reading) {
        if self.stopped {
            return;
        }
        self.refresh(reading);
        let result = match found {
            None => self.handle(command),
            Some(StoredTask::Live(row)) => match read_task(&row.bytes, &mut self.profiles_in) {
                Ok(task) => {
                    self.machine.page_in(task);
                    self.handle(command)
                }
                Err(error) => return self.stop(StopCause::Apply(format!("row of {}: {error}", row.id))),
            },
            Some(StoredTask::Ended(row)) => match read_task(&row.bytes, &mut self.profiles_in) {
                Ok(task) => self.on_ended(command, task),
                // Nothing that is still to be done depends on it.
                Err(_) => Err(Rejection::Internal { what: "the row of this ended task is damaged" }),
            },
        };
        self.hold_answer(reply, vec![result]);
    }

    fn on_ended(&mut self, command: Command, ended: Task) -> Result<Answer, Rejection> {
        if self.machine.state().tasks().find(ended.id).is_some() {
            return self.handle(command);
        }
        match command {
            Command::Read { .. } => Ok(Answer::Task(Some(Box::new(ended)))),
            Command::Ask(Question::Why { id }) => {
                let diagnosis = Diagnosis { id, status: ended.status(), standing: Standing::Ended };
                Ok(Answer::Diagnosis(Box::new(diagnosis)))
            }
            // Sent again after its answer was lost, and done since.
            Command::Submit(_) => Ok(Answer::AlreadySubmitted { id: ended.id }),
            Command::Revive { id, over, .. } => {
                self.handle(Command::Revive { id, fact: Some(Box::new(ended)), over })
            }
            _ => Err(Rejection::TaskAlreadyEnded { id: ended.id, status: ended.status() }),
        }
    }
}
