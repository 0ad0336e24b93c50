//! When a schedule fires. A cron expression is its masks, because its text does not say what `H` was drawn from; a time
//! zone is its name, because numbers differ from program to program.

use mainspring_core::calendar::{Cron, Dst, Missing, Timetable, Twice, Zone};
use mainspring_core::schedule::Timing;

use crate::format::{FormatError, Reader, Writer};

mod form {
    pub const CRON: u8 = 0;
    pub const EVERY: u8 = 1;
    pub const INSTANTS: u8 = 2;
    pub const AFTER: u8 = 3;
}

pub(super) fn write(w: &mut Writer<'_>, timing: &Timing) {
    match timing {
        Timing::Table(Timetable::Cron { cron, zone, dst }) => {
            w.byte(form::CRON);
            cron.masks().into_iter().for_each(|mask| w.varint(mask));
            w.text(zone.name());
            w.byte(dst.missing as u8);
            w.byte(dst.twice as u8);
        }
        Timing::Table(Timetable::Every { every, anchor }) => {
            w.byte(form::EVERY);
            w.millis(*every);
            w.wall(*anchor);
        }
        Timing::Table(Timetable::Instants(instants)) => {
            w.byte(form::INSTANTS);
            w.list(instants, |w, at| w.wall(*at));
        }
        Timing::After(delay) => {
            w.byte(form::AFTER);
            w.millis(*delay);
        }
    }
}

pub(super) fn read(r: &mut Reader<'_>) -> Result<Timing, FormatError> {
    let at = r.at();
    match r.byte("timing")? {
        form::CRON => Ok(Timing::Table(Timetable::Cron {
            cron: read_cron(r)?,
            zone: read_zone(r)?,
            dst: Dst {
                missing: r.choice("policy for missing times", Missing::from_index)?,
                twice: r.choice("policy for times that come twice", Twice::from_index)?,
            },
        })),
        form::EVERY => Ok(Timing::Table(Timetable::Every {
            every: r.millis("interval")?,
            anchor: r.wall("anchor of an interval")?,
        })),
        form::INSTANTS => read_instants(r).map(Timing::Table),
        form::AFTER => Ok(Timing::After(r.millis("delay")?)),
        found => Err(FormatError::newer("timing", at, found, form::AFTER)),
    }
}

fn read_cron(r: &mut Reader<'_>) -> Result<Cron, FormatError> {
    let at = r.at();
    let mut masks = [0; 10];
    for mask in &mut masks {
        *mask = r.varint("cron expression")?;
    }
    Cron::from_masks(masks).ok_or_else(|| FormatError::bad("cron expression", at, "can not have these masks"))
}

fn read_zone(r: &mut Reader<'_>) -> Result<Zone, FormatError> {
    let at = r.at();
    let name = r.name("time zone")?;
    match Zone::find(&name) {
        Some(zone) if zone.name() == &*name => Ok(zone),
        // Zones are found whatever their capital letters; bytes have one form only (FM-2).
        Some(_) => Err(FormatError::bad("time zone", at, "is not spelled as it is written")),
        None => Err(FormatError::Zone { name, at }),
    }
}

fn read_instants(r: &mut Reader<'_>) -> Result<Timetable, FormatError> {
    let at = r.at();
    let instants = r.list("instants", |r| r.wall("instant"))?;
    if instants.is_sorted_by(|a, b| a < b) {
        Ok(Timetable::instants(instants))
    } else {
        Err(FormatError::bad("instants", at, "are not in order, each once"))
    }
}
