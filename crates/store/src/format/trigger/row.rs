//! A trigger as one row: what it says and what it has seen. What is soft comes back as after a recovery.

use std::collections::BTreeSet;
use std::sync::Arc;

use mainspring_core::collections::Soft;
use mainspring_core::trigger::{LastFired, Ledger, Trigger, TriggerKey};
use mainspring_core::values::{ScheduleId, Seq, Wall};

use super::event::{read_id, read_skip, write_id};
use super::notice::text;
use super::spec;
use crate::entity::{EntityBytes, EntityError, EntityFormat, EntityRow, ReadWith};
use crate::format::{EncodedProfiles, FormatError, Reader, Writer, schedule};

const VERSION: u8 = 1;

impl EntityFormat for Trigger {
    fn write(&self, out: &mut EntityBytes, _: &mut EncodedProfiles) {
        write(&mut Writer::new(&mut out.bytes), self);
    }

    fn read(row: &EntityRow, _: &mut ReadWith<'_>) -> Result<Self, EntityError> {
        Ok(read(&mut Reader::new(&row.bytes))?)
    }
}

fn write(w: &mut Writer<'_>, hook: &Trigger) {
    w.byte(VERSION);
    write_id(w, hook.id);
    write_key(w, &hook.key);
    spec::write(w, &hook.spec);
    w.option(hook.deleted, Writer::wall);
    w.option(hook.forgotten, Writer::wall);
    w.wall(hook.created);
    w.wall(hook.changed);
    for count in [hook.fired, hook.skipped, hook.errors] {
        w.varint(count);
    }
    w.option(hook.last_fired.as_ref(), |w, last| {
        w.wall(last.at);
        w.text(&last.source);
        w.text(&last.event);
        w.wide(last.run.bits());
    });
    w.option(hook.last_skip, |w, (at, skip)| {
        w.wall(at);
        w.byte(skip as u8);
    });
    w.option(hook.last_error.as_ref(), |w, (at, what)| {
        w.wall(*at);
        w.text(what);
    });
    write_ledger(w, &hook.ledger);
    w.varint(hook.touched.get());
}

fn read(r: &mut Reader<'_>) -> Result<Trigger, FormatError> {
    r.version("trigger version", VERSION)?;
    let hook = Trigger {
        id: read_id(r)?,
        key: Arc::new(read_key(r)?),
        spec: Arc::new(spec::read(r)?),
        deleted: r.option("deleted", |r| r.wall("deleted"))?,
        forgotten: r.option("forgotten", |r| r.wall("forgotten"))?,
        created: r.wall("created")?,
        changed: r.wall("changed")?,
        fired: r.varint("fired")?,
        skipped: r.varint("skipped")?,
        errors: r.varint("errors")?,
        last_fired: r.option("last run", |r| {
            Ok(LastFired {
                at: r.wall("last run")?,
                source: text(r, "source of an event")?,
                event: text(r, "id of an event")?,
                run: r.run_id()?,
            })
        })?,
        last_skip: r.option("last skip", |r| Ok((r.wall("last skip")?, read_skip(r)?)))?,
        last_error: r.option("last error", |r| Ok((r.wall("last error")?, text(r, "last error")?)))?,
        ledger: read_ledger(r)?,
        touched: Seq::new(r.varint("touched")?),
        soft: Soft::default(),
    };
    r.finish("trigger")?;
    Ok(hook)
}

pub(super) fn write_key(w: &mut Writer<'_>, key: &TriggerKey) {
    w.name(&key.tenant);
    w.name(&key.job);
    w.name(&key.name);
}

pub(super) fn read_key(r: &mut Reader<'_>) -> Result<TriggerKey, FormatError> {
    Ok(TriggerKey { tenant: r.name("tenant")?, job: r.name("job")?, name: r.name("trigger")? })
}

type Place = (Wall, ScheduleId);

fn write_ledger(w: &mut Writer<'_>, ledger: &Ledger) {
    w.varint(ledger.open.len() as u64);
    for (place, from) in &ledger.open {
        write_place(w, *place);
        w.wall(*from);
    }
    w.list(&ledger.done, write_places);
    write_places(w, &ledger.begun);
    w.wall(ledger.floor);
}

fn read_ledger(r: &mut Reader<'_>) -> Result<Ledger, FormatError> {
    let at = r.at();
    let open = r.list("windows that wait", |r| Ok((read_place(r)?, r.wall("window before")?)))?;
    ordered(at, open.is_sorted_by(|a, b| a.0 < b.0))?;
    Ok(Ledger {
        open: open.into_iter().collect(),
        done: r.list("windows that succeeded", read_places)?,
        begun: read_places(r)?,
        floor: r.wall("windows that are decided")?,
    })
}

fn write_places(w: &mut Writer<'_>, places: &BTreeSet<Place>) {
    w.varint(places.len() as u64);
    for place in places {
        write_place(w, *place);
    }
}

fn read_places(r: &mut Reader<'_>) -> Result<BTreeSet<Place>, FormatError> {
    let at = r.at();
    let places = r.list("windows", read_place)?;
    ordered(at, places.is_sorted_by(|a, b| a < b))?;
    Ok(places.into_iter().collect())
}

/// Bytes have one form only (FM-2).
fn ordered(at: usize, is: bool) -> Result<(), FormatError> {
    if is { Ok(()) } else { Err(FormatError::bad("windows", at, "are not in order, each once")) }
}

fn write_place(w: &mut Writer<'_>, (at, of): Place) {
    w.wall(at);
    schedule::write_id(w, of);
}

fn read_place(r: &mut Reader<'_>) -> Result<Place, FormatError> {
    Ok((r.wall("window")?, schedule::read_id(r)?))
}
