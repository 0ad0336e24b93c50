//! Ends of runs, and of tasks outside of runs, as events of the same shape as those from outside.
//! - OE-1 an end is told in the record that has it; nothing is made of it if no trigger and no task that waits could want it

use std::sync::Arc;

use super::guard::PanicSubject;
use super::publish::EventOrigin;
use super::{Batch, Engine};
use crate::event::{AfterFailure, Event};
use crate::run::decide::NESTING_MAX;
use crate::run::{EndFacts, Run, RunEvent};
use crate::task::Status;
use crate::values::{CloudEvent, DEPTH_MAX, Name, RunId, TaskId};

#[derive(Clone, Copy, Debug)]
pub(super) enum AnnouncedEnd {
    Run(RunId),
    Task(TaskId),
}

impl Engine {
    /// Keeps what has ended by this event for [`Engine::tell_ends`].
    pub(super) fn note_end(&mut self, event: &Event) {
        if self.state.triggers.is_empty() && !self.waiting.awaits_events() {
            return;
        }
        let end = match event {
            Event::Run(RunEvent::RunEnded(ended)) => AnnouncedEnd::Run(ended.id),
            Event::TaskSucceeded { id, .. }
            | Event::TaskCancelled { id }
            | Event::TaskForced { id, .. }
            | Event::WaitEnded { id, .. }
            | Event::AttemptFailed {
                id,
                then: AfterFailure::Fail | AfterFailure::Quarantine | AfterFailure::Cancel,
                ..
            } => AnnouncedEnd::Task(*id),
            _ => return,
        };
        self.ends.push_back(end);
    }

    /// Works through the list of ends, which grows by those that an end brings about. No recursion: how many there are
    /// is up to the callers. `Limits::event_waits_per_record` bounds it.
    pub(super) fn tell_ends(&mut self, batch: &mut Batch) {
        if self.is_telling {
            return;
        }
        self.is_telling = true;
        while let Some(end) = self.ends.pop_front() {
            let _ = match end {
                AnnouncedEnd::Run(id) => {
                    self.guard(PanicSubject::Run(id), batch, |engine, batch| engine.run_ended(id, batch))
                }
                AnnouncedEnd::Task(id) => {
                    self.guard(PanicSubject::Task(id), batch, |engine, batch| engine.task_ended(id, batch))
                }
            };
        }
        self.is_telling = false;
    }

    fn run_ended(&mut self, id: RunId, batch: &mut Batch) {
        let Some(run) = self.state.flows.run(id) else { return };
        let status = run.status.label();
        let tenant = run.job.tenant.clone();
        let source = format!("/jobs/{}", run.job.name);
        let bare = self.bare(format!("mainspring.run.{status}"), source, id.to_string());
        let told = || EndFacts {
            job: &run.job.name,
            run: Some(id),
            task: None,
            status,
            window: run.occasion.as_deref(),
            output: run.output.as_ref(),
        };
        let is_wanted = self.is_wanted(&tenant, &bare);
        let afters = self.is_awaited(run);
        if !is_wanted && !afters {
            return;
        }
        let notice = Arc::new(CloudEvent { data: Some(self.evaluate.tell(&told())), ..bare });
        let depth = self.depth(run);
        if is_wanted {
            self.announce(&tenant, &notice, EventOrigin::Own { ended: id.bits(), depth }, batch);
        }
        if afters {
            self.job_succeeded(id, &notice, depth, batch);
        }
    }

    fn task_ended(&mut self, id: TaskId, batch: &mut Batch) {
        let task = self.state.tasks.by_id(id).filter(|task| task.origin.is_none());
        let Some(task) = task.filter(|task| task.status().is_ended()) else { return };
        let status = match task.status() {
            Status::Quarantined => Status::Failed.label(),
            status => status.label(),
        };
        let tenant: Name = task.profile.tenant.clone();
        let bare = self.bare(format!("mainspring.task.{status}"), "/tasks".to_owned(), id.to_string());
        if !self.is_wanted(&tenant, &bare) {
            return;
        }
        let extra = task.extra.as_deref();
        let told = EndFacts {
            job: &task.profile.job,
            run: None,
            task: Some(id),
            status,
            window: extra.and_then(|extra| extra.occasion.as_deref()),
            output: extra.and_then(|extra| extra.output.as_ref()),
        };
        let notice = Arc::new(CloudEvent { data: Some(self.evaluate.tell(&told)), ..bare });
        self.announce(&tenant, &notice, EventOrigin::Own { ended: id.bits(), depth: 0 }, batch);
    }

    fn is_wanted(&self, tenant: &Name, notice: &CloudEvent) -> bool {
        let triggers = &self.state.triggers;
        !triggers.matching(tenant, notice).is_empty() || self.waiting.awaits(tenant, notice)
    }

    /// Without data. Something that ends again, because somebody cleared it, ends in another record.
    fn bare(&self, kind: String, source: String, subject: String) -> CloudEvent {
        CloudEvent {
            id: format!("{subject}-{}", self.state.seq.get()).into(),
            source: source.into(),
            kind: kind.into(),
            subject: Some(subject.into()),
            time: Some(self.state.now.wall),
            data: None,
        }
    }

    /// How many runs began each other by their ends, up to this one; runs inside of runs count as their parents.
    fn depth(&self, run: &Run) -> u8 {
        let mut run = Some(run);
        for _ in 0..=NESTING_MAX {
            let Some(here) = run else { return 0 };
            if let Some(cause) = &here.cause {
                return cause.depth.min(DEPTH_MAX);
            }
            run = here.parent.and_then(|origin| self.state.flows.run(origin.run));
        }
        0
    }
}
