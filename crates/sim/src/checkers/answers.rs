//! Answers to callers at the moment they are given out: what they say must be in the committed journal.

use mainspring_core::decision::Rejection;
use mainspring_core::engine::Answer;
use mainspring_core::key::{KeyClaim, KeyHolder};
use mainspring_core::run::RunRefusal;
use mainspring_core::run::decide::RunAnswer;
use mainspring_core::task::{Status, Task};
use mainspring_core::values::{JobId, Revision, RunId, TaskId};

use super::{Check, Checkers, RunFacts, require};

/// What was asked, as far as an answer is judged by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    Submit {
        id: TaskId,
        key: Option<KeyClaim>,
    },
    Cancel {
        id: TaskId,
    },
    Amend {
        id: TaskId,
    },
    RunNow {
        id: TaskId,
    },
    Force {
        id: TaskId,
    },
    Revive {
        id: TaskId,
    },
    Discard {
        id: TaskId,
    },
    Read {
        id: TaskId,
    },
    Trigger {
        id: RunId,
        key: Option<KeyClaim>,
    },
    Rerun {
        id: RunId,
    },
    CancelRun {
        id: RunId,
    },
    ForceRun {
        id: RunId,
    },
    ClearRun {
        id: RunId,
    },
    Approve {
        id: RunId,
        approved: bool,
    },
    PauseRun {
        id: RunId,
    },
    ReadRun {
        id: RunId,
    },
    /// The first of the jobs that are applied.
    Apply {
        id: JobId,
        seen: Revision,
    },
    Other,
}

impl Asked {
    /// The run that must be there for this.
    pub fn run(self) -> Option<RunId> {
        match self {
            Self::CancelRun { id }
            | Self::ForceRun { id }
            | Self::ClearRun { id }
            | Self::Approve { id, .. }
            | Self::PauseRun { id }
            | Self::ReadRun { id } => Some(id),
            _ => None,
        }
    }
}

/// What the caller may conclude.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    Ok,
    Fail,
}

impl Checkers {
    /// `newest`: the answering owner still owns the shard; `acked`: the task was acknowledged before this was asked.
    pub fn answered(
        &self,
        asked: Asked,
        result: &Result<Answer, Rejection>,
        (newest, acked): (bool, bool),
    ) -> Result<Told, super::Broken> {
        match result {
            Ok(answer) => self.ok(asked, answer, newest && acked && self.rules.history)?,
            Err(rejection) => {
                self.refused(asked, rejection, newest && acked && self.rules.history)?;
                return Ok(Told::Fail);
            }
        }
        Ok(Told::Ok)
    }

    fn ok(&self, asked: Asked, answer: &Answer, must_be_known: bool) -> Check {
        match (asked, answer) {
            (Asked::Submit { id, .. }, Answer::Submitted { id: told, .. }) => {
                require(id == *told && self.journal.task(id).is_some(), "I1", || {
                    format!("{id} was acknowledged and is not in the journal")
                })
            }
            (Asked::Submit { key, .. }, Answer::AlreadySubmitted { id }) => {
                let task = self.journal.task(*id);
                require(task.is_some(), "I1", || {
                    format!("{id} was acknowledged again and is not in the journal")
                })?;
                let bound = task.and_then(|task| task.extra.as_ref()).and_then(|extra| extra.key);
                require(
                    key.is_none_or(|claim| bound.is_some_and(|bound| bound.request == claim.request)),
                    "I3",
                    || format!("{id} was given as the answer to another request under its key"),
                )
            }
            (Asked::Read { id }, Answer::Task(found)) => self.read(id, found.as_deref(), must_be_known),
            (Asked::Cancel { id }, Answer::Now { .. }) => {
                self.durable(id, "cancelled", |facts| facts.cancelled)
            }
            (Asked::Cancel { id }, Answer::Stopping { .. }) => {
                self.durable(id, "asked to stop", |facts| facts.stop_requested)
            }
            (Asked::Amend { id }, _) => self.durable(id, "amended", |facts| facts.amended),
            (Asked::Force { id }, _) => self.durable(id, "forced", |facts| facts.forced),
            (Asked::Discard { id }, _) => {
                self.durable(id, "discarded", |facts| facts.forced || facts.skipped)
            }
            (Asked::Revive { id }, _) => self.durable(id, "revived", |facts| facts.revivals > 0),
            (asked, Answer::Run(answer)) => self.ok_flow(asked, answer, must_be_known),
            _ => Ok(()),
        }
    }

    fn ok_flow(&self, asked: Asked, answer: &RunAnswer, must_be_known: bool) -> Check {
        let there = |id: RunId, what: &str, is: &dyn Fn(&RunFacts) -> bool| {
            require(self.journal.flows.run(id).is_some_and(is), "I1", || {
                format!("{id} was answered as {what}, the journal does not say so")
            })
        };
        match (asked, answer) {
            (Asked::Apply { id, seen }, RunAnswer::JobsApplied(stored)) => match stored.first() {
                Some(stored) => self.journal.flows.job_changed(id, seen, *stored),
                None => Ok(()),
            },
            (Asked::Trigger { id, .. } | Asked::Rerun { id }, RunAnswer::Run { id: told, .. }) => {
                there(*told, "begun", &|_| *told == id)
            }
            (Asked::Trigger { key, .. }, RunAnswer::AlreadyTriggered { id }) => {
                there(*id, "begun before", &|_| true)?;
                let bound = self.journal.flows.run(*id).and_then(|run| run.key);
                let same = key.is_none_or(|claim| bound.is_some_and(|bound| bound.request == claim.request));
                require(same, "I3", || {
                    format!("{id} was given as the answer to another request under its key")
                })
            }
            (Asked::CancelRun { id }, _) => {
                there(id, "cancelled", &|run| run.ever_stopped || run.ever_forced || run.ever_cancelled)
            }
            (Asked::ForceRun { id }, _) => there(id, "forced", &|run| run.ever_forced),
            (Asked::Approve { id, approved }, _) => {
                there(id, "decided upon", &|run| run.ever_decided[usize::from(approved)])
            }
            (Asked::ClearRun { id }, _) => there(id, "cleared", &|run| run.ever_cleared),
            (Asked::ReadRun { id }, RunAnswer::Found(None)) => {
                require(!must_be_known, "I1", || format!("{id} was acknowledged and cannot be read"))
            }
            (Asked::ReadRun { id }, RunAnswer::Found(Some(run))) => {
                let known = self.journal.state.job_runs().run(id);
                let past = known.is_some_and(|known| known.touched >= run.touched);
                require(past, "I1", || format!("{id} was read as of {}, the journal has less", run.touched))
            }
            _ => Ok(()),
        }
    }

    fn durable(&self, id: TaskId, what: &str, is: impl Fn(&super::Facts) -> bool) -> Check {
        require(self.journal.facts(id).is_some_and(is), "I1", || {
            format!("{id} was answered as {what}, the journal does not say so")
        })
    }

    fn read(&self, id: TaskId, found: Option<&Task>, must_be_known: bool) -> Check {
        let Some(found) = found else {
            return require(!must_be_known, "I1", || format!("{id} was acknowledged and cannot be read"));
        };
        let Some(known) = self.journal.task(id) else {
            return require(false, "I2", || format!("{id} was read and is not in the journal"));
        };
        require(found.version <= known.version, "I1", || {
            format!("{id} was read at version {}, the journal has {}", found.version, known.version)
        })?;
        // A version has one state; what does not change the state may have been added since, within one record.
        let settled = |task: &Task| if task.lease().is_some() { Status::Assigned } else { task.status() };
        let same = found.version != known.version || settled(found) == settled(known);
        require(same, "I16", || format!("{id} was read as {found:?}, the journal has {known:?}"))
    }

    fn refused(&self, asked: Asked, rejection: &Rejection, must_be_known: bool) -> Check {
        match (asked, rejection) {
            (
                Asked::Submit { key: Some(claim), .. },
                Rejection::KeyReused { existing: KeyHolder::Task(existing) },
            ) => {
                let task = self.journal.task(*existing);
                require(task.is_some(), "I1", || {
                    format!("{existing} is named as a key's task and is not there")
                })?;
                let bound = task.and_then(|task| task.extra.as_ref()).and_then(|extra| extra.key);
                require(bound.is_some_and(|bound| bound.request != claim.request), "I3", || {
                    format!("the same request was refused as different from {existing}")
                })
            }
            (
                Asked::Cancel { id }
                | Asked::Amend { id }
                | Asked::RunNow { id }
                | Asked::Force { id }
                | Asked::Revive { id }
                | Asked::Discard { id },
                Rejection::TaskNotFound { .. },
            ) => require(!must_be_known, "I1", || format!("{id} was acknowledged and cannot be found")),
            (
                Asked::Trigger { key: Some(claim), .. },
                Rejection::KeyReused { existing: KeyHolder::Run(existing) },
            ) => self.other_request(*existing, claim),
            (asked, Rejection::Run(refusal)) => match (&**refusal, asked.run()) {
                (RunRefusal::LogicalTimeReused { existing }, _) => match asked {
                    Asked::Trigger { key: Some(claim), .. } => self.other_request(*existing, claim),
                    _ => require(false, "I3", || format!("{asked:?} was refused for {existing}")),
                },
                (RunRefusal::RunNotFound { id }, Some(_)) => {
                    require(!must_be_known, "I1", || format!("{id} was acknowledged and cannot be found"))
                }
                _ => Ok(()),
            },
            (_, Rejection::Internal { what }) => {
                require(false, "I15", || format!("{asked:?} was refused as internal: {what}"))
            }
            _ => Ok(()),
        }
    }

    fn other_request(&self, existing: RunId, claim: KeyClaim) -> Check {
        let bound = self.journal.flows.run(existing).and_then(|run| run.key);
        require(bound.is_some_and(|bound| bound.request != claim.request), "I3", || {
            format!("the same request was refused as different from {existing}")
        })
    }

    /// At the end: a submission that was certainly refused is nowhere.
    pub fn never_accepted(&self, id: TaskId) -> Check {
        require(self.journal.task(id).is_none(), "I2", || format!("{id} was refused and is in the journal"))
    }

    /// At the end: what was acknowledged is there and has ended.
    pub fn accounted_for(&self, id: TaskId) -> Check {
        let status = self.journal.task(id).map(Task::status);
        require(status.is_some_and(Status::is_ended), "I1", || {
            format!("{id} was acknowledged and is {status:?}")
        })
    }
}
