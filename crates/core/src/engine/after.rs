//! Jobs after jobs, window by window: the first job of a list names the windows, and each begins one run when all have
//! succeeded for it.

use super::publish::Shot;
use super::{Batch, Engine};
use crate::event::Event;
use crate::operation::Announcement;
use crate::schedule::{Schedule, Timing};
use crate::trigger::{ANYWAY, LedgerWindow, On, Succeeded, TriggerEvent};
use crate::values::{FiredAs, Millis, Name, TriggerId, Wall, Window};

impl Engine {
    /// A run of a job that this trigger may name has succeeded.
    pub(super) fn job_succeeded(&mut self, id: TriggerId, announcement: &Announcement, batch: &mut Batch) {
        let Some(On::After(jobs)) = self.state.triggers.get(id).map(|trigger| &trigger.spec.on) else {
            return;
        };
        let Some(job) = jobs.iter().position(|job| *job == announcement.job) else { return };
        let alone = jobs.len() == 1;
        match announcement.window {
            Some(window) => self.window_succeeded(id, job as u32, window, announcement, batch),
            None if alone => {
                let run = self.run_after(id, announcement.ended, 0);
                let (notice, depth) = (&announcement.notice, announcement.depth + 1);
                self.pull(id, Shot { notice, run, depth, occasion: None }, batch);
            }
            // A run for no window says nothing about one.
            None => {}
        }
    }

    fn window_succeeded(
        &mut self,
        trigger: TriggerId,
        job: u32,
        window: LedgerWindow,
        announcement: &Announcement,
        batch: &mut Batch,
    ) {
        let Some(hook) = self.state.triggers.get(trigger) else { return };
        if !hook.ledger.is_news(job, window) {
            return;
        }
        let succeeded = Box::new(Succeeded { id: trigger, job, window });
        self.commit_one(Event::Trigger(TriggerEvent::Succeeded(succeeded)), batch);
        let Some(hook) = self.state.triggers.get(trigger) else { return };
        let open = if job == 0 { vec![window] } else { hook.ledger.waiting(window.at) };
        for span in open {
            if !self.is_complete(trigger, span) {
                continue;
            }
            let mixed = span.at.millis() ^ u64::from(span.schedule.get());
            let run = self.run_after(trigger, announcement.ended, mixed);
            let name = self.state.schedules.get(span.schedule).map(|schedule| schedule.key.name.clone());
            let occasion = Some(Box::new(Window {
                schedule: span.schedule,
                name: name.unwrap_or_default(),
                at: span.at,
                from: span.from,
                punctual: FiredAs::OnTime,
            }));
            let (notice, depth) = (&announcement.notice, announcement.depth + 1);
            self.pull(trigger, Shot { notice, run, depth, occasion }, batch);
        }
    }

    /// Whether all jobs but the first have succeeded for all of their windows in this one.
    fn is_complete(&self, trigger: TriggerId, span: LedgerWindow) -> bool {
        let Some(hook) = self.state.triggers.get(trigger) else { return false };
        let On::After(jobs) = &hook.spec.on else { return false };
        let LedgerWindow { at, from, .. } = span;
        jobs.iter().enumerate().skip(1).all(|(place, job)| {
            let mut timed = self.timed(&hook.key.tenant, job).peekable();
            if timed.peek().is_none() {
                // It has no windows of its own, and gets them from others: it must have had this one.
                return hook.ledger.count(place, None, at - Millis::new(1), at) > 0;
            }
            timed.all(|schedule| {
                let done = hook.ledger.count(place, Some(schedule.id), from, at);
                done >= windows(schedule, from, at)
            })
        })
    }

    /// Schedules of a job whose windows can be counted.
    fn timed<'a>(&'a self, tenant: &'a Name, job: &'a Name) -> impl Iterator<Item = &'a Schedule> {
        self.state.schedules.of_job(tenant, job).filter(|schedule| {
            schedule.rare.deleted.is_none()
                && matches!(schedule.spec.timing, Timing::Table(_))
                && !schedule.key.name.starts_with(ANYWAY)
        })
    }
}

/// How many windows of a schedule lie in (`from`, `at`].
fn windows(schedule: &Schedule, from: Wall, at: Wall) -> u64 {
    let Timing::Table(table) = &schedule.spec.timing else { return 0 };
    let from = schedule.spec.start.map_or(from, |start| from.max(start - Millis::new(1)));
    let at = schedule.spec.end.map_or(at, |end| at.min(end));
    table.count(from, at)
}
