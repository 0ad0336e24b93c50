//! Writes events of schedules.

use mainspring_core::schedule::{Passed, ScheduleEvent, Stored};

use super::{row, spec, window};
use crate::format::{EncodedProfiles, Writer};

/// First byte after the event's own type and version. Frozen: a number is never given away again.
pub(super) mod kind {
    pub const STORED: u8 = 1;
    pub const PAUSED: u8 = 2;
    pub const DELETED: u8 = 3;
    pub const ARMED: u8 = 4;
    pub const PASSED: u8 = 5;
    pub const HELD: u8 = 6;
    pub const FORGOTTEN: u8 = 7;
    pub const NEWEST: u8 = FORGOTTEN;
}

/// After the kind every event has the id of its schedule.
pub(in crate::format) fn write(w: &mut Writer<'_>, event: &ScheduleEvent, profiles: &mut EncodedProfiles) {
    w.byte(kind_of(event));
    window::write_id(w, event.id());
    match event {
        ScheduleEvent::Stored(stored) => {
            let Stored { id: _, key, spec, own, of_job, next } = &**stored;
            row::write_key(w, key);
            spec::write(w, (spec, *own), profiles);
            w.bool(*of_job);
            w.option(*next, Writer::wall);
        }
        ScheduleEvent::Paused { id: _, paused } => w.bool(*paused),
        ScheduleEvent::Deleted { id: _ } | ScheduleEvent::Forgotten { id: _ } => {}
        ScheduleEvent::Armed { id: _, next } => w.option(*next, Writer::wall),
        ScheduleEvent::Passed(passed) => {
            let Passed { id: _, first, last, count, outcome, next } = **passed;
            w.wall(first);
            w.wall(last);
            w.varint(count);
            window::write_outcome(w, outcome);
            w.option(next, Writer::wall);
        }
        ScheduleEvent::Held { id: _, window, next, fired_as } => {
            w.wall(*window);
            w.option(*next, Writer::wall);
            w.byte(*fired_as as u8);
        }
    }
}

fn kind_of(event: &ScheduleEvent) -> u8 {
    match event {
        ScheduleEvent::Stored(_) => kind::STORED,
        ScheduleEvent::Paused { .. } => kind::PAUSED,
        ScheduleEvent::Deleted { .. } => kind::DELETED,
        ScheduleEvent::Forgotten { .. } => kind::FORGOTTEN,
        ScheduleEvent::Armed { .. } => kind::ARMED,
        ScheduleEvent::Passed(_) => kind::PASSED,
        ScheduleEvent::Held { .. } => kind::HELD,
    }
}
