//! Which windows of which jobs an `after` trigger has seen succeed, and which of them it has decided.
//! - LW-1 a window that was decided is not decided again: it is in `begun`, or at or before `floor`

use std::collections::{BTreeMap, BTreeSet};

use crate::values::{ScheduleId, Wall, Window};

/// Windows kept of each job; the oldest go first.
pub const LEDGER_MAX: usize = 10_000;

/// A window: a schedule and the data interval that ends at its instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LedgerWindow {
    pub at: Wall,
    pub schedule: ScheduleId,
    pub from: Wall,
}

impl LedgerWindow {
    pub fn of(window: &Window) -> Self {
        Self { at: window.at, schedule: window.schedule, from: window.from }
    }
}

type WindowKey = (Wall, ScheduleId);

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ledger {
    /// Of the first job: has succeeded, and waits for the others. With where the interval begins.
    pub open: BTreeMap<WindowKey, Wall>,
    /// Of each further job, in the order of the list.
    pub done: Vec<BTreeSet<WindowKey>>,
    pub begun: BTreeSet<WindowKey>,
    /// Everything up to here counts as decided.
    pub floor: Wall,
}

impl Ledger {
    pub fn is_decided(&self, window: LedgerWindow) -> bool {
        window.at <= self.floor || self.begun.contains(&(window.at, window.schedule))
    }

    /// Whether the success of this window would tell anything new.
    pub(crate) fn is_news(&self, job: u32, window: LedgerWindow) -> bool {
        let place = (window.at, window.schedule);
        match job {
            0 => !self.is_decided(window) && !self.open.contains_key(&place),
            job => {
                window.at > self.floor
                    && !self.done.get(job as usize - 1).is_some_and(|done| done.contains(&place))
            }
        }
    }

    /// True if a window had to go that had not been decided.
    pub(super) fn note(&mut self, job: u32, window: LedgerWindow) -> bool {
        let place = (window.at, window.schedule);
        if job == 0 {
            self.open.insert(place, window.from);
            return self.open.len() > LEDGER_MAX && self.open.pop_first().is_some();
        }
        let index = job as usize - 1;
        if self.done.len() <= index {
            self.done.resize_with(index + 1, BTreeSet::new);
        }
        let done = &mut self.done[index];
        done.insert(place);
        if done.len() <= LEDGER_MAX {
            return false;
        }
        let gone = done.pop_first().map(|(at, _)| at);
        gone > self.begun.last().map(|(at, _)| *at)
    }

    pub(super) fn decide(&mut self, window: LedgerWindow) {
        let place = (window.at, window.schedule);
        self.open.remove(&place);
        self.begun.insert(place);
        while self.begun.len() > LEDGER_MAX
            && let Some((at, _)) = self.begun.pop_first()
        {
            self.floor = self.floor.max(at);
        }
    }

    /// How many windows of a job's schedule in (`from`, `at`] have succeeded; without a schedule: of any.
    pub(crate) fn count(&self, job: usize, schedule: Option<ScheduleId>, from: Wall, at: Wall) -> u64 {
        let Some(done) = job.checked_sub(1).and_then(|index| self.done.get(index)) else { return 0 };
        let within = done.range((from, ScheduleId::MAX)..=(at, ScheduleId::MAX));
        let wanted =
            |place: &&WindowKey| place.0 > from && schedule.is_none_or(|schedule| schedule == place.1);
        within.filter(wanted).count() as u64
    }

    /// Windows that wait and that this instant is part of.
    pub(crate) fn waiting(&self, at: Wall) -> Vec<LedgerWindow> {
        let open = self.open.range((at, ScheduleId::MIN)..).filter(|(_, from)| **from < at);
        open.map(|((at, schedule), from)| LedgerWindow { at: *at, schedule: *schedule, from: *from })
            .collect()
    }

    /// Other jobs are waited for from now on.
    pub(super) fn forget_waiting(&mut self) {
        self.open.clear();
        self.done.clear();
    }
}
