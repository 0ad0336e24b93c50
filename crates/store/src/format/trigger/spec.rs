//! What a trigger says.

use std::sync::Arc;

use mainspring_core::trigger::{On, TriggerSpec};
use mainspring_core::values::{Bucket, Pattern};

use super::notice::text;
use crate::format::{FormatError, Reader, Writer};

const VERSION: u8 = 1;

mod on {
    pub const EVENT: u8 = 0;
    pub const WEBHOOK: u8 = 1;
    pub const AFTER: u8 = 2;
}

pub(super) fn write(w: &mut Writer<'_>, spec: &TriggerSpec) {
    w.byte(VERSION);
    match &spec.on {
        On::Event { kind, source } => {
            w.byte(on::EVENT);
            write_pattern(w, kind);
            w.option(source.as_ref(), write_pattern);
        }
        On::Webhook(name) => {
            w.byte(on::WEBHOOK);
            w.name(name);
        }
        On::After(jobs) => {
            w.byte(on::AFTER);
            w.list(jobs, Writer::name);
        }
    }
    w.option(spec.condition.as_deref(), Writer::text);
    w.bytes(&spec.parameters);
    w.bool(spec.templated);
    w.varint(spec.active_max.into());
    w.varint(spec.bucket.get().into());
}

pub(super) fn read(r: &mut Reader<'_>) -> Result<TriggerSpec, FormatError> {
    r.version("version of a trigger's content", VERSION)?;
    Ok(TriggerSpec {
        on: read_on(r)?,
        condition: r.option("condition", |r| text(r, "condition"))?,
        parameters: r.shared_bytes("parameters")?,
        templated: r.bool("templated")?,
        active_max: r.varint32("most active")?,
        bucket: read_bucket(r)?,
    })
}

fn read_on(r: &mut Reader<'_>) -> Result<On, FormatError> {
    let at = r.at();
    match r.byte("what a trigger listens for")? {
        on::EVENT => Ok(On::Event { kind: read_pattern(r)?, source: r.option("source", read_pattern)? }),
        on::WEBHOOK => Ok(On::Webhook(r.name("webhook")?)),
        on::AFTER => Ok(On::After(r.list("jobs", |r| r.name("job"))?)),
        found => Err(FormatError::newer("what a trigger listens for", at, found, on::AFTER)),
    }
}

pub(in crate::format) fn write_pattern(w: &mut Writer<'_>, pattern: &Pattern) {
    w.text(&pattern.text);
    w.bool(pattern.prefix);
}

pub(in crate::format) fn read_pattern(r: &mut Reader<'_>) -> Result<Pattern, FormatError> {
    Ok(Pattern { text: Arc::from(r.text("pattern")?), prefix: r.bool("pattern is a prefix")? })
}

fn read_bucket(r: &mut Reader<'_>) -> Result<Bucket, FormatError> {
    let at = r.at();
    let number = r.varint("bucket")?;
    Bucket::from_bits(number).ok_or_else(|| FormatError::bad("bucket", at, "has no such value"))
}
