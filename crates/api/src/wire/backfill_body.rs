//! A backfill as callers ask for it.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::time::TimeBody;

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct BackfillBody {
    #[cfg_attr(test, schemars(default, schema_with = "super::schema::filled_name"))]
    pub tenant: Option<String>,
    #[cfg_attr(test, schemars(schema_with = "super::schema::needed_name"))]
    pub job: String,
    /// Needed if the job has more than one.
    #[cfg_attr(test, schemars(default, schema_with = "super::schema::filled_name"))]
    pub schedule: Option<String>,
    /// RFC 3339 text, or seconds since 1970
    pub from: TimeBody,
    /// Not included.
    pub to: TimeBody,
    /// `missing`: windows for which nothing ever ran; `failed`: those whose newest run did not succeed;
    /// `all`: every one
    #[cfg_attr(test, schemars(default, schema_with = "super::schema::backfill_only_or_null"))]
    pub only: Option<String>,
    #[cfg_attr(test, schemars(default, schema_with = "super::schema::backfill_order_or_null"))]
    pub order: Option<String>,
    /// Runs at once; 4 unless said
    #[cfg_attr(test, schemars(range(min = 1, max = 1_000)))]
    pub max_active: Option<u32>,
    /// Of the job; its newest unless it is said.
    pub version: Option<u32>,
    /// In place of those of the same name that the schedule gives.
    #[cfg_attr(test, schemars(default, schema_with = "super::schema::object_or_null"))]
    pub parameters: Option<Box<RawValue>>,
    /// Only tell what would be run
    #[serde(default)]
    pub dry_run: bool,
    #[cfg_attr(test, schemars(default, schema_with = "super::schema::name"))]
    pub actor: Option<String>,
    #[cfg_attr(test, schemars(default, schema_with = "super::schema::name"))]
    pub reason: Option<String>,
}
