//! Who changed a job, a schedule or a run, and why: in the server's log, and noted with the job or run if somebody said so.

use std::fmt::Display;

use mainspring_core::run::decide::{RunCommand, Signed};
use mainspring_core::values::Actor;

use crate::problem::Problem;
use crate::wire::OverrideBody;

/// A change that somebody asked for, said once it is done.
pub(in crate::operation) struct Change {
    what: &'static str,
    over: Actor,
    /// An actor or a reason came with it.
    given: bool,
}

impl Change {
    /// Checked before anything happens.
    pub(in crate::operation) fn by(what: &'static str, over: &OverrideBody) -> Result<Self, Problem> {
        let given = over.actor.is_some() || over.reason.is_some();
        Ok(Self { what, over: over.checked()?, given })
    }

    /// Whose word is noted, if anybody's.
    pub(super) fn over(&self) -> Option<Actor> {
        self.given.then(|| self.over.clone())
    }

    pub(super) fn sign(&self, command: RunCommand) -> RunCommand {
        match self.over() {
            Some(over) => RunCommand::Signed(Box::new(Signed { over, command })),
            None => command,
        }
    }

    pub(in crate::operation) fn done(&self, of: impl Display) {
        let Actor { actor, reason } = &self.over;
        tracing::info!(%of, actor = actor.as_str(), reason = reason.as_str(), "{}", self.what);
    }
}
