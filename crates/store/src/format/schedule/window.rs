//! Windows: what they began, why they began nothing, and which one a run or a task is for.

use mainspring_core::id::{RunId, ScheduleId, TaskId};
use mainspring_core::schedule::{Made, Occasion, Outcome, Punctual, Reason};

use crate::format::{FormatError, Reader, Writer};

pub(super) fn write_id(w: &mut Writer<'_>, id: ScheduleId) {
    w.varint(id.get().into());
}

pub(super) fn read_id(r: &mut Reader<'_>) -> Result<ScheduleId, FormatError> {
    r.varint32("schedule").map(ScheduleId::new)
}

pub(super) fn write_made(w: &mut Writer<'_>, made: Made) {
    w.byte(match made {
        Made::Run(_) => 0,
        Made::Task(_) => 1,
    });
    w.wide(made.bits());
}

pub(super) fn read_made(r: &mut Reader<'_>) -> Result<Made, FormatError> {
    let at = r.at();
    match r.byte("what a window began")? {
        0 => Ok(Made::Run(RunId::from_bits(r.wide("run id")?))),
        1 => Ok(Made::Task(TaskId::from_bits(r.wide("task id")?))),
        _ => Err(FormatError::bad("what a window began", at, "has no such value")),
    }
}

pub(super) fn read_punctual(r: &mut Reader<'_>) -> Result<Punctual, FormatError> {
    r.choice("punctuality", Punctual::from_index)
}

pub(super) fn write_outcome(w: &mut Writer<'_>, outcome: Outcome) {
    w.byte(match outcome {
        Outcome::Skipped(_) => 0,
        Outcome::Missed(_) => 1,
    });
    w.byte(outcome.reason() as u8);
}

pub(super) fn read_outcome(r: &mut Reader<'_>) -> Result<Outcome, FormatError> {
    let outcome = r.choice("outcome", |byte| match byte {
        0 => Some(Outcome::Skipped as fn(Reason) -> Outcome),
        1 => Some(Outcome::Missed),
        _ => None,
    })?;
    r.choice("reason", Reason::from_index).map(outcome)
}

pub(in crate::format) fn write_occasion(w: &mut Writer<'_>, occasion: &Occasion) {
    write_id(w, occasion.schedule);
    w.name(&occasion.name);
    w.wall(occasion.at);
    w.wall(occasion.from);
    w.byte(occasion.punctual as u8);
}

pub(in crate::format) fn read_occasion(r: &mut Reader<'_>) -> Result<Box<Occasion>, FormatError> {
    Ok(Box::new(Occasion {
        schedule: read_id(r)?,
        name: r.name("schedule")?,
        at: r.wall("window")?,
        from: r.wall("window before")?,
        punctual: read_punctual(r)?,
    }))
}
