//! Windows: what they began, why they began nothing, and which one a run or a task is for.

use mainspring_core::schedule::{Reason, Unfired};
use mainspring_core::values::{FiredAs, RunId, ScheduleId, Started, TaskId, Window};

use crate::format::{FormatError, Reader, Writer};

pub(in crate::format) fn write_id(w: &mut Writer<'_>, id: ScheduleId) {
    w.numbered(id.bucket(), id.number());
}

pub(in crate::format) fn read_id(r: &mut Reader<'_>) -> Result<ScheduleId, FormatError> {
    let (bucket, number) = r.numbered("schedule")?;
    Ok(ScheduleId::new(bucket, number))
}

pub(super) fn write_made(w: &mut Writer<'_>, made: Started) {
    w.byte(match made {
        Started::Run(_) => 0,
        Started::Task(_) => 1,
    });
    w.wide(made.bits());
}

pub(super) fn read_made(r: &mut Reader<'_>) -> Result<Started, FormatError> {
    let at = r.at();
    match r.byte("what a window began")? {
        0 => Ok(Started::Run(RunId::from_bits(r.wide("run id")?))),
        1 => Ok(Started::Task(TaskId::from_bits(r.wide("task id")?))),
        _ => Err(FormatError::bad("what a window began", at, "has no such value")),
    }
}

pub(super) fn read_fired_as(r: &mut Reader<'_>) -> Result<FiredAs, FormatError> {
    r.choice("how it fired", FiredAs::from_index)
}

pub(super) fn write_outcome(w: &mut Writer<'_>, outcome: Unfired) {
    w.byte(match outcome {
        Unfired::Skipped(_) => 0,
        Unfired::Missed(_) => 1,
    });
    w.byte(outcome.reason() as u8);
}

pub(super) fn read_outcome(r: &mut Reader<'_>) -> Result<Unfired, FormatError> {
    let outcome = r.choice("outcome", |byte| match byte {
        0 => Some(Unfired::Skipped as fn(Reason) -> Unfired),
        1 => Some(Unfired::Missed),
        _ => None,
    })?;
    r.choice("reason", Reason::from_index).map(outcome)
}

pub(in crate::format) fn write_window(w: &mut Writer<'_>, window: &Window) {
    write_id(w, window.schedule);
    w.name(&window.name);
    w.wall(window.at);
    w.wall(window.from);
    w.byte(window.fired_as as u8);
}

pub(in crate::format) fn read_window(r: &mut Reader<'_>) -> Result<Box<Window>, FormatError> {
    Ok(Box::new(Window {
        schedule: read_id(r)?,
        name: r.name("schedule")?,
        at: r.wall("window")?,
        from: r.wall("window before")?,
        fired_as: read_fired_as(r)?,
    }))
}
