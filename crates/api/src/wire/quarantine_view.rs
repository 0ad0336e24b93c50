//! Quarantined rows, as callers see them.

use mainspring_core::engine::QuarantinedRow;
use serde::Serialize;

use super::time::Moment;

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Quarantine"))]
pub(crate) struct QuarantineView {
    pub rows: Vec<RowView>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "QuarantinedRow"))]
pub(crate) struct RowView {
    /// The id of the task or run.
    pub row: String,
    pub why: String,
    pub since: Moment,
}

impl QuarantineView {
    pub(crate) fn of(rows: Vec<QuarantinedRow>) -> Self {
        let view = |found: QuarantinedRow| RowView {
            row: found.row.to_string(),
            why: found.why.to_string(),
            since: Moment(found.since),
        };
        Self { rows: rows.into_iter().map(view).collect() }
    }
}
