//! What may be changed of a task that has not started.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::task_body::PriorityBody;
use super::time::TimeBody;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AmendBody<'a> {
    pub scheduled_at: Option<TimeBody>,
    pub delay_ms: Option<u64>,
    pub priority: Option<PriorityBody>,
    #[serde(borrow)]
    pub payload: Option<&'a RawValue>,
}
