//! What a run came from, in its event and in its row.

use mainspring_core::run::{Origin, StartedBy};
use mainspring_core::values::{BackfillId, FiredBy};

use super::run::{read_in_run, write_in_run};
use crate::format::{FormatError, Reader, Writer, schedule, trigger};

/// In the byte of what began a run: the event follows that did.
const CAUSED: u8 = 0x80;
/// The same of the instant for which somebody asked for it by hand; it comes last.
const FOR_INSTANT: u8 = 0x40;

pub(super) fn write(w: &mut Writer<'_>, origin: &Origin) {
    let Origin { started_by, parent, rerun_of, window, logical_time, cause } = origin;
    let flags = u8::from(cause.is_some()) * CAUSED + u8::from(logical_time.is_some()) * FOR_INSTANT;
    w.byte(*started_by as u8 | flags);
    if let Some(cause) = cause {
        trigger::write_cause(w, cause);
    }
    w.option(parent.as_ref(), write_in_run);
    w.option(*rerun_of, |w, id| w.wide(id.bits()));
    w.option(window.as_deref(), schedule::write_window);
    if let Some(at) = logical_time {
        w.wall(*at);
    }
}

pub(super) fn read(r: &mut Reader<'_>) -> Result<Origin, FormatError> {
    let (mut caused, mut for_instant) = (false, false);
    let started_by = r.choice("what began it", |byte| {
        (caused, for_instant) = (byte & CAUSED != 0, byte & FOR_INSTANT != 0);
        StartedBy::from_index(byte & !(CAUSED | FOR_INSTANT))
    })?;
    let cause = if caused { Some(trigger::read_cause(r)?) } else { None };
    Ok(Origin {
        started_by,
        parent: r.option("parent", read_in_run)?,
        rerun_of: r.option("rerun of", Reader::run_id)?,
        window: r.option("window", schedule::read_window)?,
        logical_time: if for_instant { Some(r.wall("logical time")?) } else { None },
        cause,
    })
}

pub(super) fn write_fired_by(w: &mut Writer<'_>, fired_by: FiredBy) {
    match fired_by {
        FiredBy::Schedule { next } => {
            w.byte(0);
            w.option(next, Writer::wall);
        }
        FiredBy::Trigger(id) => {
            w.byte(1);
            trigger::write_id(w, id);
        }
        FiredBy::Backfill(id) => {
            w.byte(2);
            w.wide(id.bits());
        }
    }
}

pub(super) fn read_fired_by(r: &mut Reader<'_>) -> Result<FiredBy, FormatError> {
    let at = r.at();
    match r.byte("fired by")? {
        0 => Ok(FiredBy::Schedule { next: r.option("next window", |r| r.wall("next window"))? }),
        1 => Ok(FiredBy::Trigger(trigger::read_id(r)?)),
        2 => Ok(FiredBy::Backfill(BackfillId::from_bits(r.wide("backfill")?))),
        _ => Err(FormatError::bad("fired by", at, "has no such value")),
    }
}
