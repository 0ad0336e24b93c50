//! Items of a mapped task, as callers see them.

use serde::Serialize;
use serde_json::value::RawValue;

use super::run_diagnosis_view::LastErrorView;

#[derive(Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ItemPage {
    #[cfg_attr(test, schemars(length(max = 1_000)))]
    pub items: Vec<ItemRow>,
    /// All that the task has, whatever the filter says
    pub count: u32,
    /// How many were looked at for this page
    pub looked_at: u32,
    /// Absent on the last page
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Item"))]
pub(crate) struct ItemRow {
    /// From 0
    pub index: u32,
    #[cfg_attr(test, schemars(schema_with = "super::schema::task_state"))]
    pub state: &'static str,
    /// Absent if it was never released
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Of the run that it started
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// What the list has in this place
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::any"))]
    pub value: Option<Box<RawValue>>,
    /// Why its last attempt failed
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<LastErrorView>,
}
