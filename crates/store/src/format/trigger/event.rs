//! Events of triggers.

use std::sync::Arc;

use mainspring_core::trigger::{LedgerWindow, Skip, Succeeded, TriggerEvent, TriggerFailed, TriggerStored};
use mainspring_core::values::TriggerId;

use super::notice::text;
use super::{row, spec};
use crate::format::{FormatError, Reader, Writer, schedule};

/// First byte after the event's own type and version. Frozen: a number is never given away again.
mod kind {
    pub const STORED: u8 = 1;
    pub const DELETED: u8 = 2;
    pub const SKIPPED: u8 = 3;
    pub const FAILED: u8 = 4;
    pub const SUCCEEDED: u8 = 5;
    pub const FORGOTTEN: u8 = 6;
    pub const NEWEST: u8 = FORGOTTEN;
}

/// After the kind every event has the id of its trigger.
pub(in crate::format) fn write(w: &mut Writer<'_>, event: &TriggerEvent) {
    w.byte(match event {
        TriggerEvent::Stored(_) => kind::STORED,
        TriggerEvent::Deleted { .. } => kind::DELETED,
        TriggerEvent::Skipped { .. } => kind::SKIPPED,
        TriggerEvent::Failed(_) => kind::FAILED,
        TriggerEvent::Succeeded(_) => kind::SUCCEEDED,
        TriggerEvent::Forgotten { .. } => kind::FORGOTTEN,
    });
    write_id(w, event.id());
    match event {
        TriggerEvent::Stored(stored) => {
            row::write_key(w, &stored.key);
            spec::write(w, &stored.spec);
        }
        TriggerEvent::Deleted { id: _ } | TriggerEvent::Forgotten { id: _ } => {}
        TriggerEvent::Skipped { id: _, skip, window } => {
            w.byte(*skip as u8);
            w.option(*window, write_span);
        }
        TriggerEvent::Failed(failed) => {
            w.text(&failed.what);
            w.option(failed.window, write_span);
        }
        TriggerEvent::Succeeded(succeeded) => {
            w.varint(succeeded.job.into());
            write_span(w, succeeded.window);
        }
    }
}

pub(in crate::format) fn read(r: &mut Reader<'_>) -> Result<TriggerEvent, FormatError> {
    let at = r.at();
    let kind = r.byte("kind of event")?;
    if kind > kind::NEWEST {
        return Err(FormatError::newer("kind of event", at, kind, kind::NEWEST));
    }
    let id = read_id(r)?;
    Ok(match kind {
        kind::STORED => TriggerEvent::Stored(Box::new(TriggerStored {
            id,
            key: Arc::new(row::read_key(r)?),
            spec: Arc::new(spec::read(r)?),
        })),
        kind::DELETED => TriggerEvent::Deleted { id },
        kind::SKIPPED => TriggerEvent::Skipped { id, skip: read_skip(r)?, window: read_window(r)? },
        kind::FAILED => TriggerEvent::Failed(Box::new(TriggerFailed {
            id,
            what: text(r, "error")?,
            window: read_window(r)?,
        })),
        kind::FORGOTTEN => TriggerEvent::Forgotten { id },
        kind::SUCCEEDED => TriggerEvent::Succeeded(Box::new(Succeeded {
            id,
            job: r.varint32("place of a job")?,
            window: read_span(r)?,
        })),
        _ => return Err(FormatError::bad("kind of event", at, "is 0, which was never written")),
    })
}

pub(in crate::format) fn write_id(w: &mut Writer<'_>, id: TriggerId) {
    w.numbered(id.bucket(), id.number());
}

pub(in crate::format) fn read_id(r: &mut Reader<'_>) -> Result<TriggerId, FormatError> {
    let (bucket, number) = r.numbered("trigger")?;
    Ok(TriggerId::new(bucket, number))
}

pub(super) fn read_skip(r: &mut Reader<'_>) -> Result<Skip, FormatError> {
    r.choice("why it was skipped", Skip::from_index)
}

pub(in crate::format) fn write_span(w: &mut Writer<'_>, span: LedgerWindow) {
    w.wall(span.at);
    schedule::write_id(w, span.schedule);
    w.wall(span.from);
}

pub(in crate::format) fn read_span(r: &mut Reader<'_>) -> Result<LedgerWindow, FormatError> {
    Ok(LedgerWindow {
        at: r.wall("window")?,
        schedule: schedule::read_id(r)?,
        from: r.wall("window before")?,
    })
}

fn read_window(r: &mut Reader<'_>) -> Result<Option<LedgerWindow>, FormatError> {
    r.option("window", read_span)
}
