//! Who overrides the usual course, and why; stored with the task and in the journal.

use mainspring_core::values::{Actor, Name};
use serde::Deserialize;

use super::names::name;
use crate::problem::Problem;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OverrideBody {
    pub actor: Option<String>,
    pub reason: Option<String>,
}

impl OverrideBody {
    pub(crate) fn checked(&self) -> Result<Actor, Problem> {
        let actor =
            self.actor.as_deref().map_or_else(|| Ok(Name::fixed("api")), |text| name("actor", text))?;
        Ok(Actor { actor, reason: name("reason", self.reason.as_deref().unwrap_or_default())? })
    }
}
