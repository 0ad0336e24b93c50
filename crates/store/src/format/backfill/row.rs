//! A backfill as a row. What never changes is a blob of its own, written once: it may name many windows.

use std::sync::Arc;

use mainspring_core::backfill::{Backfill, BackfillSoft, BackfillSpec, Halt};
use mainspring_core::collections::Soft;
use mainspring_core::job::{JobKey, Plan};
use mainspring_core::values::{BackfillId, Seq};

use super::spec;
use crate::entity::{EntityBytes, EntityError, EntityFormat, EntityRow, ReadWith, VersionKey};
use crate::format::{EncodedProfiles, FormatError, Reader, VersionRef, Writer, schedule};

const VERSION: u8 = 1;

impl EntityFormat for Backfill {
    fn write(&self, out: &mut EntityBytes, _: &mut EncodedProfiles) {
        if !*self.stored {
            write_backfill_spec(out.fixed.insert(Vec::new()), &self.spec);
        }
        write_backfill(&mut out.bytes, self);
    }

    fn read(row: &EntityRow, with: &mut ReadWith<'_>) -> Result<Self, EntityError> {
        read_backfill(row.fixed.as_deref().unwrap_or_default(), &row.bytes, |spec| {
            let (tenant, name) = (spec.key.tenant.as_str(), spec.key.job.as_str());
            let (_, definition) = with.plan(VersionRef { tenant, name, version: spec.version })?;
            Ok(definition.plan)
        })
    }

    fn version(row: &EntityRow) -> Result<Option<VersionKey>, FormatError> {
        let spec = spec::read(&mut Reader::new(row.fixed.as_deref().unwrap_or_default()))?;
        let key = JobKey { tenant: spec.key.tenant.clone(), name: spec.key.job.clone() };
        Ok(Some((key, spec.version)))
    }
}

pub fn write_backfill_spec(out: &mut Vec<u8>, spec: &BackfillSpec) {
    spec::write(&mut Writer::new(out), spec);
}

pub fn write_backfill(out: &mut Vec<u8>, backfill: &Backfill) {
    let w = &mut Writer::new(out);
    w.byte(VERSION);
    w.wide(backfill.id.bits());
    schedule::write_id(w, backfill.schedule);
    for count in [backfill.started, backfill.succeeded, backfill.failed] {
        w.varint(count.into());
    }
    w.list(&backfill.active, |w, run| w.wide(run.bits()));
    w.bool(backfill.paused);
    w.option(backfill.halt, |w, halt| w.bool(halt.stop_runs));
    w.wall(backfill.created);
    w.wall(backfill.changed);
    w.option(backfill.ended, Writer::wall);
    w.varint(backfill.touched.get());
}

/// `plan`: finds that of its version.
pub fn read_backfill<E: From<FormatError>>(
    spec: &[u8],
    bytes: &[u8],
    plan: impl FnOnce(&BackfillSpec) -> Result<Arc<Plan>, E>,
) -> Result<Backfill, E> {
    let r = &mut Reader::new(spec);
    let spec = spec::read(r)?;
    r.finish("backfill content")?;
    let plan = plan(&spec)?;
    Ok(read_state(&mut Reader::new(bytes), spec, plan)?)
}

fn read_state(r: &mut Reader<'_>, spec: BackfillSpec, plan: Arc<Plan>) -> Result<Backfill, FormatError> {
    r.version("backfill version", VERSION)?;
    let id = BackfillId::from_bits(r.wide("backfill")?);
    let schedule = schedule::read_id(r)?;
    let at = r.at();
    let started = r.varint32("started")?;
    if started > spec.windows.len() {
        return Err(FormatError::bad("started", at, "is more than there are windows"));
    }
    let backfill = Backfill {
        id,
        schedule,
        plan,
        started,
        succeeded: r.varint32("succeeded")?,
        failed: r.varint32("failed")?,
        active: r.list("active runs", Reader::run_id)?,
        paused: r.bool("paused")?,
        halt: r.option("halt", |r| Ok(Halt { stop_runs: r.bool("stop runs")? }))?,
        created: r.wall("created")?,
        changed: r.wall("changed")?,
        ended: r.option("ended", |r| r.wall("ended"))?,
        touched: Seq::new(r.varint("touched")?),
        stored: Soft(true),
        soft: Soft(BackfillSoft::at(&spec, started)),
        spec: Arc::new(spec),
    };
    r.finish("backfill")?;
    Ok(backfill)
}
