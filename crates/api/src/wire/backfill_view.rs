//! Backfills as callers see them: what one would do, and how far one has come.

use mainspring_core::backfill::Backfill;
use serde::Serialize;

use super::time::Moment;

/// What a backfill would run.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "BackfillPlan"))]
pub(crate) struct PlanView<'a> {
    pub tenant: &'a str,
    pub job: &'a str,
    pub schedule: &'a str,
    pub from: Moment,
    pub to: Moment,
    #[cfg_attr(test, schemars(schema_with = "super::schema::backfill_only"))]
    pub only: &'static str,
    #[cfg_attr(test, schemars(schema_with = "super::schema::backfill_order"))]
    pub order: &'static str,
    pub version: u32,
    /// In the range, as far as it lies behind.
    pub in_range: usize,
    /// Of those, the ones for which something ran, or still does.
    pub ran: usize,
    /// Of those, the ones whose newest run did not succeed. Looked up only if they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<usize>,
    /// Of those, the ones of which history does not know any more whether something ran; only `all` runs them.
    #[serde(skip_serializing_if = "is_none")]
    pub forgotten: usize,
    /// That would be run.
    pub windows: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<Moment>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Backfill"))]
pub(crate) struct BackfillView<'a> {
    pub backfill_id: String,
    pub tenant: &'a str,
    pub job: &'a str,
    pub schedule: &'a str,
    #[cfg_attr(test, schemars(schema_with = "super::schema::backfill_state"))]
    pub state: &'static str,
    pub from: Moment,
    pub to: Moment,
    #[cfg_attr(test, schemars(schema_with = "super::schema::backfill_only"))]
    pub only: &'static str,
    #[cfg_attr(test, schemars(schema_with = "super::schema::backfill_order"))]
    pub order: &'static str,
    pub max_active: u32,
    pub version: u32,
    pub windows: u32,
    pub started: u32,
    /// Runs that have not ended
    pub active: usize,
    pub succeeded: u32,
    /// Runs that ended otherwise
    pub failed: u32,
    pub oldest: Moment,
    pub newest: Moment,
    /// The window that begins next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Moment>,
    pub created_at: Moment,
    pub updated_at: Moment,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
}

impl<'a> BackfillView<'a> {
    pub(crate) fn of(backfill: &'a Backfill) -> Self {
        let spec = &*backfill.spec;
        let goes_on = backfill.ended.is_none() && backfill.halt.is_none();
        Self {
            backfill_id: backfill.id.to_string(),
            tenant: &spec.key.tenant,
            job: &spec.key.job,
            schedule: &spec.key.name,
            state: backfill.status().label(),
            from: Moment(spec.from),
            to: Moment(spec.to),
            only: spec.only.label(),
            order: spec.windows.order().label(),
            max_active: spec.max_active,
            version: spec.version,
            windows: spec.windows.len(),
            started: backfill.started,
            active: backfill.active.len(),
            succeeded: backfill.succeeded,
            failed: backfill.failed,
            oldest: Moment(spec.windows.oldest()),
            newest: Moment(spec.windows.newest()),
            next: backfill.next().filter(|_| goes_on).map(Moment),
            created_at: Moment(backfill.created),
            updated_at: Moment(backfill.changed),
            ended_at: backfill.ended.map(Moment),
        }
    }
}
