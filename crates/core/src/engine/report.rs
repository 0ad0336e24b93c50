//! Reports of workers: believed by fence, acknowledged when durable.

use super::decide::PanicSubject;
use super::{Batch, Engine};
use crate::decision::{Effect, ReportVerdict};
use crate::event::Event;
use crate::task::decide::{Report, ReportKind, report};
use crate::task::{Status, next_deadline};
use crate::values::AttemptDetails;

impl Engine {
    pub(super) fn report(&mut self, report: &Report, batch: &mut Batch) {
        self.heard(report.worker, report.session);
        // Granted by a later owner: this one has been replaced and does not know it yet. "Stale" from it would make
        // the worker throw away a result that counts.
        if report.fence.epoch() > self.state.epoch {
            return;
        }
        if let Some(index) = self.recent.index(report.fence) {
            self.state.tasks.expect(index);
        }
        let subject = PanicSubject::Command("report");
        let verdict = self.look(subject, batch, |view, out| report::decide(view, report, out));
        let verdict = verdict.unwrap_or_else(|message| self.fail_reported(report, &message, batch));
        match verdict {
            ReportVerdict::Recorded => self.note_soft(report, batch),
            ReportVerdict::Duplicate => self.counts.duplicate_reports += 1,
            ReportVerdict::Stale => self.counts.stale_reports += 1,
        }
        // Results are spooled by the worker until acknowledged; the rest is not.
        if report.what.ends_attempt() {
            batch.effects.push(Effect::Acknowledge {
                worker: report.worker,
                session: report.session,
                task: report.task,
                fence: report.fence,
                verdict,
            });
        }
    }

    /// Nothing can be decided about this report: the attempt fails, and the worker forgets it.
    fn fail_reported(&mut self, report: &Report, message: &str, batch: &mut Batch) -> ReportVerdict {
        let held = self.state.tasks.by_id(report.task).and_then(|task| task.lease());
        if held.is_some_and(|lease| lease.fence == report.fence) {
            self.fail_task(report.task, message, batch);
        }
        ReportVerdict::Stale
    }

    /// What is known of a running attempt but not worth a record.
    fn note_soft(&mut self, report: &Report, batch: &mut Batch) {
        let accepts = match report.what {
            ReportKind::Accepted => true,
            ReportKind::Progress(_) | ReportKind::Checkpoint(_) => false,
            _ => return,
        };
        let now = self.state.now.elapsed;
        let Some(index) = self.state.tasks.find(report.task) else { return };
        if accepts && self.state.accept(index, now) {
            self.tally.moved(Some(Status::Assigned), Status::Running);
            self.tell_task(index, &mut batch.effects);
        }
        let Some(task) = self.state.tasks.get_mut(index) else { return };
        let Some(lease) = task.state.lease_mut() else { return };
        lease.soft.progressed = now;
        if let ReportKind::Progress(Some(progress)) = &report.what {
            lease.soft.progress = Some(progress.clone());
        }
        // Otherwise the timer is left as it is: when it fires it is set again, which is cheaper than moving it each time.
        if accepts {
            self.timers.set(index, next_deadline(task));
        }
    }

    /// What must be stored before an event that ends the attempt: the checkpoint with which the next attempt begins, and the
    /// last progress, if the worker did not say more when it reported the end.
    pub(super) fn unstored(&self, event: &Event) -> Option<Event> {
        let (Event::AttemptFailed { id, .. }
        | Event::TaskDeferred { id, .. }
        | Event::TaskUnassigned { id, .. }
        | Event::TaskForced { id, .. }) = event
        else {
            return None;
        };
        let task = self.state.tasks.by_id(*id)?;
        let lease = task.lease()?;
        let (id, fence) = (*id, lease.fence);
        if let Some(checkpoint) = &lease.soft.pending_checkpoint {
            return Some(Event::CheckpointSaved { id, fence, bytes: checkpoint.bytes.clone() });
        }
        let details = task.extra.as_ref().and_then(|extra| extra.details.as_deref());
        let is_reported = details.is_some_and(AttemptDetails::is_reported);
        let progress = lease.soft.progress.clone().filter(|_| !is_reported)?;
        let details = Box::new(AttemptDetails { progress: Some(progress), ..AttemptDetails::default() });
        Some(Event::DetailsReported { id, fence, details })
    }
}
