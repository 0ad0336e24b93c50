//! What tasks wait for, and how that ended.

use std::sync::Arc;

use mainspring_core::wait::{Approval, Awaited, EventMask, Late, Wait, WaitEnd};

use super::trigger::{read_pattern, write_pattern};
use super::{FormatError, Reader, Writer};

const UNTIL: u8 = 0;
const RUN: u8 = 1;
const EVENT: u8 = 2;
const APPROVAL: u8 = 3;

pub(super) fn write(w: &mut Writer<'_>, wait: &Wait) {
    match &wait.what {
        Awaited::Until(at) => {
            w.byte(UNTIL);
            w.wall(*at);
        }
        Awaited::Run(run) => {
            w.byte(RUN);
            w.wide(run.bits());
        }
        Awaited::Event(mask) => {
            w.byte(EVENT);
            write_pattern(w, &mask.kind);
            w.option(mask.source.as_ref(), write_pattern);
            w.option(mask.subject.as_deref(), Writer::text);
            w.option(mask.condition.as_deref(), Writer::text);
        }
        Awaited::Approval(approval) => {
            w.byte(APPROVAL);
            w.list(&approval.by, Writer::name);
            w.option(approval.message.as_deref(), Writer::text);
        }
    }
    w.wall(wait.since);
    w.wall(wait.deadline);
    w.byte(wait.late as u8);
}

pub(super) fn read(r: &mut Reader<'_>) -> Result<Wait, FormatError> {
    let at = r.at();
    let what = match r.byte("what is awaited")? {
        UNTIL => Awaited::Until(r.wall("awaited instant")?),
        RUN => Awaited::Run(r.run_id()?),
        EVENT => Awaited::Event(Arc::new(read_mask(r)?)),
        APPROVAL => Awaited::Approval(Arc::new(read_approval(r)?)),
        _ => return Err(FormatError::bad("what is awaited", at, "has no such value")),
    };
    let (since, deadline) = (r.wall("beginning of a wait")?, r.wall("deadline of a wait")?);
    let at = r.at();
    let late = Late::from_index(r.byte("end of a wait")?);
    let late = late.ok_or_else(|| FormatError::bad("end of a wait", at, "has no such value"))?;
    Ok(Wait { what, since, deadline, late })
}

fn read_mask(r: &mut Reader<'_>) -> Result<EventMask, FormatError> {
    Ok(EventMask {
        kind: read_pattern(r)?,
        source: r.option("source", read_pattern)?,
        subject: r.option("subject", |r| r.text("subject").map(Arc::from))?,
        condition: r.option("condition", |r| r.text("condition").map(Into::into))?,
    })
}

fn read_approval(r: &mut Reader<'_>) -> Result<Approval, FormatError> {
    Ok(Approval {
        by: r.list("approvers", |r| r.name("approver"))?,
        message: r.option("message", |r| r.text("message").map(Arc::from))?,
    })
}

pub(super) fn write_end(w: &mut Writer<'_>, end: &WaitEnd) {
    match end {
        WaitEnd::Met(output) => {
            w.byte(0);
            w.option(output.as_ref(), |w, bytes| w.bytes(bytes));
        }
        WaitEnd::Failed(failure) => {
            w.byte(1);
            w.failure(failure);
        }
        WaitEnd::Skipped => w.byte(2),
    }
}

pub(super) fn read_end(r: &mut Reader<'_>) -> Result<WaitEnd, FormatError> {
    let at = r.at();
    Ok(match r.byte("how a wait ended")? {
        0 => WaitEnd::Met(r.option("what came", |r| r.shared_bytes("what came"))?),
        1 => WaitEnd::Failed(Box::new(r.failure()?)),
        2 => WaitEnd::Skipped,
        _ => return Err(FormatError::bad("how a wait ended", at, "has no such value")),
    })
}
