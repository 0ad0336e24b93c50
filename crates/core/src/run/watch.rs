//! The watchdog's view of a run: late, quiet, or stuck. Marks are soft; whoever finds one tells of it once.

use super::state::Run;
use crate::values::{Millis, RunStatus, Wall};

/// A run that did not change for so long is told of.
pub const QUIET_AFTER: Millis = Millis::from_secs(30 * 60);

/// What was told about a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Watch {
    /// It takes longer than expected.
    pub late: bool,
    /// More than twice as long.
    pub overdue: bool,
    /// Nothing had changed since this instant.
    quiet: Option<Wall>,
    /// Nothing was out, ready or awaited, and nothing had changed since this instant.
    stalled: Option<Wall>,
}

impl Run {
    /// It took, or takes, longer than its job expects.
    pub fn is_late(&self) -> bool {
        if self.status.is_ended() { self.longer_than(1, self.ended) } else { self.soft.watch.late }
    }

    pub fn is_quiet(&self) -> bool {
        self.soft.watch.quiet == Some(self.changed)
    }

    /// Nothing will bring it on by itself, as far as the watchdog saw.
    pub fn is_stalled(&self) -> bool {
        self.soft.watch.stalled == Some(self.changed)
    }

    /// What the watchdog has to say, in words for programs.
    pub fn marks(&self) -> impl Iterator<Item = &'static str> {
        let marks = [(self.is_late(), "late"), (self.is_quiet(), "quiet"), (self.is_stalled(), "stalled")];
        marks.into_iter().filter(|(marked, _)| *marked).map(|(_, mark)| mark)
    }

    fn longer_than(&self, times: u64, now: Wall) -> bool {
        let began = self.started > Wall::ZERO;
        began
            && self
                .plan
                .bounds
                .expected
                .is_some_and(|span| now.since(self.started) > span.saturating_mul(times))
    }

    /// Whether it became late just now; then whether it became so twice over.
    pub(crate) fn mark_late(&mut self, now: Wall) -> (bool, bool) {
        if self.status != RunStatus::Running {
            return (false, false);
        }
        let (late, overdue) = (self.longer_than(1, now), self.longer_than(2, now));
        let before = self.soft.watch;
        (self.soft.watch.late, self.soft.watch.overdue) = (late, overdue);
        (late && !before.late, overdue && !before.overdue)
    }

    /// The next instant at which it becomes later than it was told to be.
    pub(crate) fn next_late(&self) -> Option<Wall> {
        let expected = self.plan.bounds.expected?;
        let times = match self.soft.watch {
            Watch { overdue: true, .. } => return None,
            Watch { late: true, .. } => 2,
            Watch { .. } => 1,
        };
        Some(self.started + expected.saturating_mul(times) + Millis::new(1))
    }

    /// A timer is owed for it.
    pub(crate) fn may_become_late(&self) -> bool {
        self.is_working() && self.unfinished > 0 && self.next_late().is_some()
    }

    /// True if nothing changed for long and that was not told.
    pub(crate) fn mark_quiet(&mut self, now: Wall) -> bool {
        let working = self.status == RunStatus::Running && self.pause.is_none();
        let waits = !self.holds.is_empty() && self.out == 0;
        let news = working && !waits && now.since(self.changed) >= QUIET_AFTER && !self.is_quiet();
        if news {
            self.soft.watch.quiet = Some(self.changed);
        }
        news
    }

    /// Nothing is out, nothing is awaited and nobody will look at it. `listed`: it is on the work list; `timer`: one is
    /// armed for it.
    pub(crate) fn is_stuck(&self, listed: bool, timer: bool) -> bool {
        let working = self.status == RunStatus::Running && self.pause.is_none();
        let looked_at = listed || timer && self.soft.lists.has_ready();
        working && self.out == 0 && self.holds.is_empty() && !looked_at
    }

    /// True if that was not told.
    pub(crate) fn mark_stalled(&mut self) -> bool {
        let news = !self.is_stalled();
        self.soft.watch.stalled = Some(self.changed);
        news
    }

    /// Everything soft anew, save what was told and how fast it releases.
    pub(crate) fn look_again(&mut self) {
        let (watch, releases) = (self.soft.watch, self.soft.lists.releases);
        self.derive();
        (self.soft.watch, self.soft.lists.releases) = (watch, releases);
    }
}
