//! Events from outside.
//! - PB-1 an event from outside is taken once by its key; what it began is in the record that bound the key
//! - PB-2 what one event can bring about is bounded: runs, decisions of triggers, and in one record waits that it ends

use super::command::Answer;
use super::decide::PanicSubject;
use super::{Batch, Engine};
use crate::decision::Rejection;
use crate::event::Event;
use crate::run::RunRefusal;
use crate::trigger::decide::announce::FAN_OUT_TOLD_MAX;
use crate::trigger::decide::fire::{Pulled, Shot, skip_fan_out};
use crate::trigger::decide::{Begun, Declined, FAN_OUT_MAX, Publish, Published};
use crate::values::{Band, DATA_BYTES_MAX, RunId, TaskId};

#[derive(Default)]
pub(super) struct Taken {
    runs: Vec<Begun>,
    skipped: Vec<Declined>,
    errors: Vec<Declined>,
}

impl Engine {
    pub(super) fn publish(&mut self, publish: &Publish, batch: &mut Batch) -> Result<Answer, Rejection> {
        let (claim, fact) = publish.key;
        if let Some(binding) = self.state.keys().known(claim.scope, fact)
            && !self.config.breaks.event_twice
        {
            let runs = Publish::runs(RunId::from_bits(binding.task.bits()));
            return Ok(Answer::Published(Box::new(Published::Duplicate { runs })));
        }
        crate::task::decide::submit::check_pressure(self.pressure, Band::P1)?;
        let (bytes, max) = (publish.notice.bytes(), DATA_BYTES_MAX);
        if bytes > max {
            return Err(Rejection::PayloadTooLarge { bytes, max });
        }
        let (held, max) = (self.state.job_runs.runs.len(), self.config.limits.runs_max);
        if held >= max {
            return Err(RunRefusal::TooManyRuns { held, max }.into());
        }
        self.end_waits(&publish.tenant, &publish.notice, batch);
        let taken = self.match_triggers(publish, batch);
        let last = Publish::run(publish.base, taken.runs.len());
        let bound = Event::KeyBound { claim, entity: TaskId::from_bits(last.bits()) };
        self.commit_one(bound, batch);
        let Taken { runs, skipped, errors } = taken;
        Ok(Answer::Published(Box::new(Published::Taken { runs, skipped, errors })))
    }

    /// All of them in this record: the answer names what they began.
    fn match_triggers(&mut self, publish: &Publish, batch: &mut Batch) -> Taken {
        let mut taken = Taken::default();
        let found = self.look(PanicSubject::Command("publish"), batch, |view, _| {
            view.state.triggers.matching(&publish.tenant, &publish.notice)
        });
        let found = found.unwrap_or_default();
        for (place, id) in found.into_iter().take(FAN_OUT_MAX + FAN_OUT_TOLD_MAX).enumerate() {
            let Some(key) = self.state.triggers.get(id).map(|trigger| trigger.key.clone()) else { continue };
            let run = Publish::run(publish.base, taken.runs.len() + 1);
            let shot = Shot { notice: &publish.notice, run, depth: 0, window: None };
            let pulled = if place < FAN_OUT_MAX {
                self.pull(id, shot, batch)
            } else {
                let skipped = self.look(PanicSubject::Trigger(id), batch, |_, out| skip_fan_out(id, out));
                skipped.unwrap_or(Pulled::Nothing)
            };
            match pulled {
                Pulled::Nothing => {}
                Pulled::Began => taken.runs.push(Begun { key, run }),
                Pulled::Skipped(skip) => taken.skipped.push(Declined::skipped(key, skip)),
                Pulled::Failed(what) => taken.errors.push(Declined { key, what }),
            }
        }
        taken
    }
}
