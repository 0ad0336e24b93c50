//! A schedule as one row: what it says and how far it has come. What is soft comes back as after a recovery.

use std::sync::Arc;

use mainspring_core::collections::Soft;
use mainspring_core::schedule::{ExtrasCell, Schedule, ScheduleExtras, ScheduleKey, Waiting};
use mainspring_core::values::{Seq, Wall};

use super::{spec, window};
use crate::entity::{EntityBytes, EntityError, EntityFormat, EntityRow, ReadWith};
use crate::format::{EncodedProfiles, FormatError, ProfileCache, Reader, Writer};

const VERSION: u8 = 1;
/// What a row takes without its payload: key, timing, counters.
const ROW_BYTES: usize = 256;

impl EntityFormat for Schedule {
    fn write(&self, out: &mut EntityBytes, profiles: &mut EncodedProfiles) {
        out.bytes.reserve(ROW_BYTES);
        write_schedule(&mut out.bytes, self, profiles);
    }

    fn read(row: &EntityRow, with: &mut ReadWith<'_>) -> Result<Self, EntityError> {
        Ok(read_schedule(&row.bytes, with.profiles)?)
    }
}

pub fn write_schedule(out: &mut Vec<u8>, schedule: &Schedule, profiles: &mut EncodedProfiles) {
    let w = &mut Writer::new(out);
    w.byte(VERSION);
    window::write_id(w, schedule.id);
    write_key(w, &schedule.key);
    spec::write(w, (&schedule.spec, schedule.own()), profiles);
    w.bool(schedule.of_job);
    w.bool(schedule.paused);
    w.option(schedule.rare.deleted, Writer::wall);
    w.option(schedule.rare.forgotten, Writer::wall);
    w.wall(schedule.created);
    w.wall(schedule.changed);
    w.wall(schedule.last);
    w.option(schedule.last_made, window::write_made);
    w.option(schedule.next, Writer::wall);
    w.wall(schedule.rare.resumed);
    w.varint(schedule.rare.waiting.len() as u64);
    for Waiting { window, fired_as } in &schedule.rare.waiting {
        w.wall(*window);
        w.byte(*fired_as as u8);
    }
    for count in [schedule.fired, schedule.skipped, schedule.missed] {
        w.varint(count);
    }
    w.varint(schedule.touched.get());
}

pub fn read_schedule(bytes: &[u8], profiles: &mut ProfileCache) -> Result<Schedule, FormatError> {
    let r = &mut Reader::new(bytes);
    r.version("schedule version", VERSION)?;
    let (id, key) = (window::read_id(r)?, Arc::new(read_key(r)?));
    let (spec, own) = spec::read(r, profiles)?;
    let (of_job, paused) = (r.bool("of a job")?, r.bool("paused")?);
    let deleted = r.option("deleted", |r| r.wall("deleted"))?;
    let forgotten = r.option("forgotten", |r| r.wall("forgotten"))?;
    let schedule = Schedule {
        id,
        key,
        spec: Arc::new(spec),
        bucket: own.bucket,
        offset: own.offset,
        of_job,
        paused,
        created: r.wall("created")?,
        changed: r.wall("changed")?,
        last: r.wall("last window")?,
        last_made: r.option("what a window began", window::read_made)?,
        next: r.option("next window", |r| r.wall("next window"))?,
        rare: read_rare(r, (deleted, forgotten))?,
        fired: r.varint("fired")?,
        skipped: r.varint("skipped")?,
        missed: r.varint("missed")?,
        touched: Seq::new(r.varint("touched")?),
        soft: Soft::default(),
        written: Soft::default(),
    };
    r.finish("schedule")?;
    Ok(schedule)
}

fn read_rare(
    r: &mut Reader<'_>,
    (deleted, forgotten): (Option<Wall>, Option<Wall>),
) -> Result<ExtrasCell, FormatError> {
    let resumed = r.wall("resumed")?;
    let waiting = r.list("waiting windows", read_waiting)?.into();
    Ok(ScheduleExtras { deleted, forgotten, resumed, waiting, ..ScheduleExtras::default() }.into())
}

fn read_waiting(r: &mut Reader<'_>) -> Result<Waiting, FormatError> {
    Ok(Waiting { window: r.wall("waiting window")?, fired_as: window::read_fired_as(r)? })
}

pub(in crate::format) fn write_key(w: &mut Writer<'_>, key: &ScheduleKey) {
    w.name(&key.tenant);
    w.name(&key.job);
    w.name(&key.name);
}

pub(in crate::format) fn read_key(r: &mut Reader<'_>) -> Result<ScheduleKey, FormatError> {
    Ok(ScheduleKey { tenant: r.name("tenant")?, job: r.name("job")?, name: r.name("schedule")? })
}
