//! What may be changed of a task that has not started.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::task_body::PriorityBody;
use super::time::TimeBody;
use super::whole;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AmendBody<'a> {
    pub scheduled_at: Option<TimeBody>,
    #[serde(deserialize_with = "whole::option")]
    pub delay_ms: Option<u64>,
    pub priority: Option<PriorityBody>,
    #[serde(borrow)]
    pub payload: Option<&'a RawValue>,
}
