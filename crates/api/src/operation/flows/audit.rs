//! Who changed a job or a run, and why, in the server's log. What is overruled is noted on the run as well.

use std::fmt::Display;

use mainspring_core::task::Override;

use crate::problem::Problem;
use crate::wire::OverrideBody;

/// A change that somebody asked for, said once it is done.
pub(super) struct Change {
    what: &'static str,
    over: Override,
}

impl Change {
    /// Checked before anything happens.
    pub(super) fn by(what: &'static str, over: &OverrideBody) -> Result<Self, Problem> {
        Ok(Self { what, over: over.checked()? })
    }

    pub(super) fn done(&self, of: impl Display) {
        let Override { actor, reason } = &self.over;
        tracing::info!(%of, actor = actor.as_str(), reason = reason.as_str(), "{}", self.what);
    }
}
