//! Windows of schedules as callers see them: with what they began, in the history, and ahead.

use mainspring_core::schedule::WindowRow;
use mainspring_core::values::{FiredAs, Started, Window};
use serde::Serialize;

use super::time::Moment;

/// The window for which a run or a task exists.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Window"))]
#[expect(clippy::struct_excessive_bools, reason = "for conditions of callers; one is true at most")]
pub(crate) struct WindowView<'a> {
    pub schedule: &'a str,
    pub at: Moment,
    /// The window before it; `at` is where it ends.
    pub start: Moment,
    pub late: bool,
    pub catch_up: bool,
    /// A backfill began it
    pub backfill: bool,
    /// It stands for an event that did not come.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_event: bool,
}

impl<'a> WindowView<'a> {
    pub(crate) fn of(window: &'a Window) -> Self {
        Self {
            schedule: &window.name,
            at: Moment(window.at),
            start: Moment(window.from),
            late: window.fired_as == FiredAs::Late,
            catch_up: window.fired_as == FiredAs::CatchUp,
            backfill: window.fired_as == FiredAs::Backfill,
            no_event: window.fired_as == FiredAs::NoEvent,
        }
    }
}

/// What became of a window, or of several that passed together.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ScheduleWindow"))]
pub(crate) struct WindowRowView {
    /// The window, or the first of several that passed together
    pub first: Moment,
    pub last: Moment,
    pub count: u64,
    #[cfg_attr(test, schemars(extend("enum" = ["ran", "late", "catch_up", "no_event", "backfill", "skipped", "missed"])))]
    pub outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("enum" = ["late", "paused", "overlap", "max_active", "queue_full", "coalesced", "no_such_time", "parameters", "deleted", "event_came"])))]
    pub reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// How the run stands, if it is kept
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(schema_with = "super::schema::optional_run_state"))]
    pub run_state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    pub decided_at: Moment,
}

impl From<&WindowRow> for WindowRowView {
    fn from(row: &WindowRow) -> Self {
        let (outcome, reason, made) = match row.what {
            Ok((made, fired_as)) => (fired_as.label(), None, Some(made)),
            Err(outcome) => (outcome.label(), Some(outcome.reason().label()), None),
        };
        let (run_id, task_id) = match made {
            Some(Started::Run(id)) => (Some(id.to_string()), None),
            Some(Started::Task(id)) => (None, Some(id.to_string())),
            None => (None, None),
        };
        Self {
            first: Moment(row.first),
            last: Moment(row.last),
            count: row.count,
            outcome,
            reason,
            run_id,
            run_state: None,
            task_id,
            decided_at: Moment(row.at),
        }
    }
}

/// What became of a window, with its schedule.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "LedgerWindow"))]
pub(crate) struct LedgerWindowView {
    pub tenant: String,
    pub job: String,
    pub name: String,
    #[serde(flatten)]
    pub window: WindowRowView,
}

/// Windows of many schedules.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct LedgerPage {
    /// The oldest first
    pub windows: Vec<LedgerWindowView>,
    /// There are others: ask for a shorter span, or for one job
    pub more: bool,
}

/// A window that has not come.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "UpcomingWindow"))]
pub(crate) struct UpcomingView<'a> {
    pub at: Moment,
    /// With its part of the jitter
    pub begins_at: Moment,
    pub tenant: &'a str,
    pub job: &'a str,
    pub name: &'a str,
    pub description: String,
    /// Then nothing will begin, unless it is resumed before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub job_paused: bool,
}
