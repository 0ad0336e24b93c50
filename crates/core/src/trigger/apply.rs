//! Folding what happened to triggers into the state. Nothing here can refuse, and nothing evaluates a text.

use super::event::{TriggerEvent, TriggerFired, TriggerStored};
use super::ledger::{LEDGER_MAX, Ledger, LedgerWindow};
use super::table::{LastFired, Trigger, Triggers};
use crate::collections::Soft;
use crate::job::JobKey;
use crate::run::Run;
use crate::values::{Stamp, TriggerId};

pub(crate) fn apply(triggers: &mut Triggers, at: Stamp, event: &TriggerEvent) {
    let now = at.now.wall;
    match event {
        TriggerEvent::Stored(stored) => store(triggers, at, stored),
        TriggerEvent::Deleted { id } => delete(triggers, at, *id),
        TriggerEvent::Forgotten { id } => triggers.forget(*id, at),
        TriggerEvent::Skipped { id, skip, window } => {
            let hook = touch(triggers, at, *id);
            hook.skipped += 1;
            hook.last_skip = Some((now, *skip));
            decide(hook, *window);
        }
        TriggerEvent::Failed(failed) => {
            let hook = touch(triggers, at, failed.id);
            hook.errors += 1;
            hook.last_error = Some((now, failed.what.clone()));
            decide(hook, failed.window);
        }
        TriggerEvent::Succeeded(succeeded) => {
            let hook = touch(triggers, at, succeeded.id);
            if hook.ledger.note(succeeded.job, succeeded.window) {
                hook.errors += 1;
                let what = format!("more than {LEDGER_MAX} windows of a job wait: the oldest was forgotten");
                hook.last_error = Some((now, what.into()));
            }
        }
    }
}

fn touch(triggers: &mut Triggers, at: Stamp, id: TriggerId) -> &mut Trigger {
    triggers.touch(id, at)
}

fn decide(hook: &mut Trigger, window: Option<LedgerWindow>) {
    if let Some(window) = window {
        hook.ledger.decide(window);
    }
}

fn store(triggers: &mut Triggers, at: Stamp, stored: &TriggerStored) {
    let now = at.now.wall;
    let TriggerStored { id, key, spec } = stored;
    if triggers.get(*id).is_none() {
        let hook = Trigger {
            id: *id,
            key: key.clone(),
            spec: spec.clone(),
            deleted: None,
            forgotten: None,
            created: now,
            changed: now,
            fired: 0,
            skipped: 0,
            errors: 0,
            last_fired: None,
            last_skip: None,
            last_error: None,
            ledger: Ledger::default(),
            touched: at.seq,
            soft: Soft::default(),
        };
        return triggers.add(hook, at);
    }
    triggers.listen(*id, Some(spec), now);
    let hook = touch(triggers, at, *id);
    if hook.spec.on != spec.on {
        hook.ledger.forget_waiting();
    }
    hook.spec = spec.clone();
    hook.changed = now;
    hook.deleted = None;
}

fn delete(triggers: &mut Triggers, at: Stamp, id: TriggerId) {
    let now = at.now.wall;
    triggers.listen(id, None, now);
    let hook = touch(triggers, at, id);
    (hook.deleted, hook.changed) = (Some(now), now);
    hook.ledger.forget_waiting();
}

pub(crate) fn fire(triggers: &mut Triggers, at: Stamp, fired: TriggerFired) {
    let now = at.now.wall;
    let TriggerFired { id, source, event, run, window } = fired;
    let hook = touch(triggers, at, id);
    hook.fired += 1;
    hook.last_fired = Some(LastFired { at: now, source, event, run });
    decide(hook, window);
}

/// A job went, and its triggers with it.
pub(crate) fn job_deleted(triggers: &mut Triggers, at: Stamp, job: &JobKey) {
    let live = triggers.of_job(&job.tenant, &job.name).filter(|hook| hook.deleted.is_none());
    let live: Vec<TriggerId> = live.map(|hook| hook.id).collect();
    for id in live {
        delete(triggers, at, id);
    }
}

/// A run that a trigger began is at work, or is not any more.
pub(crate) fn count(triggers: &mut Triggers, run: &Run, at_work: bool) {
    let Some(hook) = triggers.of_run(run).and_then(|id| triggers.get_mut(id)) else { return };
    let active = hook.soft.active;
    hook.soft.active = if at_work { active + 1 } else { active.saturating_sub(1) };
}

/// After loading and replaying: how many runs of each trigger have not ended.
pub(crate) fn derive<'a>(triggers: &mut Triggers, live: impl Iterator<Item = &'a Run>) {
    triggers.forget_soft();
    for run in live {
        count(triggers, run, true);
    }
}
