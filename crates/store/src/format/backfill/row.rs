//! A backfill as a row. What never changes is a blob of its own, written once: it may name many windows.

use std::sync::Arc;

use mainspring_core::backfill::{Backfill, BackfillSoft, BackfillSpec, Halt};
use mainspring_core::job::Plan;
use mainspring_core::values::{BackfillId, ScheduleId, Seq};

use super::spec;
use crate::format::{FormatError, Reader, Writer};

const VERSION: u8 = 1;

pub fn write_backfill_spec(out: &mut Vec<u8>, spec: &BackfillSpec) {
    spec::write(&mut Writer::new(out), spec);
}

pub fn write_backfill(out: &mut Vec<u8>, backfill: &Backfill) {
    let w = &mut Writer::new(out);
    w.byte(VERSION);
    w.wide(backfill.id.bits());
    w.varint(backfill.schedule.get().into());
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
    let schedule = ScheduleId::new(r.varint32("schedule")?);
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
        stored: true,
        soft: BackfillSoft::at(&spec, started),
        spec: Arc::new(spec),
    };
    r.finish("backfill")?;
    Ok(backfill)
}
