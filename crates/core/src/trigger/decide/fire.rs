//! One trigger decides about one event, or about one window.

use std::sync::Arc;

use crate::decision::{Out, View};
use crate::event::Event;
use crate::job::{Job, JobKey};
use crate::run::{Origin, RunCreated, RunEvent, RunRefusal, StartedBy};
use crate::task::Payload;
use crate::trigger::{LedgerWindow, Skip, Trigger, TriggerEvent, TriggerFailed};
use crate::values::{Bucket, Cause, CloudEvent, DEPTH_MAX, FiredBy, RunId, TriggerId, Window};

/// Of what is kept of an error.
const ERROR_CHARS_MAX: usize = 500;

/// What a trigger decides about.
pub(crate) struct Shot<'a> {
    pub(crate) notice: &'a Arc<CloudEvent>,
    pub(crate) run: RunId,
    pub(crate) depth: u8,
    /// Of an `after` trigger.
    pub(crate) window: Option<Box<Window>>,
}

impl Shot<'_> {
    pub(crate) fn ledger_window(&self) -> Option<LedgerWindow> {
        self.window.as_deref().map(LedgerWindow::of)
    }
}

/// What a trigger made of it.
pub(crate) enum Pulled {
    /// It was not meant.
    Nothing,
    Began,
    Skipped(Skip),
    Failed(Arc<str>),
}

pub(crate) fn failed(why: &str) -> Pulled {
    Pulled::Failed(why.chars().take(ERROR_CHARS_MAX).collect::<String>().into())
}

/// The event that says why nothing began.
pub(crate) fn declined(id: TriggerId, pulled: &Pulled, window: Option<LedgerWindow>) -> Option<Event> {
    Some(Event::Trigger(match pulled {
        Pulled::Nothing | Pulled::Began => return None,
        Pulled::Skipped(skip) => TriggerEvent::Skipped { id, skip: *skip, window },
        Pulled::Failed(what) => {
            TriggerEvent::Failed(Box::new(TriggerFailed { id, what: what.clone(), window }))
        }
    }))
}

/// A run begins, or the trigger says why none does.
pub(crate) fn decide(view: &View<'_>, id: TriggerId, shot: Shot<'_>, out: &mut Out<'_>) -> Pulled {
    let window = shot.ledger_window();
    match begin(view, id, shot) {
        Ok(created) => {
            out.push(Event::Run(RunEvent::RunCreated(Box::new(created))));
            Pulled::Began
        }
        Err(pulled) => {
            out.extend(declined(id, &pulled, window));
            pulled
        }
    }
}

/// It had more events than it may: this one it does not take.
pub(crate) fn skip_fan_out(id: TriggerId, out: &mut Out<'_>) -> Pulled {
    out.push(Event::Trigger(TriggerEvent::Skipped { id, skip: Skip::FanOut, window: None }));
    Pulled::Skipped(Skip::FanOut)
}

/// The run that begins, or why none does.
fn begin(view: &View<'_>, id: TriggerId, shot: Shot<'_>) -> Result<RunCreated, Pulled> {
    let (trigger, job) = listening(view, id).ok_or(Pulled::Nothing)?;
    if let Some(condition) = &trigger.spec.condition {
        match view.evaluate.accepts(condition, shot.notice) {
            Ok(true) => {}
            Ok(false) if shot.window.is_some() => return Err(Pulled::Skipped(Skip::Condition)),
            Ok(false) => return Err(Pulled::Nothing),
            Err(why) => return Err(failed(&format!("its condition: {why}"))),
        }
    }
    if job.paused {
        return Err(Pulled::Skipped(Skip::Paused));
    }
    if trigger.soft.active >= trigger.spec.active_max {
        return Err(Pulled::Skipped(Skip::MaxActive));
    }
    if shot.depth > DEPTH_MAX {
        let why = format!("{DEPTH_MAX} runs have begun each other by their ends: this looks like a loop");
        return Err(failed(&why));
    }
    let (held, max) = (view.state.job_runs.runs.len(), view.limits.runs_max);
    if held >= max {
        return Err(failed(&RunRefusal::TooManyRuns { held, max }.to_string()));
    }
    let parameters = parameters(view, trigger, job, shot.notice).map_err(|why| failed(&why))?;
    let cause = Cause { trigger: trigger.key.name.clone(), notice: shot.notice.clone(), depth: shot.depth };
    let (window, cause) = (shot.window, Some(Box::new(cause)));
    let origin = Origin { window, cause, ..Origin::of(StartedBy::Event) };
    Ok(RunCreated {
        fired_by: Some(FiredBy::Trigger(id)),
        ..RunCreated::new(shot.run, job.key.clone(), job.version, parameters, origin)
    })
}

/// A trigger that listens, and its job.
pub(crate) fn listening<'a>(view: &View<'a>, id: TriggerId) -> Option<(&'a Trigger, &'a Job)> {
    let trigger = view.state.triggers.get(id).filter(|trigger| trigger.deleted.is_none())?;
    let key = JobKey { tenant: trigger.key.tenant.clone(), name: trigger.key.job.clone() };
    let job = view.state.job_runs.jobs.get(&key).filter(|job| job.deleted.is_none())?;
    Some((trigger, job))
}

/// The id of what a trigger begins when something of ours has ended.
pub(crate) fn run_after(view: &View<'_>, id: TriggerId, ended: u128, window_ms: u64) -> RunId {
    let trigger = view.state.triggers.get(id);
    let home = || Bucket::home(RunId::from_bits(ended).bucket().group());
    let bucket = trigger.map_or_else(home, |trigger| trigger.spec.bucket);
    let (now, seq) = (view.state.now.wall.millis(), view.state.seq.get());
    RunId::new(now, bucket, id.mix(ended, seq, window_ms))
}

fn parameters(view: &View<'_>, trigger: &Trigger, job: &Job, notice: &CloudEvent) -> Result<Payload, String> {
    let template = &trigger.spec.parameters;
    let given = if trigger.spec.templated {
        view.evaluate.map(template, notice).map_err(|why| format!("its parameters: {why}"))?
    } else {
        template.clone()
    };
    let taken = view.evaluate.parameters(&job.definition, &given);
    taken.map_err(|why| format!("the job does not take its parameters: {why}"))
}
