//! What began a run, and the event if it was one.

use mainspring_core::run::StartedBy;
use mainspring_core::values::Cause;

use crate::format::{FormatError, Reader, Writer, trigger};

/// In the byte of what began a run: the event follows that did.
const CAUSED: u8 = 0x80;

pub(super) fn write(w: &mut Writer<'_>, began: StartedBy, cause: Option<&Cause>) {
    w.byte(began as u8 | if cause.is_some() { CAUSED } else { 0 });
    if let Some(cause) = cause {
        trigger::write_cause(w, cause);
    }
}

pub(super) fn read(r: &mut Reader<'_>) -> Result<(StartedBy, Option<Box<Cause>>), FormatError> {
    let mut caused = false;
    let began = r.choice("trigger", |byte| {
        caused = byte & CAUSED != 0;
        StartedBy::from_index(byte & !CAUSED)
    })?;
    Ok((began, if caused { Some(trigger::read_cause(r)?) } else { None }))
}
