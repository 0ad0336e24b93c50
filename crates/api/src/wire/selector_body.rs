//! Which tasks a bulk cancel takes.

use std::collections::BTreeMap;

use mainspring_core::name::Name;
use mainspring_core::process::Selector;
use serde::Deserialize;

use super::names::name;
use crate::problem::Problem;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SelectorBody {
    pub tenant: Option<String>,
    pub job: Option<String>,
    pub pool: Option<String>,
    pub labels: BTreeMap<String, String>,
    /// Nothing but this selects every task there is.
    pub all: bool,
    /// Stop running ones too.
    pub force: bool,
}

impl SelectorBody {
    pub(crate) fn selector(&self) -> Result<Selector, Problem> {
        let named = |field: &'static str, text: &Option<String>| {
            text.as_deref().map_or_else(|| Ok(Name::fixed("")), |text| name(field, text))
        };
        if self.labels.len() > 1 {
            return Err(Problem::TooManyEntries { field: "labels", count: self.labels.len(), max: 1 });
        }
        let label = match self.labels.iter().next() {
            Some((key, value)) => Some((name("labels", key)?, name("labels", value)?)),
            None => None,
        };
        let selector = Selector {
            tenant: named("tenant", &self.tenant)?,
            job: named("job", &self.job)?,
            pool: named("pool", &self.pool)?,
            label,
        };
        // Empty names match everything, which must be said and not be slipped into.
        match (selector == Selector::default(), self.all) {
            (true, false) => Err(Problem::field(
                "body",
                "name `tenant`, `job`, `pool` or one of `labels`, or say `\"all\": true`",
            )),
            (false, true) => Err(Problem::field("all", "it cannot be narrowed; leave it out")),
            (true, true) | (false, false) => Ok(selector),
        }
    }
}
