//! Rows of what became of the windows of schedules.
//! - SR-1 a window is one row by (schedule, first window, kind): what a replayed record decided is written over
//!   itself, and whoever writes it again loses nothing

use mainspring_core::schedule::{Reason, Unfired, WindowRow};
use mainspring_core::values::{FiredAs, RunId, Started, TaskId, Wall};

/// The place of a window among those of its schedule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct WindowCursor {
    pub first: Wall,
    pub kind: u8,
}

impl WindowCursor {
    pub fn of(window: &WindowRow) -> Self {
        Self { first: window.first, kind: kind(window) }
    }
}

/// What became of windows, as a number that stores keep. Frozen.
mod base {
    pub const RUN: u8 = 0;
    pub const TASK: u8 = 0x10;
    pub const SKIPPED: u8 = 0x20;
    pub const MISSED: u8 = 0x40;
    pub const WITHIN: u8 = 0x0f;
}

/// Tells apart what can become of one window.
pub fn kind(window: &WindowRow) -> u8 {
    match window.what {
        Ok((Started::Run(_), fired_as)) => base::RUN + fired_as as u8,
        Ok((Started::Task(_), fired_as)) => base::TASK + fired_as as u8,
        Err(Unfired::Skipped(reason)) => base::SKIPPED + reason as u8,
        Err(Unfired::Missed(reason)) => base::MISSED + reason as u8,
    }
}

/// The bits of what a window began, if it began something.
pub fn made(window: &WindowRow) -> Option<u128> {
    window.what.ok().map(|(made, _)| made.bits())
}

/// The reverse of [`kind`] and [`made`]; `None` if these two never stood together.
pub fn what(kind: u8, made: Option<u128>) -> Option<Result<(Started, FiredAs), Unfired>> {
    let within = kind & base::WITHIN;
    let (fired_as, reason) = (FiredAs::from_index(within), Reason::from_index(within));
    Some(match (kind - within, made) {
        (base::RUN, Some(bits)) => Ok((Started::Run(RunId::from_bits(bits)), fired_as?)),
        (base::TASK, Some(bits)) => Ok((Started::Task(TaskId::from_bits(bits)), fired_as?)),
        (base::SKIPPED, None) => Err(Unfired::Skipped(reason?)),
        (base::MISSED, None) => Err(Unfired::Missed(reason?)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use mainspring_core::values::{Group, ScheduleId};

    use super::*;

    #[test]
    fn every_outcome_has_its_own_number_and_comes_back() {
        let (run, task) = (Started::Run(RunId::from_bits(7)), Started::Task(TaskId::from_bits(7)));
        let fired =
            [run, task].into_iter().flat_map(|made| FiredAs::ALL.map(|fired_as| Ok((made, fired_as))));
        let passed =
            Reason::ALL.into_iter().flat_map(|reason| [Unfired::Skipped(reason), Unfired::Missed(reason)]);
        let mut kinds = Vec::new();
        for outcome in fired.chain(passed.map(Err)) {
            let row = WindowRow {
                schedule: ScheduleId::from_bits(1),
                group: Group::ZERO,
                first: Wall::ZERO,
                last: Wall::ZERO,
                count: 1,
                what: outcome,
                at: Wall::ZERO,
            };
            assert_eq!(what(kind(&row), made(&row)), Some(outcome));
            kinds.push(kind(&row));
        }
        let count = kinds.len();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!((kinds.len(), count), (30, 30));
    }

    #[test]
    fn numbers_that_were_never_written_are_nothing() {
        for (kind, made) in
            [(5, Some(1)), (0, None), (0x20, Some(1)), (0x2a, None), (0x60, None), (0xff, None)]
        {
            assert_eq!(what(kind, made), None, "{kind:#x}");
        }
    }
}
