//! What a decision may look at.

use super::rejection::Rejection;
use crate::dispatch::Dispatcher;
use crate::job::{Job, JobKey};
use crate::run::RunRefusal;
use crate::state::State;
use crate::task::Task;
use crate::values::{Breaks, Limits, Millis, Pressure, TaskId};

/// What a decision may look at.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub state: &'a State,
    pub dispatcher: &'a Dispatcher,
    pub limits: &'a Limits,
    pub pressure: Pressure,
    /// How long ago the record being built, and with it `state.now`, was begun.
    pub late: Millis,
    pub breaks: Breaks,
}

impl<'a> View<'a> {
    pub(crate) fn task(&self, id: TaskId) -> Result<&'a Task, Rejection> {
        self.state.tasks().by_id(id).ok_or(Rejection::TaskNotFound { id })
    }

    /// A deleted job is not found, save by who reads it.
    pub(crate) fn job(&self, key: &JobKey) -> Result<&'a Job, Rejection> {
        let job = self.state.flows().jobs().get(key).filter(|job| job.deleted.is_none());
        job.ok_or_else(|| RunRefusal::JobNotFound { key: key.clone() }.into())
    }
}
