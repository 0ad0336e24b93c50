//! Ends of runs, and of tasks outside of runs, are announced: waits end by them and triggers decide about them.
//! - OE-1 an end is announced in the record that has it: waits that it ends are in this record or in an operation of it, and
//!   each trigger that wants it decides in this record or is named by an operation of it; nothing is made of an end that
//!   no trigger and no waiting task could want
//! - OE-2 ends are announced one after the other, from a list; what an announcement ends joins the list. In one record they
//!   make at most about `Limits::announced_per_record` events; what does not fit becomes operations

use std::sync::Arc;

use super::decide::PanicSubject;
use super::{Batch, Engine};
use crate::event::{AfterFailure, Event};
use crate::operation::{Announcement, Cursor, OperationKind, StepCounts};
use crate::run::RunEvent;
use crate::trigger::decide::FAN_OUT_MAX;
use crate::trigger::decide::after::{self, JobSucceeded, complete, open};
use crate::trigger::decide::announce::{end_of_run, end_of_task};
use crate::trigger::decide::fire::{
    self, Pulled, Shot, declined, failed, listening, run_after, skip_fan_out,
};
use crate::trigger::{LedgerWindow, On, Succeeded, TriggerEvent};
use crate::values::{RunId, TaskId, TriggerId};

#[derive(Clone, Copy, Debug)]
pub(super) enum AnnouncedEnd {
    Run(RunId),
    Task(TaskId),
}

impl Engine {
    /// Lists what has ended by this event, while anybody could want to know.
    pub(super) fn list_end(&mut self, event: &Event) {
        if self.state.triggers.is_empty() && !self.wait_index.awaits_events() {
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
            let made = self.look(subject, batch, |view, _| match end {
                AnnouncedEnd::Run(id) => end_of_run(view, id),
                AnnouncedEnd::Task(id) => end_of_task(view, id),
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
                let counts = StepCounts { handled: (told - from) as u32, ..StepCounts::default() };
                Event::OperationAdvanced { id, cursor, counts, refusal: None }
            } else {
                Event::OperationEnded { id, cancelled: None }
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
            self.tell_trigger(announcement, *id, place, batch);
            // A trigger that decides nothing costs something too.
            let cost = (batch.events.len() - before).max(1);
            self.announced_left = self.announced_left.saturating_sub(cost as u32);
            told += 1;
        }
        told
    }

    /// One that was deleted or changed meanwhile does not want it any more.
    fn tell_trigger(&mut self, announcement: &Announcement, id: TriggerId, place: usize, batch: &mut Batch) {
        let told = self.look(PanicSubject::Trigger(id), batch, |view, _| {
            let (trigger, _) = listening(view, id)?;
            let run = run_after(view, id, announcement.ended, 0);
            Some(match &trigger.spec.on {
                On::After(_) => match after::decide(view, id, announcement) {
                    JobSucceeded::Nothing => return None,
                    JobSucceeded::Begins => Told::Run(run),
                    JobSucceeded::Window { job, window } => Told::Window { job, window },
                },
                on if !on.takes(&announcement.notice) => return None,
                _ if announcement.before as usize + place >= FAN_OUT_MAX => Told::Beyond,
                _ => Told::Run(run),
            })
        });
        match told {
            Ok(Some(Told::Run(run))) => {
                let depth = announcement.depth + 1;
                self.pull(id, Shot { notice: &announcement.notice, run, depth, window: None }, batch);
            }
            Ok(Some(Told::Window { job, window })) => {
                self.window_succeeded(id, (job, window), announcement, batch);
            }
            Ok(Some(Told::Beyond)) => {
                let _ = self.look(PanicSubject::Trigger(id), batch, |_, out| skip_fan_out(id, out));
            }
            Ok(None) | Err(_) => {}
        }
    }

    /// The window is noted, and those that are complete by it begin runs, one after the other: each sees how many runs
    /// the one before left active.
    fn window_succeeded(
        &mut self,
        id: TriggerId,
        (job, window): (u32, LedgerWindow),
        announcement: &Announcement,
        batch: &mut Batch,
    ) {
        let succeeded = Box::new(Succeeded { id, job, window });
        self.commit_one(Event::Trigger(TriggerEvent::Succeeded(succeeded)), batch);
        let subject = PanicSubject::Trigger(id);
        let open = self.look(subject, batch, |view, _| open(view, id, job, window)).unwrap_or_default();
        for window in open {
            let shot = self.look(subject, batch, |view, _| complete(view, id, window, announcement));
            if let Ok(Some(shot)) = shot {
                self.pull(id, shot, batch);
            }
        }
    }

    /// One trigger decides about one event, or about one window. If that panics it declines.
    pub(super) fn pull(&mut self, id: TriggerId, shot: Shot<'_>, batch: &mut Batch) -> Pulled {
        let window = shot.ledger_window();
        let subject = PanicSubject::Trigger(id);
        let pulled = self.look(subject, batch, |view, out| fire::decide(view, id, shot, out));
        pulled.unwrap_or_else(|message| {
            let pulled = failed(&format!("internal error: {message}"));
            self.commit_all(declined(id, &pulled, window), batch);
            pulled
        })
    }
}

/// What an end means for a trigger.
enum Told {
    /// It may begin this run.
    Run(RunId),
    /// The job at this place of its list has succeeded for this window.
    Window { job: u32, window: LedgerWindow },
    /// It comes after as many as may take the event.
    Beyond,
}
