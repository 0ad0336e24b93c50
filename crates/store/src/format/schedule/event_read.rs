//! Reads events of schedules.

use std::sync::Arc;

use mainspring_core::schedule::{Passed, ScheduleEvent, Stored};
use mainspring_core::values::Wall;

use super::event::kind;
use super::{row, spec, window};
use crate::format::{FormatError, ProfileCache, Reader};

pub(in crate::format) fn read(
    r: &mut Reader<'_>,
    profiles: &mut ProfileCache,
) -> Result<ScheduleEvent, FormatError> {
    let at = r.at();
    let kind = r.byte("kind of event")?;
    if kind > kind::NEWEST {
        return Err(FormatError::newer("kind of event", at, kind, kind::NEWEST));
    }
    let id = window::read_id(r)?;
    Ok(match kind {
        kind::STORED => {
            let key = Arc::new(row::read_key(r)?);
            let (spec, own) = spec::read(r, profiles)?;
            let (of_job, next) = (r.bool("of a job")?, next(r)?);
            ScheduleEvent::Stored(Box::new(Stored { id, key, spec: Arc::new(spec), own, of_job, next }))
        }
        kind::PAUSED => ScheduleEvent::Paused { id, paused: r.bool("paused")? },
        kind::DELETED => ScheduleEvent::Deleted { id },
        kind::FORGOTTEN => ScheduleEvent::Forgotten { id },
        kind::ARMED => ScheduleEvent::Armed { id, next: next(r)? },
        kind::PASSED => ScheduleEvent::Passed(Box::new(Passed {
            id,
            first: r.wall("first window")?,
            last: r.wall("last window")?,
            count: r.varint("windows")?,
            outcome: window::read_outcome(r)?,
            next: next(r)?,
        })),
        kind::HELD => ScheduleEvent::Held {
            id,
            window: r.wall("window")?,
            next: next(r)?,
            fired_as: window::read_fired_as(r)?,
        },
        _ => return Err(FormatError::bad("kind of event", at, "is 0, which was never written")),
    })
}

fn next(r: &mut Reader<'_>) -> Result<Option<Wall>, FormatError> {
    r.option("next window", |r| r.wall("next window"))
}
