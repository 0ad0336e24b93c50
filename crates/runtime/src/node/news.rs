//! What the shard's thread writes into the log after a step.

use mainspring_core::engine::{LostWorker, Panicked, QuarantinedRow};

use crate::clock::Doubt;

pub(super) fn lost(workers: &[LostWorker]) {
    for lost in workers {
        tracing::warn!(worker = %lost.id, held = lost.held, "a worker was lost: silent for a whole lease");
    }
}

pub(super) fn panicked(panics: Vec<Panicked>) {
    for Panicked { subject, message, .. } in panics {
        tracing::error!(at = %subject, %message, "a decision panicked and was taken back: this is a bug");
    }
}

pub(super) fn quarantined(rows: &[QuarantinedRow]) {
    for found in rows {
        tracing::error!(row = %found.row, why = %found.why, "a row of the tables is damaged: quarantined");
    }
}

/// `before`, `now`: whether the wall clock is believed.
pub(super) fn clock(before: Option<Doubt>, now: Option<Doubt>) {
    match (before, now) {
        (None, Some(Doubt::Ahead { by, .. })) => {
            tracing::warn!(by_ms = by.get(), "the wall clock jumped ahead: held until it can be believed");
        }
        (None, Some(Doubt::Behind { by, .. })) => {
            tracing::warn!(
                by_ms = by.get(),
                "the wall clock is behind the journaled time, which goes on by itself"
            );
        }
        (Some(_), None) => tracing::warn!("the wall clock is believed again"),
        _ => {}
    }
}
