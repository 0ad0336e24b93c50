//! Events of backfills.

use std::sync::Arc;

use mainspring_core::backfill::{BackfillEvent, Created};
use mainspring_core::values::BackfillId;

use super::spec;
use crate::format::{EncodedProfiles, FormatError, ProfileCache, Reader, Writer, schedule, workflow};

/// First byte after the event's own type and version. Frozen: a number is never given away again.
mod kind {
    pub const CREATED: u8 = 1;
    pub const PAUSED: u8 = 2;
    pub const CANCELLED: u8 = 3;
    pub const ENDED: u8 = 4;
    pub const NEWEST: u8 = ENDED;
}

/// After the kind every event has the id of its backfill.
pub(in crate::format) fn write(w: &mut Writer<'_>, event: &BackfillEvent, profiles: &mut EncodedProfiles) {
    w.byte(match event {
        BackfillEvent::Created(_) => kind::CREATED,
        BackfillEvent::Paused { .. } => kind::PAUSED,
        BackfillEvent::Cancelled { .. } => kind::CANCELLED,
        BackfillEvent::Ended { .. } => kind::ENDED,
    });
    w.wide(event.id().bits());
    match event {
        BackfillEvent::Created(created) => {
            let Created { id: _, schedule, spec, plan } = &**created;
            schedule::write_id(w, *schedule);
            spec::write(w, spec);
            w.option(plan.as_deref(), |w, plan| workflow::write_plan_in(w, plan, profiles));
        }
        BackfillEvent::Paused { id: _, paused } => w.bool(*paused),
        BackfillEvent::Cancelled { id: _, stop_runs } => w.bool(*stop_runs),
        BackfillEvent::Ended { id: _ } => {}
    }
}

pub(in crate::format) fn read(
    r: &mut Reader<'_>,
    profiles: &mut ProfileCache,
) -> Result<BackfillEvent, FormatError> {
    let at = r.at();
    let kind = r.byte("kind of event")?;
    if kind > kind::NEWEST {
        return Err(FormatError::newer("kind of event", at, kind, kind::NEWEST));
    }
    let id = BackfillId::from_bits(r.wide("backfill")?);
    Ok(match kind {
        kind::CREATED => BackfillEvent::Created(Box::new(Created {
            id,
            schedule: schedule::read_id(r)?,
            spec: Arc::new(spec::read(r)?),
            plan: r.option("plan", |r| workflow::read_plan_in(r, profiles).map(Arc::new))?,
        })),
        kind::PAUSED => BackfillEvent::Paused { id, paused: r.bool("paused")? },
        kind::CANCELLED => BackfillEvent::Cancelled { id, stop_runs: r.bool("stop runs")? },
        kind::ENDED => BackfillEvent::Ended { id },
        _ => return Err(FormatError::bad("kind of event", at, "is 0, which was never written")),
    })
}
