//! I5 to I7 for backfills: each runs the windows it was made with, in their order and each once, and ends when it has.

use std::collections::BTreeMap;

use mainspring_core::backfill::{BackfillEvent, Created, Only};
use mainspring_core::event::fired::BackfillStarted;
use mainspring_core::state::State;
use mainspring_core::values::{BackfillId, RunId, ScheduleId, Wall};

use super::{Check, require};

#[derive(Debug)]
struct Facts {
    schedule: ScheduleId,
    only: Only,
    windows: Vec<Wall>,
    max_active: u32,
    runs: Vec<RunId>,
    paused: bool,
    cancelled: bool,
}

#[derive(Debug, Default)]
pub(super) struct BackfillFold {
    backfills: BTreeMap<BackfillId, Facts>,
}

impl BackfillFold {
    pub(super) fn schedule(&self, id: BackfillId) -> Option<ScheduleId> {
        self.backfills.get(&id).map(|facts| facts.schedule)
    }

    /// Somebody asked for windows that have run.
    pub(super) fn may_repeat(&self, id: BackfillId) -> bool {
        self.backfills.get(&id).is_some_and(|facts| facts.only != Only::Missing)
    }

    /// Before the event is applied.
    pub(super) fn follow(&mut self, event: &BackfillEvent, state: &State) -> Check {
        if let BackfillEvent::Created(created) = event {
            return self.created(created, state);
        }
        let id = event.id();
        let Some(facts) = self.backfills.get_mut(&id) else {
            return require(false, "I6", || format!("{event:?} is of a backfill that nobody made"));
        };
        match event {
            BackfillEvent::Created(_) => Ok(()),
            BackfillEvent::Paused { paused, .. } => {
                facts.paused = *paused;
                Ok(())
            }
            BackfillEvent::Cancelled { .. } => {
                facts.cancelled = true;
                Ok(())
            }
            BackfillEvent::Ended { .. } => {
                let (ran, all) = (facts.runs.len(), facts.windows.len());
                require(facts.cancelled || ran == all, "I4", || {
                    format!("{id} ended, and {ran} of {all} windows ran")
                })?;
                require(facts.active(state) == 0, "I7", || format!("{id} ended before its runs"))?;
                self.backfills.remove(&id);
                Ok(())
            }
        }
    }

    pub(super) fn started(&mut self, started: BackfillStarted, state: &State) -> Check {
        let BackfillStarted { id, window, run, .. } = started;
        let Some(facts) = self.backfills.get_mut(&id) else {
            return require(false, "I6", || format!("{started:?} is of a backfill that nobody made"));
        };
        facts.started(id, window, run, state)
    }

    fn created(&mut self, created: &Created, state: &State) -> Check {
        let Created { id, schedule, spec, .. } = created;
        let other = self.backfills.iter().find(|(_, facts)| facts.schedule == *schedule);
        require(other.is_none(), "I7", || format!("{id} began beside {:?}", other.map(|(id, _)| *id)))?;
        let next = state.schedules().get(*schedule).and_then(|schedule| schedule.next);
        require(next.is_none_or(|next| spec.windows.newest() < next), "I6", || {
            format!("{id} has windows that lie ahead")
        })?;
        let facts = Facts {
            schedule: *schedule,
            only: spec.only,
            windows: spec.windows.iter().collect(),
            max_active: spec.max_active,
            runs: Vec::new(),
            paused: false,
            cancelled: false,
        };
        self.backfills.insert(*id, facts);
        Ok(())
    }
}

impl Facts {
    fn started(&mut self, id: BackfillId, window: Wall, run: RunId, state: &State) -> Check {
        let wanted = self.windows.get(self.runs.len()).copied();
        require(wanted == Some(window), "I5", || format!("{id} began {window:?}, its turn had {wanted:?}"))?;
        require(!self.paused && !self.cancelled, "I6", || format!("{id} began {window:?} while it was off"))?;
        require(self.active(state) < self.max_active as usize, "I7", || {
            format!("{id} began {window:?} although as many run as may")
        })?;
        self.runs.push(run);
        Ok(())
    }

    fn active(&self, state: &State) -> usize {
        let unfinished = |run: &&RunId| state.job_runs().run(**run).is_some_and(|run| !run.status.is_ended());
        self.runs.iter().filter(unfinished).count()
    }
}
