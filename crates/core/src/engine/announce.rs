//! Ends of runs, and of tasks outside of runs, as events of the same shape as those from outside.
//! - OE-1 an end is announced in the record that has it: waits that it ends are in this record or in an operation of it, and
//!   each trigger that wants it decides in this record or is named by an operation of it; nothing is made of an end that
//!   no trigger and no waiting task could want
//! - OE-2 ends are announced one after the other, from a list; what an announcement ends joins the list. In one record they
//!   make at most about `Limits::announced_per_record` events; what does not fit becomes operations

use std::sync::Arc;

use super::guard::PanicSubject;
use super::{Batch, Engine};
use crate::event::{AfterFailure, Event};
use crate::operation::{Announcement, Cursor, OperationKind};
use crate::run::decide::NESTING_MAX;
use crate::run::{EndFacts, Run, RunEvent};
use crate::task::Status;
use crate::trigger::decide::FAN_OUT_MAX;
use crate::trigger::decide::fire::{Shot, listening, run_after};
use crate::trigger::{LedgerWindow, On};
use crate::values::{CloudEvent, DEPTH_MAX, Name, RunId, RunStatus, TaskId, TriggerId};

/// Triggers beyond the fan-out that decide so; the others do not hear of the event.
pub(super) const FAN_OUT_TOLD_MAX: usize = 200;

#[derive(Clone, Copy, Debug)]
pub(super) enum AnnouncedEnd {
    Run(RunId),
    Task(TaskId),
}

impl Engine {
    /// Lists what has ended by this event, while anybody could want to know.
    pub(super) fn list_end(&mut self, event: &Event) {
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

    /// Works through the list of ends. Every way into the engine calls this before it returns: what has ended cannot be
    /// found again from the state.
    pub(super) fn announce_ends(&mut self, batch: &mut Batch) {
        while let Some(end) = self.ends.pop_front() {
            let subject = match end {
                AnnouncedEnd::Run(id) => PanicSubject::Run(id),
                AnnouncedEnd::Task(id) => PanicSubject::Task(id),
            };
            let made = self.guard(subject, batch, |engine, _| match end {
                AnnouncedEnd::Run(id) => engine.end_of_run(id),
                AnnouncedEnd::Task(id) => engine.end_of_task(id),
            });
            let Ok(Some(announcement)) = made else { continue };
            self.announce(announcement, batch);
        }
    }

    fn announce(&mut self, mut announcement: Announcement, batch: &mut Batch) {
        let Announcement { tenant, notice, .. } = &announcement;
        self.end_waits(tenant, notice, batch);
        // An end does not overtake an earlier one.
        let told = if self.state.operations.has_announcements() {
            0
        } else {
            self.tell_triggers(&announcement, 0, batch)
        };
        if told == announcement.triggers.len() || self.config.breaks.announcement_dropped {
            return;
        }
        announcement.triggers.drain(..told);
        announcement.before = told as u32;
        let id = self.state.operations.next_id();
        let work = OperationKind::Announce(Arc::new(announcement));
        self.commit_one(Event::OperationStarted { id, work }, batch);
    }

    /// Goes on with announcements that did not fit into their records.
    pub(super) fn run_announcements(&mut self, batch: &mut Batch) {
        while self.announced_left > 0 {
            let Some((id, work, from)) = self.state.operations.announcements().next() else { return };
            let (work, from) = (work.clone(), from as usize);
            let told = from + self.tell_triggers(&work, from, batch);
            let event = if told < work.triggers.len() {
                let cursor = Cursor::Listed(told as u32);
                Event::OperationAdvanced { id, cursor, handled: (told - from) as u32 }
            } else {
                Event::OperationEnded { id }
            };
            self.announced_left = self.announced_left.saturating_sub(1);
            self.commit_one(event, batch);
        }
    }

    /// Whether a step would go on with an announcement.
    pub(super) fn has_announcements(&self) -> bool {
        self.state.operations.has_announcements() && self.announced_left > 0
    }

    /// Lets the triggers decide, from this place in the list on. How many did: the record may have no room for more.
    fn tell_triggers(&mut self, announcement: &Announcement, from: usize, batch: &mut Batch) -> usize {
        let mut told = 0;
        for (place, id) in announcement.triggers.iter().enumerate().skip(from) {
            if self.announced_left == 0 {
                break;
            }
            let before = batch.events.len();
            let _ = self.guard(PanicSubject::Trigger(*id), batch, |engine, batch| {
                engine.tell_trigger(announcement, *id, place, batch);
            });
            // A trigger that decides nothing costs something too.
            let cost = (batch.events.len() - before).max(1);
            self.announced_left = self.announced_left.saturating_sub(cost as u32);
            told += 1;
        }
        told
    }

    /// One that was deleted or changed meanwhile does not want it any more.
    fn tell_trigger(&mut self, announcement: &Announcement, id: TriggerId, place: usize, batch: &mut Batch) {
        let Some((trigger, _)) = listening(&self.view(), id) else { return };
        match &trigger.spec.on {
            On::After(_) => self.job_succeeded(id, announcement, batch),
            on if !on.takes(&announcement.notice) => {}
            _ if announcement.before as usize + place >= FAN_OUT_MAX => {
                self.skip_fan_out(id, batch);
            }
            _ => {
                let run = run_after(&self.view(), id, announcement.ended, 0);
                let depth = announcement.depth + 1;
                let shot = Shot { notice: &announcement.notice, run, depth, occasion: None };
                self.pull(id, shot, batch);
            }
        }
    }

    fn end_of_run(&self, id: RunId) -> Option<Announcement> {
        let run = self.state.flows.run(id)?;
        let status = run.status.label();
        let tenant = &run.job.tenant;
        let source = format!("/jobs/{}", run.job.name);
        let bare = self.bare(format!("mainspring.run.{status}"), source, id.to_string());
        let succeeded = run.status == RunStatus::Succeeded;
        let after = if succeeded { self.state.triggers.after_job(tenant, &run.job.name) } else { &[] };
        let triggers = self.wanted_by(tenant, &bare, after)?;
        let data = self.evaluate.tell(&EndFacts {
            job: &run.job.name,
            run: Some(id),
            task: None,
            status,
            window: run.origin.window.as_deref(),
            output: run.output.as_ref(),
        });
        let window = run.origin.window.as_deref();
        Some(Announcement {
            tenant: tenant.clone(),
            notice: Arc::new(CloudEvent { data: Some(data), ..bare }),
            ended: id.bits(),
            depth: self.depth(run),
            job: run.job.name.clone(),
            window: window.map(|one| LedgerWindow { at: one.at, schedule: one.schedule, from: one.from }),
            triggers,
            before: 0,
        })
    }

    fn end_of_task(&self, id: TaskId) -> Option<Announcement> {
        let task = self.state.tasks.by_id(id).filter(|task| task.origin.is_none())?;
        let status = match task.status() {
            status if !status.is_ended() => return None,
            Status::Quarantined => Status::Failed.label(),
            status => status.label(),
        };
        let tenant = &task.profile.tenant;
        let bare = self.bare(format!("mainspring.task.{status}"), "/tasks".to_owned(), id.to_string());
        let triggers = self.wanted_by(tenant, &bare, &[])?;
        let extra = task.extra.as_deref();
        let data = self.evaluate.tell(&EndFacts {
            job: &task.profile.job,
            run: None,
            task: Some(id),
            status,
            window: extra.and_then(|extra| extra.occasion.as_deref()),
            output: extra.and_then(|extra| extra.output.as_ref()),
        });
        Some(Announcement {
            tenant: tenant.clone(),
            notice: Arc::new(CloudEvent { data: Some(data), ..bare }),
            ended: id.bits(),
            depth: 0,
            job: task.profile.job.clone(),
            window: None,
            triggers,
            before: 0,
        })
    }

    /// The triggers that want this event, those of events first. `None`: nobody wants it, not even a task that waits.
    fn wanted_by(&self, tenant: &Name, notice: &CloudEvent, after: &[TriggerId]) -> Option<Vec<TriggerId>> {
        let mut triggers = self.state.triggers.matching(tenant, notice);
        triggers.truncate(FAN_OUT_MAX + FAN_OUT_TOLD_MAX);
        triggers.extend(after);
        (!triggers.is_empty() || self.waiting.awaits(tenant, notice)).then_some(triggers)
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
            if let Some(cause) = &here.origin.cause {
                return cause.depth.min(DEPTH_MAX);
            }
            run = here.origin.parent.and_then(|origin| self.state.flows.run(origin.run));
        }
        0
    }
}
