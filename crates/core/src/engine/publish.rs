//! Events from outside: [`Engine::publish`]. How a trigger decides about one event, from outside or our own: [`Engine::pull`].
//! - PB-1 an event from outside is taken once by its key; what it began is in the record that bound the key
//! - PB-2 what one event can bring about is bounded: runs, decisions of triggers, and in one record waits that it ends

use super::announce::FAN_OUT_TOLD_MAX;
use super::command::Answer;
use super::guard::PanicSubject;
use super::{Batch, Engine};
use crate::decision::Rejection;
use crate::event::Event;
use crate::run::RunRefusal;
use crate::trigger::decide::fire::{self, Pulled, Shot, declined, failed};
use crate::trigger::decide::{Begun, Declined, FAN_OUT_MAX, Publish, Published};
use crate::trigger::{Skip, TriggerEvent};
use crate::values::{Band, DATA_BYTES_MAX, RunId, TaskId, TriggerId};

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
        let (held, max) = (self.state.flows.runs.len(), self.config.limits.runs_max);
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
        let found = self.state.triggers.matching(&publish.tenant, &publish.notice);
        for (place, id) in found.into_iter().take(FAN_OUT_MAX + FAN_OUT_TOLD_MAX).enumerate() {
            let Some(key) = self.state.triggers.get(id).map(|trigger| trigger.key.clone()) else { continue };
            let run = Publish::run(publish.base, taken.runs.len() + 1);
            let shot = Shot { notice: &publish.notice, run, depth: 0, occasion: None };
            let pulled =
                if place < FAN_OUT_MAX { self.pull(id, shot, batch) } else { self.skip_fan_out(id, batch) };
            match pulled {
                Pulled::Nothing => {}
                Pulled::Began => taken.runs.push(Begun { key, run }),
                Pulled::Skipped(skip) => taken.skipped.push(Declined::skipped(key, skip)),
                Pulled::Failed(what) => taken.errors.push(Declined { key, what }),
            }
        }
        taken
    }

    pub(super) fn skip_fan_out(&mut self, id: TriggerId, batch: &mut Batch) -> Pulled {
        let skipped = TriggerEvent::Skipped { id, skip: Skip::FanOut, window: None };
        self.commit_one(Event::Trigger(skipped), batch);
        Pulled::Skipped(Skip::FanOut)
    }

    /// One trigger decides about one event, or about one window. If that panics it declines.
    pub(super) fn pull(&mut self, id: TriggerId, shot: Shot<'_>, batch: &mut Batch) -> Pulled {
        let window = shot.window();
        let subject = PanicSubject::Trigger(id);
        let decided = self.guard(subject, batch, |engine, _| fire::decide(&engine.view(), id, shot));
        let decided = decided.unwrap_or_else(|message| Err(failed(&format!("internal error: {message}"))));
        match decided {
            Ok(events) => {
                self.commit_all(events, batch);
                Pulled::Began
            }
            Err(pulled) => {
                self.commit_all(declined(id, &pulled, window), batch);
                pulled
            }
        }
    }
}
