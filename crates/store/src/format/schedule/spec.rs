//! What a schedule says.

use std::sync::Arc;

use mainspring_core::schedule::{Overlap, ScheduleHome, Spec, Target, Terms};
use mainspring_core::task::TaskSpec;
use mainspring_core::values::Bucket;

use super::timing;
use crate::format::{EncodedProfiles, FormatError, ProfileCache, Reader, Writer};

/// Its timing may grow new forms; the byte is there for the day that the rest does.
const VERSION: u8 = 1;

pub(super) fn write(w: &mut Writer<'_>, (spec, own): (&Spec, ScheduleHome), profiles: &mut EncodedProfiles) {
    w.byte(VERSION);
    write_target(w, &spec.target, profiles);
    timing::write(w, &spec.timing);
    w.text(&spec.text);
    w.option(spec.start, Writer::wall);
    w.option(spec.end, Writer::wall);
    w.millis(spec.jitter);
    w.millis(own.offset);
    w.varint(spec.catch_up.into());
    w.millis(spec.grace);
    w.byte(spec.overlap as u8);
    w.varint(spec.active_max.into());
    w.varint(own.bucket.get().into());
}

pub(super) fn read(
    r: &mut Reader<'_>,
    profiles: &mut ProfileCache,
) -> Result<(Spec, ScheduleHome), FormatError> {
    r.version("version of a schedule's content", VERSION)?;
    let (target, timing) = (read_target(r, profiles)?, timing::read(r)?);
    let text = Arc::from(r.text("timing as written")?);
    let (start, end) = (r.option("start", |r| r.wall("start"))?, r.option("end", |r| r.wall("end"))?);
    let (jitter, offset) = (r.millis("jitter")?, r.millis("offset")?);
    let terms = Terms {
        timing,
        text,
        start,
        end,
        jitter,
        catch_up: r.varint32("catch-up")?,
        grace: r.millis("grace")?,
        overlap: r.choice("overlap", Overlap::from_index)?,
        active_max: r.varint32("most active")?,
    };
    let spec = Spec { target, terms: Arc::new(terms) };
    Ok((spec, ScheduleHome { bucket: read_bucket(r)?, offset }))
}

fn read_bucket(r: &mut Reader<'_>) -> Result<Bucket, FormatError> {
    let at = r.at();
    let number = r.varint("bucket")?;
    Bucket::from_bits(number).ok_or_else(|| FormatError::bad("bucket", at, "has no such value"))
}

fn write_target(w: &mut Writer<'_>, target: &Target, profiles: &mut EncodedProfiles) {
    match target {
        Target::Run { parameters, priority } => {
            w.byte(0);
            w.bytes(parameters);
            w.option(*priority, Writer::priority);
        }
        Target::Task(task) => {
            w.byte(1);
            profiles.write(w, &task.profile);
            w.bytes(&task.payload);
            w.priority(task.priority);
            w.option(task.labels.as_deref(), Writer::labels);
            w.option(task.permits.as_deref(), Writer::permits);
        }
    }
}

fn read_target(r: &mut Reader<'_>, profiles: &mut ProfileCache) -> Result<Target, FormatError> {
    let at = r.at();
    match r.byte("target")? {
        0 => Ok(Target::Run {
            parameters: r.shared_bytes("parameters")?,
            priority: r.option("priority", Reader::priority)?,
        }),
        1 => Ok(Target::Task(Box::new(TaskSpec {
            profile: profiles.read(r)?,
            payload: r.shared_bytes("payload")?,
            priority: r.priority()?,
            labels: r.option("labels", Reader::labels)?,
            permits: r.option("permits", Reader::permits)?,
        }))),
        found => Err(FormatError::newer("target", at, found, 1)),
    }
}
