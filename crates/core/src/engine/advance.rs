//! Runs go on: what has ended makes other nodes ready, and ready ones are released, in the record of the end that
//! made them so.

use std::sync::Arc;

use super::decide::{PanicSubject, Undecided};
use super::{Batch, Engine};
use crate::decision::Next;
use crate::job::JobKey;
use crate::run::decide::{advance, start};
use crate::values::RunIndex;

/// Events of one run before another has its turn.
const RUN_EVENTS_MAX: usize = 200;

impl Engine {
    /// Decides what can be decided in runs, until nothing can or the batch holds `events_max` events.
    pub(super) fn advance(&mut self, batch: &mut Batch, events_max: usize) {
        self.allow_parsing();
        while batch.events.len() < events_max && self.may_parse() {
            self.run_waits(batch, events_max);
            if let Some(job) = self.work.take_job() {
                self.start_runs(&job, batch);
                continue;
            }
            let Some(index) = self.work.take_run() else { return };
            let room = (events_max - batch.events.len()).min(RUN_EVENTS_MAX);
            let advanced = self.advance_run(index, room, batch);
            self.work.run_done(index);
            match advanced {
                Ok(Next::Again) => self.work.run(index),
                Ok(Next::At(at)) => self.timers.set_run(index, Some(at)),
                Ok(Next::Done) => {}
                Err(message) => self.fail_run(index, &message, batch),
            }
            self.announce_ends(batch);
        }
    }

    /// Looks at a run until there is nothing to decide, or it has had its turn.
    fn advance_run(&mut self, index: RunIndex, room: usize, batch: &mut Batch) -> Result<Next, Arc<str>> {
        self.watch_lateness(index, batch);
        let full = batch.events.len() + room;
        while batch.events.len() < full {
            let from = batch.events.len();
            let next = self.look_at_run(index, batch)?;
            self.commit(batch, from);
            if next != Next::Again {
                return Ok(next);
            }
        }
        Ok(Next::Again)
    }

    /// The lists of the run are lent to the decision: they go on when it has returned.
    fn look_at_run(&mut self, index: RunIndex, batch: &mut Batch) -> Result<Next, Arc<str>> {
        let Some(run) = self.state.job_runs.runs.get_mut(index) else { return Ok(Next::Done) };
        let (subject, mut lists) = (PanicSubject::Run(run.id), std::mem::take(&mut run.soft.lists));
        let looked = self.rule(subject, batch, |view, out| Ok(advance::decide(view, index, &mut lists, out)));
        let run = self.state.job_runs.runs.get_mut(index).expect("GD-2: a rule changes no state");
        run.soft.lists = lists;
        looked.map_err(|undecided| {
            // What was taken from its lists and not decided is found again.
            run.look_again();
            match undecided {
                Undecided::Panicked(message) => message,
                Undecided::Refused(_) => unreachable!("GD-1: a look refuses nothing"),
            }
        })
    }

    /// Lets runs of a job start while it has room for them.
    fn start_runs(&mut self, job: &JobKey, batch: &mut Batch) {
        let mut looked = Ok(Next::Again);
        while looked == Ok(Next::Again) {
            looked = self.look(PanicSubject::Upkeep, batch, |view, out| start::decide(view, job, out));
        }
    }
}
