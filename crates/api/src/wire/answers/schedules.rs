//! About schedules, backfills, triggers and events.

use serde::Serialize;

use super::super::backfill_view::BackfillView;
use super::super::schedule_view::ScheduleView;
use super::super::time::Moment;
use super::super::trigger_view::{PublishedView, TriggerView};
use super::super::window_view::{UpcomingView, WindowRowView};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct SchedulePage<'a> {
    pub schedules: Vec<ScheduleView<'a>>,
    /// Absent on the last page
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ScheduleStored<'a> {
    pub tenant: &'a str,
    pub job: &'a str,
    pub name: &'a str,
    /// False: it had this content already
    pub changed: bool,
    /// The next window; absent if there is none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Moment>,
    /// For `If-Match`
    #[cfg_attr(test, schemars(range(max = 9_007_199_254_740_991_u64)))]
    pub revision: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ScheduleDone"))]
pub(crate) struct ScheduleChanged<'a> {
    pub tenant: &'a str,
    pub job: &'a str,
    pub name: &'a str,
    pub message: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct WindowPage {
    pub windows: Vec<WindowRowView>,
    /// Absent on the last page
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct UpcomingPage<'a> {
    pub windows: Vec<UpcomingView<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct BackfillPage<'a> {
    pub backfills: Vec<BackfillView<'a>>,
    /// Absent on the last page
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "BackfillDone"))]
pub(crate) struct BackfillChanged {
    pub backfill_id: String,
    #[cfg_attr(test, schemars(schema_with = "crate::wire::schema::backfill_state"))]
    pub state: &'static str,
    pub message: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct TriggerPage<'a> {
    pub triggers: Vec<TriggerView<'a>>,
    /// Absent on the last page
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Published"))]
pub(crate) struct PublishedPage {
    /// In the order of the events
    pub results: Vec<PublishedView>,
}
