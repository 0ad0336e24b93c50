//! An event from outside, inside the run that it began or for those that wait for it.

use std::sync::Arc;

use mainspring_core::values::{Cause, CloudEvent};

use crate::format::{FormatError, Reader, Writer};

pub(in crate::format) fn write_cause(w: &mut Writer<'_>, cause: &Cause) {
    w.name(&cause.trigger);
    w.byte(cause.depth);
    write_notice(w, &cause.notice);
}

pub(in crate::format) fn write_notice(w: &mut Writer<'_>, notice: &CloudEvent) {
    let CloudEvent { id, source, kind, subject, time, data } = notice;
    w.text(id);
    w.text(source);
    w.text(kind);
    w.option(subject.as_deref(), Writer::text);
    w.option(*time, Writer::wall);
    w.option(data.as_deref(), Writer::bytes);
}

pub(in crate::format) fn read_cause(r: &mut Reader<'_>) -> Result<Box<Cause>, FormatError> {
    Ok(Box::new(Cause {
        trigger: r.name("trigger")?,
        depth: r.byte("depth of events")?,
        notice: Arc::new(read_notice(r)?),
    }))
}

pub(in crate::format) fn read_notice(r: &mut Reader<'_>) -> Result<CloudEvent, FormatError> {
    Ok(CloudEvent {
        id: text(r, "id of an event")?,
        source: text(r, "source of an event")?,
        kind: text(r, "type of an event")?,
        subject: r.option("subject of an event", |r| text(r, "subject of an event"))?,
        time: r.option("time of an event", |r| r.wall("time of an event"))?,
        data: r.option("data of an event", |r| r.shared_bytes("data of an event"))?,
    })
}

pub(super) fn text(r: &mut Reader<'_>, what: &'static str) -> Result<Arc<str>, FormatError> {
    r.text(what).map(Arc::from)
}
