//! Jobs after jobs, window by window: the first job of a list names the windows, and each begins one run when all have
//! succeeded for it.

use std::sync::Arc;

use super::publish::Shot;
use super::{Batch, Engine};
use crate::event::Event;
use crate::run::Run;
use crate::schedule::{Schedule, Timing};
use crate::trigger::{ANYWAY, LedgerWindow, On, Succeeded, TriggerEvent};
use crate::values::{CloudEvent, FiredAs, Millis, Name, RunId, RunStatus, TriggerId, Wall, Window};

impl Engine {
    /// Whether triggers wait for what this run has just done.
    pub(super) fn is_awaited(&self, run: &Run) -> bool {
        run.status == RunStatus::Succeeded
            && !self.state.triggers.after_job(&run.job.tenant, &run.job.name).is_empty()
    }

    pub(super) fn job_succeeded(
        &mut self,
        id: RunId,
        notice: &Arc<CloudEvent>,
        depth: u8,
        batch: &mut Batch,
    ) {
        let Some(run) = self.state.flows.run(id) else { return };
        let (key, occasion) = (run.job.clone(), run.occasion.clone());
        let waiting = self.state.triggers.after_job(&key.tenant, &key.name).to_vec();
        for trigger in waiting {
            let Some((hook, _)) = self.hook_and_job(trigger) else { continue };
            let On::After(jobs) = &hook.spec.on else { continue };
            let Some(job) = jobs.iter().position(|job| *job == key.name) else { continue };
            let alone = jobs.len() == 1;
            match &occasion {
                Some(occasion) => {
                    let window =
                        LedgerWindow { at: occasion.at, schedule: occasion.schedule, from: occasion.from };
                    self.window_succeeded(trigger, job as u32, window, (id, notice, depth), batch);
                }
                None if alone => {
                    let run = self.run_after(trigger, id.bits(), 0);
                    self.pull(trigger, Shot { notice, run, depth: depth + 1, occasion: None }, batch);
                }
                // A run for no window says nothing about one.
                None => {}
            }
        }
    }

    fn window_succeeded(
        &mut self,
        trigger: TriggerId,
        job: u32,
        window: LedgerWindow,
        (ended, notice, depth): (RunId, &Arc<CloudEvent>, u8),
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
            let run =
                self.run_after(trigger, ended.bits(), span.at.millis() ^ u64::from(span.schedule.get()));
            let name = self.state.schedules.get(span.schedule).map(|schedule| schedule.key.name.clone());
            let occasion = Some(Box::new(Window {
                schedule: span.schedule,
                name: name.unwrap_or_default(),
                at: span.at,
                from: span.from,
                punctual: FiredAs::OnTime,
            }));
            self.pull(trigger, Shot { notice, run, depth: depth + 1, occasion }, batch);
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
