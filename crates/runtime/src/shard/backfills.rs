//! Backfills on their way to the tables and back.

use mainspring_core::engine::Engine;
use mainspring_core::job::JobKey;
use mainspring_core::values::BackfillId;
use mainspring_store::format::{ProfileCache, read_backfill, write_backfill, write_backfill_spec};
use mainspring_store::{BackfillRow, Cut, OpenError, Recovery};

use super::runs::{LoadError, Plans};

/// Rows of what changed; tells which of them have ended.
pub(super) fn add_rows(engine: &mut Engine, cut: &mut Cut) -> Vec<BackfillId> {
    let backfills = engine.state_mut().backfills_mut();
    let mut ended = Vec::new();
    for id in backfills.take_dirty() {
        let Some(backfill) = backfills.get(id) else { continue };
        let spec = (!backfill.stored).then(|| {
            let mut bytes = Vec::new();
            write_backfill_spec(&mut bytes, &backfill.spec);
            bytes
        });
        let mut bytes = Vec::new();
        write_backfill(&mut bytes, backfill);
        ended.extend(backfill.ended.map(|_| id));
        let key = &backfill.spec.key;
        let job = JobKey { tenant: key.tenant.clone(), name: key.job.clone() };
        cut.backfills.push(BackfillRow { id, job, ended: backfill.ended, spec, bytes });
        // A cut that fails is offered again as it is, and nothing is cut meanwhile.
        backfills.mark_stored(id);
    }
    ended
}

/// Those that have not ended.
pub(super) fn load_all(
    engine: &mut Engine,
    recovery: &mut dyn Recovery,
    plans: &mut Plans,
    profiles: &mut ProfileCache,
) -> Result<u64, OpenError> {
    let mut rows = Vec::new();
    recovery.live_backfills(&mut |row| rows.push(row))?;
    let tables = recovery.tables();
    for row in &rows {
        let spec = row.spec.as_deref().unwrap_or_default();
        let backfill = read_backfill(spec, &row.bytes, |spec| {
            let job = JobKey { tenant: spec.key.tenant.clone(), name: spec.key.job.clone() };
            plans.fetch_one(&job, spec.version, tables, profiles).map(|definition| definition.plan)
        });
        let backfill = backfill.map_err(|error: LoadError| OpenError::Unreadable {
            what: format!("row of {}", row.id),
            why: error.to_string(),
        })?;
        engine.state_mut().backfills_mut().load(backfill);
    }
    Ok(rows.len() as u64)
}
