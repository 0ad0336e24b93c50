//! Runs go on: what has ended makes other nodes ready, and ready ones are released, in the record of the end that
//! made them so.

use super::guard::PanicSubject;
use super::{Batch, Engine};
use crate::event::Event;
use crate::run::RunEvent;
use crate::run::decide::advance::{Step, next};

/// Events of one run before another has its turn.
const RUN_EVENTS_MAX: usize = 200;

impl Engine {
    /// Decides what can be decided in runs, until nothing can or the batch holds `events_max` events.
    pub fn advance(&mut self, batch: &mut Batch, events_max: usize) {
        self.allow_parsing();
        while batch.events.len() < events_max && self.may_parse() {
            self.run_waits(batch, events_max);
            if let Some(key) = self.state.flows.jobs_called.pop() {
                let upkeep = PanicSubject::Upkeep;
                let _ = self.guard(upkeep, batch, |engine, batch| engine.start_waiting(&key, batch));
                continue;
            }
            let Some(index) = self.state.flows.agenda.pop_front() else { return };
            let room = (events_max - batch.events.len()).min(RUN_EVENTS_MAX);
            let Some(id) = self.state.flows.runs.get(index).map(|run| run.id) else { continue };
            let subject = PanicSubject::Run(id);
            let advanced = self.guard(subject, batch, |engine, batch| engine.advance_run(index, room, batch));
            if let Some(run) = self.state.flows.runs.get_mut(index) {
                run.soft.on_agenda = false;
            }
            match advanced {
                Ok(true) => self.state.flows.call(index),
                Ok(false) => {}
                Err(message) => self.fail_run(index, &message, batch),
            }
            self.announce_ends(batch);
        }
    }

    /// Whether there is more to do in this run at once. The run counts as on the agenda meanwhile.
    fn advance_run(&mut self, index: crate::values::RunIndex, room: usize, batch: &mut Batch) -> bool {
        self.watch_lateness(index, batch);
        let full = batch.events.len() + room;
        while batch.events.len() < full {
            let evaluate = self.evaluate.clone();
            let config = (&self.config.limits, self.config.breaks);
            match next(&mut self.state, index, &*evaluate, config) {
                Step::Events(events) => self.commit_all(events, batch),
                Step::Until(at) => {
                    self.timers.set_run(index, Some(at));
                    return false;
                }
                Step::Idle => return false,
            }
        }
        true
    }

    /// Lets runs of a job start while it has room for them.
    fn start_waiting(&mut self, key: &crate::job::JobKey, batch: &mut Batch) {
        loop {
            let Some(job) = self.state.flows.jobs.get(key).filter(|job| !job.paused) else { return };
            let Some(index) = job.lanes.waiting.front().copied() else { return };
            let Some(run) = self.state.flows.runs.get(index) else { return };
            let (id, max) = (run.id, job.definition.plan.bounds.active_runs_max);
            // Those of backfills are last: behind one that has no room nothing live waits.
            if !job.lanes.has_room(max, run.is_backfill()) {
                return;
            }
            self.commit_one(Event::Run(RunEvent::RunStarted { id }), batch);
        }
    }

    pub(super) fn has_flow_work(&self) -> bool {
        !self.state.flows.agenda.is_empty() || self.state.flows.jobs_called.len() > 0
    }
}
