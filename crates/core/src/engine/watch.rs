//! The watchdog of runs: which take too long, which do not change, and which nothing will bring on. It tells; a stuck
//! run is looked at again as well, and so is one of which a decision was missed.

use super::{Batch, Engine};
use crate::decision::{Effect, RunAlert};
use crate::run::owed::DECIDED_WITHIN;
use crate::values::RunIndex;

impl Engine {
    /// Tells of a run that has just become late. Called whenever something is decided in it, and when that is due.
    pub(super) fn watch_lateness(&mut self, index: RunIndex, batch: &mut Batch) {
        let now = self.state.now.wall;
        let Some(run) = self.state.job_runs.runs.get_mut(index) else { return };
        let (id, (late, overdue)) = (run.id, run.mark_late(now));
        for (news, alert) in [(late, RunAlert::Late), (overdue, RunAlert::Overdue)] {
            if news {
                self.tell_of_run(id, alert, batch);
            }
        }
    }

    /// A run comes under the sweep. Cheap unless nothing happened in it for long.
    pub(super) fn watch_slot(&mut self, index: RunIndex, batch: &mut Batch) {
        let now = self.state.now;
        self.watch_lateness(index, batch);
        let timer = self.timers.of_run(index).is_some_and(|at| at <= now.elapsed + DECIDED_WITHIN);
        let listed = self.work.has_run(index);
        let Some(run) = self.state.job_runs.runs.get_mut(index) else { return };
        let (id, stuck) = (run.id, run.is_stuck(listed, timer));
        let quiet = run.mark_quiet(now.wall);
        let told = stuck && run.mark_stalled();
        for (news, alert) in [(quiet, RunAlert::Quiet), (told, RunAlert::Stalled)] {
            if news {
                self.tell_of_run(id, alert, batch);
            }
        }
        let Some(run) = self.state.job_runs.runs.get(index) else { return };
        let missed =
            run.is_quiet() && !listed && !timer && { run.is_decidable(self.state.job_runs.jobs(), now.wall) };
        if stuck || missed {
            if let Some(run) = self.state.job_runs.runs.get_mut(index) {
                run.look_again();
            }
            self.work.run(index);
        }
    }

    fn tell_of_run(&mut self, run: crate::values::RunId, alert: RunAlert, batch: &mut Batch) {
        let count = match alert {
            RunAlert::Late => &mut self.counts.runs_late,
            RunAlert::Overdue => &mut self.counts.runs_overdue,
            RunAlert::Quiet => &mut self.counts.runs_quiet,
            RunAlert::Stalled => &mut self.counts.runs_stalled,
        };
        *count += 1;
        batch.effects.push(Effect::RunAlert { run, alert });
    }
}
