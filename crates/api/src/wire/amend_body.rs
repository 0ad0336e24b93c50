//! What may be changed of a task that has not started.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::task_body::PriorityBody;
use super::time::TimeBody;
use super::whole;

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(transform = super::schema::amend_body))]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AmendBody<'a> {
    /// RFC 3339 text, or seconds since 1970
    pub scheduled_at: Option<TimeBody>,
    #[serde(deserialize_with = "whole::option")]
    #[cfg_attr(test, schemars(range(max = 3_162_240_000_000_u64)))]
    pub delay_ms: Option<u64>,
    pub priority: Option<PriorityBody>,
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::any"))]
    pub payload: Option<&'a RawValue>,
    /// Of a task that recurs: another expression
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::recurring::cron"))]
    pub cron: Option<&'a RawValue>,
    /// Of a task that recurs: another rate
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::recurring::every"))]
    pub every: Option<&'a RawValue>,
    /// Of a task that recurs by `cron`
    #[serde(borrow)]
    #[cfg_attr(test, schemars(schema_with = "super::schema::recurring::timezone"))]
    pub timezone: Option<&'a RawValue>,
    /// Who does it and why; in the server's log.
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub actor: Option<String>,
    #[cfg_attr(test, schemars(schema_with = "super::schema::name"))]
    pub reason: Option<String>,
}
