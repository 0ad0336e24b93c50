//! Who changed something, and why: in the server's log, and noted with the job or run if somebody said so.
//! - AU-1 a caller is believed: nobody checks yet that an actor is who they say

use std::fmt::Display;

use mainspring_core::engine::{ByActor, Command};
use mainspring_core::run::decide::{RunCommand, Signed};
use mainspring_core::values::Actor;

use super::Caller;
use crate::problem::Problem;
use crate::wire::OverrideBody;

/// A change that somebody asked for, said once it is done.
pub(super) struct Change {
    what: &'static str,
    over: Actor,
    /// An actor or a reason came with it.
    given: bool,
}

impl Change {
    /// Checked before anything happens.
    pub(super) fn by(what: &'static str, over: &OverrideBody, caller: &Caller<'_>) -> Result<Self, Problem> {
        let given = over.is_given(caller.keys);
        Ok(Self { what, over: over.checked(caller.keys)?, given })
    }

    /// For what programs do many times a second: only if somebody says who they are, or why.
    pub(super) fn said(
        what: &'static str,
        over: &OverrideBody,
        caller: &Caller<'_>,
    ) -> Result<Option<Self>, Problem> {
        over.is_given(caller.keys).then(|| Self::by(what, over, caller)).transpose()
    }

    /// Who is behind it, for what keeps that in any case.
    pub(super) fn actor(&self) -> Actor {
        self.over.clone()
    }

    /// Whose word is noted, if anybody's.
    pub(super) fn over(&self) -> Option<Actor> {
        self.given.then(|| self.over.clone())
    }

    /// The change of a task, with who asked for it if they said so.
    pub(super) fn by_actor(&self, command: Command) -> Command {
        match self.over() {
            Some(over) => Command::ByActor(Box::new(ByActor { over, command })),
            None => command,
        }
    }

    pub(super) fn sign(&self, command: RunCommand) -> RunCommand {
        match self.over() {
            Some(over) => RunCommand::Signed(Box::new(Signed { over, command })),
            None => command,
        }
    }

    /// Written at the default level of the log, which names this module.
    pub(super) fn done(&self, of: impl Display) {
        let Actor { actor, reason } = &self.over;
        tracing::info!(%of, actor = actor.as_str(), reason = reason.as_str(), "{}", self.what);
    }

    /// For submissions and events, of which there may be thousands a second: under a name of its own, which the default
    /// level leaves out.
    pub(super) fn done_often(&self, of: impl Display) {
        let Actor { actor, reason } = &self.over;
        let (actor, reason) = (actor.as_str(), reason.as_str());
        tracing::info!(target: "mainspring_api::submissions", %of, actor, reason, "{}", self.what);
    }
}
