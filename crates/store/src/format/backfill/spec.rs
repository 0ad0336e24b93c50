//! What a backfill was made with.

use std::sync::Arc;

use mainspring_core::backfill::{BackfillSpec, Only, Order, Stride, Windows};

use crate::format::{FormatError, Reader, Writer, schedule};

const VERSION: u8 = 1;

pub(super) fn write(w: &mut Writer<'_>, spec: &BackfillSpec) {
    let BackfillSpec { key, from, to, only, windows, max_active, version, parameters } = spec;
    w.byte(VERSION);
    schedule::write_key(w, key);
    w.wall(*from);
    w.wall(*to);
    w.byte(*only as u8);
    w.byte(windows.order() as u8);
    w.wall(windows.first());
    w.list(windows.strides(), |w, Stride { gap, times }| {
        w.millis(*gap);
        w.varint((*times).into());
    });
    w.varint((*max_active).into());
    w.varint((*version).into());
    w.bytes(parameters);
}

pub(super) fn read(r: &mut Reader<'_>) -> Result<BackfillSpec, FormatError> {
    r.version("version of a backfill's content", VERSION)?;
    Ok(BackfillSpec {
        key: Arc::new(schedule::read_key(r)?),
        from: r.wall("from")?,
        to: r.wall("to")?,
        only: r.choice("which windows", Only::from_index)?,
        windows: read_windows(r)?,
        max_active: r.varint32("most active")?,
        version: r.varint32("version of the job")?,
        parameters: r.shared_bytes("parameters")?,
    })
}

fn read_windows(r: &mut Reader<'_>) -> Result<Windows, FormatError> {
    let order = r.choice("order of windows", Order::from_index)?;
    let at = r.at();
    let first = r.wall("first window")?;
    let strides = r.list("windows", |r| {
        Ok(Stride { gap: r.millis("gap between windows")?, times: r.varint32("times of a gap")? })
    })?;
    Windows::from_parts(order, first, strides)
        .ok_or_else(|| FormatError::bad("windows", at, "can not have these gaps"))
}
