//! Triggers: every event is decided once by each trigger that it means, and every window of an `after` begins one run.
//! - I31 an event from outside is decided by each matching trigger, in the record that takes it, and begins at most
//!   one run of each; I32 a window begins at most one run of an `after` trigger
//! - I33 every end of a task that a trigger wants is decided by it once, or waits in an operation of its record

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainspring_core::event::Event;
use mainspring_core::job::JobKey;
use mainspring_core::key::KeyScope;
use mainspring_core::run::{RunEvent, StartedBy};
use mainspring_core::state::State;
use mainspring_core::trigger::decide::Publish;
use mainspring_core::trigger::{LedgerWindow, On, Trigger, TriggerEvent, TriggerFired};
use mainspring_core::values::{CloudEvent, Name, OWN_PREFIX, ScheduleId, TriggerId, Wall};

use super::{Check, require};

#[derive(Debug, Default)]
pub struct TriggerFold {
    /// By key: whose it is, and what.
    published: BTreeMap<KeyScope, (Name, Arc<CloudEvent>)>,
    fired: BTreeSet<(TriggerId, Arc<str>, Arc<str>)>,
    windows: BTreeSet<(TriggerId, ScheduleId, Wall)>,
    /// Decided since the last event that was about something else.
    decided: BTreeSet<TriggerId>,
    /// Of triggers for ends, while they were not changed: ends that each wants and has not decided about.
    wanted: BTreeMap<TriggerId, i64>,
    pub counts: EventCounts,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EventCounts {
    pub taken: u64,
    /// Runs that triggers began.
    pub begun: u64,
    /// Windows that `after` triggers decided.
    pub windows: u64,
    /// Ends that triggers wanted, and records after which some of them waited.
    pub ends: u64,
    pub ends_later: u64,
}

impl EventCounts {
    pub fn add(&mut self, other: Self) {
        self.taken += other.taken;
        self.begun += other.begun;
        self.windows += other.windows;
        self.ends += other.ends;
        self.ends_later += other.ends_later;
    }
}

impl TriggerFold {
    pub fn note_published(&mut self, publish: &Publish) {
        self.published.insert(publish.key.0.scope, (publish.tenant.clone(), publish.notice.clone()));
    }

    /// Before the event is applied.
    pub(super) fn follow(&mut self, event: &Event, state: &State) -> Check {
        if let Event::Run(RunEvent::RunCreated(run)) = event {
            let by_event = run.origin.started_by == StartedBy::Event;
            let fired = event.trigger_fired();
            require(by_event == fired.is_some(), "I31", || {
                format!("{run:?}: no trigger says that it fired")
            })?;
            return fired.map_or(Ok(()), |fired| self.fires(&fired));
        }
        match event {
            Event::Trigger(event) => {
                if let TriggerEvent::Forgotten { id } = event {
                    let is_deleted = state.triggers().get(*id).is_some_and(|one| one.deleted.is_some());
                    require(is_deleted, "I31", || format!("{id} is forgotten, and was not deleted"))?;
                }
                self.count_decision(event, state);
                self.event(event)
            }
            Event::KeyBound { claim, .. } => {
                let decided = std::mem::take(&mut self.decided);
                let Some((tenant, notice)) = self.published.get(&claim.scope) else { return Ok(()) };
                self.counts.taken += 1;
                for hook in state.triggers().iter().filter(|hook| means(hook, tenant, notice, state)) {
                    require(decided.contains(&hook.id), "I31", || {
                        format!("event `{}` was taken, and trigger {:?} did not decide", notice.id, hook.key)
                    })?;
                }
                Ok(())
            }
            _ => {
                self.decided.clear();
                Ok(())
            }
        }
    }

    /// A task outside of runs has ended so. After the event is applied.
    pub(super) fn task_ended(&mut self, tenant: &Name, status: &str, state: &State) {
        let notice = CloudEvent {
            id: "".into(),
            source: "/tasks".into(),
            kind: format!("mainspring.task.{status}").into(),
            subject: None,
            time: None,
            data: None,
        };
        for trigger in state.triggers().iter().filter(|trigger| means(trigger, tenant, &notice, state)) {
            if let Some(wanted) = self.wanted.get_mut(&trigger.id) {
                *wanted += 1;
                self.counts.ends += 1;
            }
        }
    }

    /// After a whole record.
    pub(super) fn check_record(&mut self, state: &State) -> Check {
        self.wanted.retain(|id, _| state.triggers().get(*id).is_some_and(|one| one.deleted.is_none()));
        let mut waiting: BTreeMap<TriggerId, i64> = BTreeMap::new();
        for (_, announcement, told) in state.operations().announcements() {
            for id in announcement.triggers.iter().skip(told as usize) {
                *waiting.entry(*id).or_default() += 1;
            }
        }
        self.counts.ends_later += u64::from(!waiting.is_empty());
        for (id, wanted) in &self.wanted {
            let waiting = waiting.get(id).copied().unwrap_or_default();
            require(*wanted == waiting, "I33", || {
                format!("{id} has {wanted} ends to decide about, and {waiting} wait for it")
            })?;
        }
        Ok(())
    }

    fn count_decision(&mut self, event: &TriggerEvent, state: &State) {
        let id = event.id();
        match event {
            TriggerEvent::Skipped { .. } | TriggerEvent::Failed(_) => {
                if let Some(wanted) = self.wanted.get_mut(&id) {
                    *wanted -= 1;
                }
            }
            TriggerEvent::Stored(stored) if state.triggers().get(id).is_none() => {
                if matches!(&stored.spec.on, On::Event { kind, .. } if kind.text.starts_with(OWN_PREFIX)) {
                    self.wanted.insert(id, 0);
                }
            }
            // What waits for it may not be meant any more.
            TriggerEvent::Stored(_) => drop(self.wanted.remove(&id)),
            TriggerEvent::Deleted { .. } | TriggerEvent::Forgotten { .. } | TriggerEvent::Succeeded(_) => {}
        }
    }

    fn event(&mut self, event: &TriggerEvent) -> Check {
        match event {
            TriggerEvent::Skipped { id, window, .. } => {
                self.decided.insert(*id);
                self.decides(*id, *window)
            }
            TriggerEvent::Failed(failed) => {
                self.decided.insert(failed.id);
                self.decides(failed.id, failed.window)
            }
            TriggerEvent::Stored(_)
            | TriggerEvent::Deleted { .. }
            | TriggerEvent::Forgotten { .. }
            | TriggerEvent::Succeeded(_) => Ok(()),
        }
    }

    fn fires(&mut self, fired: &TriggerFired) -> Check {
        self.counts.begun += 1;
        self.decided.insert(fired.id);
        if let Some(wanted) = self.wanted.get_mut(&fired.id) {
            *wanted -= 1;
        }
        self.decides(fired.id, fired.window)?;
        // One end can complete several windows of an `after` trigger.
        if fired.window.is_some() {
            return Ok(());
        }
        let place = (fired.id, fired.source.clone(), fired.event.clone());
        require(self.fired.insert(place), "I31", || {
            format!("event `{}` began two runs of {}", fired.event, fired.id)
        })
    }

    fn decides(&mut self, id: TriggerId, window: Option<LedgerWindow>) -> Check {
        let Some(window) = window else { return Ok(()) };
        self.counts.windows += 1;
        require(self.windows.insert((id, window.schedule, window.at)), "I32", || {
            format!("window {:?} of {} was decided twice", window.at, id)
        })
    }
}

/// Written out once more, without any index; no condition of the world is false.
fn means(hook: &Trigger, tenant: &Name, notice: &CloudEvent, state: &State) -> bool {
    let On::Event { kind, .. } = &hook.spec.on else { return false };
    let key = JobKey { tenant: hook.key.tenant.clone(), name: hook.key.job.clone() };
    let has_job = state.job_runs().jobs().get(&key).is_some_and(|job| job.deleted.is_none());
    let matches = if kind.prefix { notice.kind.starts_with(&*kind.text) } else { notice.kind == kind.text };
    hook.deleted.is_none() && has_job && hook.key.tenant == *tenant && matches
}
