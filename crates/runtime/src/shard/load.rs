//! Commands on tasks that memory does not hold: the tables are asked first.

use mainspring_core::decision::Rejection;
use mainspring_core::engine::question::{Diagnosis, Part, Question, Standing};
use mainspring_core::engine::{Answer, ByActor, Command, Keyed};
use mainspring_core::task::{Task, TaskState};
use mainspring_core::values::{Millis, TaskId};
use mainspring_store::StoredTask;
use mainspring_store::format::read_task;

use super::Shard;
use crate::clock::Reading;

impl<R> Shard<R> {
    /// The task that must be looked up before this command can be decided.
    pub(super) fn needs_load(&self, command: &Command) -> Option<TaskId> {
        let id = match command {
            Command::Keyed(keyed) => {
                // A key that is known is answered from, whatever became of the task.
                return if self.knows(keyed) { None } else { self.needs_load(&keyed.command) };
            }
            Command::ByActor(by) => return self.needs_load(&by.command),
            Command::Cancel { id, .. }
            | Command::Amend { id, .. }
            | Command::RunNow { id }
            | Command::Force { id, .. }
            | Command::Revive { id, fact: None, .. }
            | Command::Discard { id, fact: None, .. }
            | Command::Read { id }
            | Command::Ask(Question::Why { id }) => *id,
            Command::Quarantine(_) => {
                let row = Self::to_release(command).filter(|row| self.is_quarantined(row))?;
                row.parse().ok()?
            }
            Command::Submit(submit) if submit.resent && submit.key.is_none() => submit.id,
            Command::Submit(_)
            | Command::Revive { fact: Some(_), .. }
            | Command::Discard { fact: Some(_), .. }
            | Command::Bulk(_)
            | Command::CancelOperation { .. }
            | Command::Remember { .. }
            | Command::ContinueOperation { .. }
            | Command::Report(_)
            | Command::Session(_)
            | Command::Configure(_)
            | Command::Cordon(_)
            | Command::Run(_)
            | Command::Schedule(_)
            | Command::Backfill(_)
            | Command::Publish(_)
            | Command::Ask(_) => return None,
        };
        self.engine.state().tasks().find(id).is_none().then_some(id)
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
                Ok(task) => self.on_parked(command, task),
                Err(error) => Err(self.quarantine(row.id, error)),
            },
            Some(StoredTask::Ended(row)) => match read_task(&row.bytes, &mut self.profiles_in) {
                Ok(task) => self.on_ended(command, task),
                Err(error) => Err(self.quarantine(row.id, error)),
            },
        };
        self.hold_answer(reply, vec![result]);
    }

    pub(super) fn knows(&self, keyed: &Keyed) -> bool {
        let (claim, fact) = keyed.key;
        self.engine.state().keys().known(claim.scope, fact).is_some()
    }

    /// Who only looks does not bring the task into memory: it would stay there until it changes.
    fn on_parked(&mut self, command: Command, parked: Task) -> Result<Answer, Rejection> {
        let absent = self.engine.state().tasks().find(parked.id).is_none();
        match (command, &parked.state) {
            (Command::Read { .. }, _) if absent => Ok(Answer::Task(Some(Box::new(parked)))),
            (Command::Ask(Question::Why { id }), TaskState::Pending { due }) if absent => {
                let standing = Standing::WaitsForTime { due: *due };
                let (status, holders) = (parked.status(), Vec::new());
                let diagnosis = Diagnosis { id, status, part: None, standing, holders };
                Ok(Answer::Diagnosis(Box::new(diagnosis)))
            }
            (_, state) if absent && !matches!(state, TaskState::Pending { .. }) => {
                // Only pending tasks leave memory: a newer owner wrote this row, as the next append will tell.
                Err(Rejection::StoreUnavailable { retry_after: Millis::from_secs(1) })
            }
            (command, _) => {
                self.engine.page_in(parked);
                self.handle(command)
            }
        }
    }

    fn on_ended(&mut self, command: Command, ended: Task) -> Result<Answer, Rejection> {
        if self.engine.state().tasks().find(ended.id).is_some() {
            return self.handle(command);
        }
        match command {
            Command::Read { .. } => Ok(Answer::Task(Some(Box::new(ended)))),
            Command::Ask(Question::Why { id }) => {
                let job_runs = self.engine.state().job_runs();
                let part = ended.in_run.as_ref().map(|origin| Part::of(origin, job_runs.run(origin.run)));
                let (status, holders) = (ended.status(), Vec::new());
                let diagnosis = Diagnosis { id, status, part, standing: Standing::Ended, holders };
                Ok(Answer::Diagnosis(Box::new(diagnosis)))
            }
            command @ Command::Quarantine(_) => self.handle(command),
            // Sent again after its answer was lost, and done since.
            Command::Submit(_) => Ok(Answer::AlreadySubmitted { id: ended.id }),
            Command::Keyed(keyed) if self.knows(&keyed) => self.handle(Command::Keyed(keyed)),
            Command::Keyed(keyed) => {
                let Keyed { key, command } = *keyed;
                match with_fact(command, ended) {
                    Ok(command) => self.handle(Command::Keyed(Box::new(Keyed { key, command }))),
                    Err(refusal) => Err(refusal),
                }
            }
            command => self.handle(with_fact(command, ended)?),
        }
    }
}

/// Commands on ended tasks get the task with them; all others come too late.
fn with_fact(command: Command, ended: Task) -> Result<Command, Rejection> {
    match command {
        Command::Revive { id, over, dead_only, .. } => {
            Ok(Command::Revive { id, fact: Some(Box::new(ended)), over, dead_only })
        }
        Command::Discard { id, over, .. } => Ok(Command::Discard { id, fact: Some(Box::new(ended)), over }),
        Command::ByActor(by) => {
            let ByActor { over, command } = *by;
            let command = with_fact(command, ended)?;
            Ok(Command::ByActor(Box::new(ByActor { over, command })))
        }
        _ => Err(Rejection::TaskAlreadyEnded { id: ended.id, status: ended.status() }),
    }
}
