//! Folding what happened to triggers into the state. Nothing here can refuse, and nothing evaluates a text.

use super::event::{HookFired, HookStored, TriggerEvent};
use super::ledger::{LEDGER_MAX, Ledger, Span};
use super::spec::TriggerKey;
use super::table::{Hook, LastFired, Soft};
use crate::id::TriggerId;
use crate::shard::ShardState;
use crate::workflow::{JobKey, Run};

pub(crate) fn apply(state: &mut ShardState, event: &TriggerEvent) {
    let now = state.now.wall;
    match event {
        TriggerEvent::Stored(stored) => store(state, stored),
        TriggerEvent::Deleted { id } => delete(state, *id),
        TriggerEvent::Fired(fired) => fire(state, fired),
        TriggerEvent::Skipped { id, skip, window } => {
            let hook = touch(state, *id);
            hook.skipped += 1;
            hook.last_skip = Some((now, *skip));
            decide(hook, *window);
        }
        TriggerEvent::Failed(failed) => {
            let hook = touch(state, failed.id);
            hook.errors += 1;
            hook.last_error = Some((now, failed.what.clone()));
            decide(hook, failed.window);
        }
        TriggerEvent::Succeeded(succeeded) => {
            let hook = touch(state, succeeded.id);
            if hook.ledger.note(succeeded.job, succeeded.window) {
                hook.errors += 1;
                let what = format!("more than {LEDGER_MAX} windows of a job wait: the oldest was forgotten");
                hook.last_error = Some((now, what.into()));
            }
        }
    }
}

fn touch(state: &mut ShardState, id: TriggerId) -> &mut Hook {
    let (seq, cut) = (state.seq, state.cut());
    state.triggers.touch(id, seq, cut)
}

fn decide(hook: &mut Hook, window: Option<Span>) {
    if let Some(window) = window {
        hook.ledger.decide(window);
    }
}

fn store(state: &mut ShardState, stored: &HookStored) {
    let (seq, now) = (state.seq, state.now.wall);
    let HookStored { id, key, spec } = stored;
    if state.triggers.get(*id).is_none() {
        state.triggers.add(Hook {
            id: *id,
            key: key.clone(),
            spec: spec.clone(),
            deleted: None,
            created: now,
            changed: now,
            fired: 0,
            skipped: 0,
            errors: 0,
            last_fired: None,
            last_skip: None,
            last_error: None,
            ledger: Ledger::default(),
            touched: seq,
            soft: Soft::default(),
        });
        return;
    }
    state.triggers.listen(*id, Some(spec));
    let hook = touch(state, *id);
    if hook.spec.on != spec.on {
        hook.ledger.forget_waiting();
    }
    hook.spec = spec.clone();
    hook.changed = now;
    hook.deleted = None;
}

fn delete(state: &mut ShardState, id: TriggerId) {
    let now = state.now.wall;
    state.triggers.listen(id, None);
    let hook = touch(state, id);
    (hook.deleted, hook.changed) = (Some(now), now);
    hook.ledger.forget_waiting();
}

fn fire(state: &mut ShardState, fired: &HookFired) {
    let at = state.now.wall;
    let HookFired { id, source, event, run, window } = fired;
    let hook = touch(state, *id);
    hook.fired += 1;
    hook.last_fired = Some(LastFired { at, source: source.clone(), event: event.clone(), run: *run });
    decide(hook, *window);
}

/// A job went, and its triggers with it.
pub(crate) fn job_deleted(state: &mut ShardState, job: &JobKey) {
    let live = state.triggers.of_job(&job.tenant, &job.name).filter(|hook| hook.deleted.is_none());
    let live: Vec<TriggerId> = live.map(|hook| hook.id).collect();
    for id in live {
        delete(state, id);
    }
}

fn of_run(state: &ShardState, run: &Run) -> Option<TriggerId> {
    let trigger = run.cause.as_ref().filter(|_| run.trigger == crate::workflow::Trigger::Event)?;
    let key = TriggerKey {
        tenant: run.job.tenant.clone(),
        job: run.job.name.clone(),
        name: trigger.trigger.clone(),
    };
    state.triggers.find(&key).map(|hook| hook.id)
}

/// A run that a trigger began is at work, or is not any more.
pub(crate) fn count(state: &mut ShardState, id: crate::id::RunId, at_work: bool) {
    let Some(run) = state.flows.run(id).filter(|run| run.cause.is_some()) else { return };
    let Some(hook) = of_run(state, run).and_then(|id| state.triggers.get_mut(id)) else { return };
    let active = hook.soft.active;
    hook.soft.active = if at_work { active + 1 } else { active.saturating_sub(1) };
}

/// After loading and replaying: how many runs of each trigger have not ended.
pub(crate) fn derive(state: &mut ShardState) {
    state.triggers.forget_soft();
    let live = state.flows.runs().iter().filter(|(_, run)| !run.status.is_ended());
    let live: Vec<TriggerId> = live.filter_map(|(_, run)| of_run(state, run)).collect();
    for id in live {
        if let Some(hook) = state.triggers.get_mut(id) {
            hook.soft.active += 1;
        }
    }
}
