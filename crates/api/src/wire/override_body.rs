//! Who overrides the usual course, and why; stored with the task and in the journal.

use mainspring_core::values::{Actor, Name};
use serde::Deserialize;

use super::keys::Keys;
use super::names::name;
use crate::problem::Problem;

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OverrideBody {
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub actor: Option<String>,
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub reason: Option<String>,
}

/// `POST /v1/tasks/{id}:force-state`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct ForceTaskBody {
    /// How it ended
    #[cfg_attr(test, schemars(schema_with = "super::schema::forcible_state"))]
    pub state: String,
    #[cfg_attr(test, schemars(default, schema_with = "super::schema::name"))]
    pub actor: Option<String>,
    #[cfg_attr(test, schemars(default, schema_with = "super::schema::name"))]
    pub reason: Option<String>,
}

/// Many dead letters at once.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct DeadLettersBody {
    /// Those that are meant; or `fingerprint`
    #[serde(default)]
    #[cfg_attr(test, schemars(length(min = 1, max = 1_000)))]
    pub ids: Vec<String>,
    /// A group of `/v1/dead-letters/groups` instead of ids: the newest 1000 of it
    #[serde(default)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub fingerprint: Option<String>,
    #[cfg_attr(test, schemars(default, schema_with = "super::schema::name"))]
    pub actor: Option<String>,
    #[cfg_attr(test, schemars(default, schema_with = "super::schema::name"))]
    pub reason: Option<String>,
}

impl OverrideBody {
    /// Somebody said who they are, or why.
    pub(crate) fn is_given(&self, beside: Keys<'_>) -> bool {
        let said = |body: &Option<String>, beside: Option<&str>| body.is_some() || beside.is_some();
        said(&self.actor, beside.actor) || said(&self.reason, beside.reason)
    }

    /// What the body says goes before what came beside it.
    pub(crate) fn checked(&self, beside: Keys<'_>) -> Result<Actor, Problem> {
        let actor = self.actor.as_deref().or(beside.actor);
        let reason = self.reason.as_deref().or(beside.reason).unwrap_or_default();
        Ok(Actor {
            actor: actor.map_or_else(|| Ok(Name::fixed("api")), |text| name("actor", text))?,
            reason: name("reason", reason)?,
        })
    }
}
