//! A backfill as callers ask for it.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::time::TimeBody;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackfillBody {
    pub tenant: Option<String>,
    pub job: String,
    /// Needed if the job has more than one.
    pub schedule: Option<String>,
    pub from: TimeBody,
    /// Not included.
    pub to: TimeBody,
    pub only: Option<String>,
    pub order: Option<String>,
    pub max_active: Option<u32>,
    /// Of the job; its newest unless it is said.
    pub version: Option<u32>,
    /// In place of those of the same name that the schedule gives.
    pub parameters: Option<Box<RawValue>>,
    #[serde(default)]
    pub dry_run: bool,
    pub actor: Option<String>,
    pub reason: Option<String>,
}
