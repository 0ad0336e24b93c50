//! Triggers: every event is decided once by each trigger that it means, and every window of an `after` begins one run.
//! - I31 an event from outside is decided by each matching trigger, in the record that takes it, and begins at most
//!   one run of each; I32 a window begins at most one run of an `after` trigger; what fires begins the run that it names

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainspring_core::event::Event;
use mainspring_core::job::JobKey;
use mainspring_core::key::KeyScope;
use mainspring_core::run::{RunEvent, StartedBy};
use mainspring_core::state::State;
use mainspring_core::trigger::decide::Publish;
use mainspring_core::trigger::{LedgerWindow, On, Trigger, TriggerEvent, TriggerFired};
use mainspring_core::values::{CloudEvent, Name, RunId, ScheduleId, TriggerId, Wall};

use super::{Check, require};

#[derive(Debug, Default)]
pub struct TriggerFold {
    /// By key: whose it is, and what.
    published: BTreeMap<KeyScope, (Name, Arc<CloudEvent>)>,
    fired: BTreeSet<(TriggerId, Arc<str>, Arc<str>)>,
    windows: BTreeSet<(TriggerId, ScheduleId, Wall)>,
    /// Decided since the last event that was about something else.
    decided: BTreeSet<TriggerId>,
    /// The run that must come next.
    expected: Option<RunId>,
    pub counts: EventCounts,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EventCounts {
    pub taken: u64,
    /// Runs that triggers began.
    pub begun: u64,
    /// Windows that `after` triggers decided.
    pub windows: u64,
}

impl EventCounts {
    pub fn add(&mut self, other: Self) {
        self.taken += other.taken;
        self.begun += other.begun;
        self.windows += other.windows;
    }
}

impl TriggerFold {
    pub fn note_published(&mut self, publish: &Publish) {
        self.published.insert(publish.key.0.scope, (publish.tenant.clone(), publish.notice.clone()));
    }

    /// Before the event is applied.
    pub(super) fn follow(&mut self, event: &Event, state: &State) -> Check {
        let made = match event {
            Event::Run(RunEvent::RunCreated(run)) if run.trigger == StartedBy::Event => Some(run.id),
            _ => None,
        };
        let expected = self.expected.take();
        require(made == expected, "I31", || format!("a trigger began {expected:?}, and {event:?} follows"))?;
        self.counts.begun += u64::from(made.is_some());
        match event {
            Event::Trigger(event) => self.event(event),
            Event::Run(RunEvent::RunCreated(_)) => Ok(()),
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

    fn event(&mut self, event: &TriggerEvent) -> Check {
        match event {
            TriggerEvent::Fired(fired) => {
                self.expected = Some(fired.run);
                self.decided.insert(fired.id);
                self.fires(fired)?;
                self.decides(fired.id, fired.window)
            }
            TriggerEvent::Skipped { id, window, .. } => {
                self.decided.insert(*id);
                self.decides(*id, *window)
            }
            TriggerEvent::Failed(failed) => {
                self.decided.insert(failed.id);
                self.decides(failed.id, failed.window)
            }
            TriggerEvent::Stored(_) | TriggerEvent::Deleted { .. } | TriggerEvent::Succeeded(_) => Ok(()),
        }
    }

    fn fires(&mut self, fired: &TriggerFired) -> Check {
        // One end can complete several windows of an `after` trigger.
        if fired.window.is_some() {
            return Ok(());
        }
        let place = (fired.id, fired.source.clone(), fired.event.clone());
        require(self.fired.insert(place), "I31", || {
            format!("event `{}` began two runs of trigger {}", fired.event, fired.id.get())
        })
    }

    fn decides(&mut self, id: TriggerId, window: Option<LedgerWindow>) -> Check {
        let Some(window) = window else { return Ok(()) };
        self.counts.windows += 1;
        require(self.windows.insert((id, window.schedule, window.at)), "I32", || {
            format!("window {:?} of trigger {} was decided twice", window.at, id.get())
        })
    }
}

/// Written out once more, without any index; no condition of the world is false.
fn means(hook: &Trigger, tenant: &Name, notice: &CloudEvent, state: &State) -> bool {
    let On::Event { kind, .. } = &hook.spec.on else { return false };
    let key = JobKey { tenant: hook.key.tenant.clone(), name: hook.key.job.clone() };
    let has_job = state.flows().jobs().get(&key).is_some_and(|job| job.deleted.is_none());
    let matches = if kind.prefix { notice.kind.starts_with(&*kind.text) } else { notice.kind == kind.text };
    hook.deleted.is_none() && has_job && hook.key.tenant == *tenant && matches
}
