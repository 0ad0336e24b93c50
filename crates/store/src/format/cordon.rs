//! Cordons of workers: their event, and their row.

use mainspring_core::values::Seq;
use mainspring_core::worker::{Cordon, CordonEvent, CordonLifted};

use super::{EncodedProfiles, FormatError, Reader, Writer};
use crate::entity::{EntityBytes, EntityError, EntityFormat, EntityRow, ReadWith};

const VERSION: u8 = 1;

pub(super) fn write_event(w: &mut Writer<'_>, event: &CordonEvent) {
    match event {
        CordonEvent::Set { worker, drains, by } => {
            w.byte(0);
            w.worker_id(*worker);
            w.bool(*drains);
            w.over(by);
        }
        CordonEvent::Lifted { worker, by } => {
            w.byte(1);
            w.worker_id(*worker);
            w.over(by);
        }
    }
}

pub(super) fn read_event(r: &mut Reader<'_>) -> Result<CordonEvent, FormatError> {
    let at = r.at();
    match r.byte("event of a cordon")? {
        0 => Ok(CordonEvent::Set { worker: r.worker_id()?, drains: r.bool("drains")?, by: r.over()? }),
        1 => Ok(CordonEvent::Lifted { worker: r.worker_id()?, by: r.over()? }),
        found => Err(FormatError::newer("event of a cordon", at, found, 1)),
    }
}

impl EntityFormat for Cordon {
    fn write(&self, out: &mut EntityBytes, _: &mut EncodedProfiles) {
        let w = &mut Writer::new(&mut out.bytes);
        w.byte(VERSION);
        w.worker_id(self.worker);
        w.bool(self.drains);
        w.over(&self.by);
        w.wall(self.since);
        w.option(self.lifted.as_ref(), |w, lifted| {
            w.wall(lifted.at);
            w.over(&lifted.by);
        });
        w.varint(self.touched.get());
    }

    fn read(row: &EntityRow, _: &mut ReadWith<'_>) -> Result<Self, EntityError> {
        let r = &mut Reader::new(&row.bytes);
        r.version("cordon version", VERSION)?;
        let cordon = Self {
            worker: r.worker_id()?,
            drains: r.bool("drains")?,
            by: r.over()?,
            since: r.wall("since")?,
            lifted: r.option("lifted", |r| Ok(CordonLifted { at: r.wall("lifted")?, by: r.over()? }))?,
            touched: Seq::new(r.varint("touched")?),
        };
        r.finish("cordon")?;
        Ok(cordon)
    }
}
