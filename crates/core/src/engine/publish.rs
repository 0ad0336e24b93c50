//! Every event goes through here, from outside or our own: [`Engine::announce`].
//! - PB-1 an event from outside is taken once by its key; what it began is in the record that bound the key
//! - PB-2 what one event can bring about is bounded: runs, decisions of triggers, and in one record waits that it ends

use std::sync::Arc;

use super::command::Answer;
use super::guard::PanicSubject;
use super::{Batch, Engine};
use crate::decision::Rejection;
use crate::event::Event;
use crate::job::{Job, JobKey};
use crate::run::{RunCreated, RunEvent, RunRefusal, StartedBy};
use crate::task::Payload;
use crate::trigger::decide::{Begun, Declined, FAN_OUT_MAX, Publish, Published};
use crate::trigger::{LedgerWindow, Skip, Trigger, TriggerEvent, TriggerFailed, TriggerFired};
use crate::values::{
    Band, Bucket, Cause, CloudEvent, DATA_BYTES_MAX, DEPTH_MAX, Name, RunId, TaskId, TriggerId, Window,
};

/// Triggers beyond the fan-out that are told of it; a record has room for no more.
const TOLD_MAX: usize = 200;
/// Of what is kept of an error.
const ERROR_CHARS_MAX: usize = 500;

/// Where an event comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum EventOrigin {
    /// From outside: runs are numbered from this id on.
    Outside(RunId),
    /// From the end of something of ours; with its depth.
    Own { ended: u128, depth: u8 },
}

/// What one trigger makes of one event.
pub(super) struct Shot<'a> {
    pub(super) notice: &'a Arc<CloudEvent>,
    pub(super) run: RunId,
    pub(super) depth: u8,
    /// Of an `after` trigger.
    pub(super) occasion: Option<Box<Window>>,
}

impl Shot<'_> {
    fn window(&self) -> Option<LedgerWindow> {
        let occasion = self.occasion.as_ref()?;
        Some(LedgerWindow { at: occasion.at, schedule: occasion.schedule, from: occasion.from })
    }
}

pub(super) enum Pulled {
    /// It was not meant.
    Nothing,
    Began,
    Skipped(Skip),
    Failed(Arc<str>),
}

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
        let taken =
            self.announce(&publish.tenant, &publish.notice, EventOrigin::Outside(publish.base), batch);
        let last = Publish::run(publish.base, taken.runs.len());
        let bound = Event::KeyBound { claim, entity: TaskId::from_bits(last.bits()) };
        self.commit(&mut vec![bound], batch);
        let Taken { runs, skipped, errors } = taken;
        Ok(Answer::Published(Box::new(Published::Taken { runs, skipped, errors })))
    }

    /// Called for every event: tasks that wait for it go on, and triggers are matched with it.
    pub(super) fn announce(
        &mut self,
        tenant: &Name,
        notice: &Arc<CloudEvent>,
        origin: EventOrigin,
        batch: &mut Batch,
    ) -> Taken {
        // What this event ends is told of when all that it means have heard of it.
        let was_telling = std::mem::replace(&mut self.is_telling, true);
        self.hear(tenant, notice, batch);
        let taken = self.match_triggers(tenant, notice, origin, batch);
        self.is_telling = was_telling;
        self.tell_ends(batch);
        taken
    }

    fn match_triggers(
        &mut self,
        tenant: &Name,
        notice: &Arc<CloudEvent>,
        origin: EventOrigin,
        batch: &mut Batch,
    ) -> Taken {
        let mut taken = Taken::default();
        let found = self.state.triggers.matching(tenant, notice);
        for (at, id) in found.into_iter().take(FAN_OUT_MAX + TOLD_MAX).enumerate() {
            let Some(key) = self.state.triggers.get(id).map(|hook| hook.key.clone()) else { continue };
            let shot = Shot {
                notice,
                run: self.run_for(id, origin, taken.runs.len() + 1),
                depth: match origin {
                    EventOrigin::Outside(_) => 0,
                    EventOrigin::Own { depth, .. } => depth + 1,
                },
                occasion: None,
            };
            let run = shot.run;
            let pulled =
                if at < FAN_OUT_MAX { self.pull(id, shot, batch) } else { self.skip_fan_out(id, batch) };
            match pulled {
                Pulled::Nothing => {}
                Pulled::Began => taken.runs.push(Begun { key, run }),
                Pulled::Skipped(skip) => taken.skipped.push(Declined::skipped(key, skip)),
                Pulled::Failed(what) => taken.errors.push(Declined { key, what }),
            }
        }
        taken
    }

    fn run_for(&self, id: TriggerId, origin: EventOrigin, number: usize) -> RunId {
        match origin {
            EventOrigin::Outside(base) => Publish::run(base, number),
            EventOrigin::Own { ended, .. } => self.run_after(id, ended, 0),
        }
    }

    /// The id of what a trigger begins when something of ours has ended.
    pub(super) fn run_after(&self, id: TriggerId, ended: u128, window_ms: u64) -> RunId {
        let bucket = self
            .state
            .triggers
            .get(id)
            .map_or_else(|| Bucket::home(RunId::from_bits(ended).bucket().group()), |hook| hook.spec.bucket);
        RunId::new(self.state.now.wall.millis(), bucket, id.mix(ended, self.state.seq.get(), window_ms))
    }

    fn skip_fan_out(&mut self, id: TriggerId, batch: &mut Batch) -> Pulled {
        let skipped = TriggerEvent::Skipped { id, skip: Skip::FanOut, window: None };
        self.commit(&mut vec![Event::Trigger(skipped)], batch);
        Pulled::Skipped(Skip::FanOut)
    }

    /// One trigger decides about one event, or about one window.
    pub(super) fn pull(&mut self, id: TriggerId, shot: Shot<'_>, batch: &mut Batch) -> Pulled {
        let window = shot.window();
        let decided = self.guard(PanicSubject::Trigger(id), batch, |engine, _| engine.decide_shot(id, shot));
        let decided = decided.unwrap_or_else(|message| Err(failed(&format!("internal error: {message}"))));
        let (pulled, mut events) = match decided {
            Ok(events) => (Pulled::Began, events),
            Err(Pulled::Skipped(skip)) => {
                let skipped = TriggerEvent::Skipped { id, skip, window };
                (Pulled::Skipped(skip), vec![Event::Trigger(skipped)])
            }
            Err(Pulled::Failed(what)) => {
                let failed = Box::new(TriggerFailed { id, what: what.clone(), window });
                (Pulled::Failed(what), vec![Event::Trigger(TriggerEvent::Failed(failed))])
            }
            Err(nothing) => (nothing, Vec::new()),
        };
        self.commit(&mut events, batch);
        pulled
    }

    fn decide_shot(&self, id: TriggerId, shot: Shot<'_>) -> Result<Vec<Event>, Pulled> {
        let (hook, job) = self.hook_and_job(id).ok_or(Pulled::Nothing)?;
        let window = shot.window();
        if let Some(condition) = &hook.spec.condition {
            match self.evaluate.accepts(condition, shot.notice) {
                Ok(true) => {}
                Ok(false) if window.is_some() => return Err(Pulled::Skipped(Skip::Condition)),
                Ok(false) => return Err(Pulled::Nothing),
                Err(why) => return Err(failed(&format!("its condition: {why}"))),
            }
        }
        if job.paused {
            return Err(Pulled::Skipped(Skip::Paused));
        }
        if hook.soft.active >= hook.spec.active_max {
            return Err(Pulled::Skipped(Skip::MaxActive));
        }
        if shot.depth > DEPTH_MAX {
            let why = format!("{DEPTH_MAX} runs have begun each other by their ends: this looks like a loop");
            return Err(failed(&why));
        }
        let (held, max) = (self.state.flows.runs.len(), self.config.limits.runs_max);
        if held >= max {
            return Err(failed(&RunRefusal::TooManyRuns { held, max }.to_string()));
        }
        let parameters = self.parameters_of(hook, job, shot.notice).map_err(|why| failed(&why))?;
        let fired = TriggerFired {
            id,
            source: shot.notice.source.clone(),
            event: shot.notice.id.clone(),
            run: shot.run,
            window,
        };
        let trigger = hook.key.name.clone();
        let created = RunCreated {
            id: shot.run,
            job: job.key.clone(),
            version: job.version,
            plan: None,
            parameters,
            priority: None,
            labels: None,
            key: None,
            trigger: StartedBy::Event,
            parent: None,
            rerun_of: None,
            reused: Vec::new(),
            occasion: shot.occasion,
            cause: Some(Box::new(Cause { trigger, notice: shot.notice.clone(), depth: shot.depth })),
        };
        let fired = Event::Trigger(TriggerEvent::Fired(Box::new(fired)));
        Ok(vec![fired, Event::Run(RunEvent::RunCreated(Box::new(created)))])
    }

    /// A trigger that listens, and its job.
    pub(super) fn hook_and_job(&self, id: TriggerId) -> Option<(&Trigger, &Job)> {
        let hook = self.state.triggers.get(id).filter(|hook| hook.deleted.is_none())?;
        let key = JobKey { tenant: hook.key.tenant.clone(), name: hook.key.job.clone() };
        let job = self.state.flows.jobs.get(&key).filter(|job| job.deleted.is_none())?;
        Some((hook, job))
    }

    fn parameters_of(&self, hook: &Trigger, job: &Job, notice: &CloudEvent) -> Result<Payload, String> {
        let template = &hook.spec.parameters;
        let given = if hook.spec.templated {
            self.evaluate.map(template, notice).map_err(|why| format!("its parameters: {why}"))?
        } else {
            template.clone()
        };
        let taken = self.evaluate.parameters(&job.definition, &given);
        taken.map_err(|why| format!("the job does not take its parameters: {why}"))
    }
}

fn failed(why: &str) -> Pulled {
    Pulled::Failed(why.chars().take(ERROR_CHARS_MAX).collect::<String>().into())
}
