//! Reports of workers: believed by fence, acknowledged when durable.

use super::{Batch, Engine};
use crate::decision::{Effect, ReportVerdict};
use crate::event::Event;
use crate::task::decide::{Report, ReportKind, report};
use crate::task::{PendingCheckpoint, Status, next_deadline};

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
        let from = batch.events.len();
        let view = crate::decision::View {
            state: &self.state,
            dispatcher: &self.dispatcher,
            limits: &self.config.limits,
            pressure: self.pressure,
            late: self.present.since(self.state.now.elapsed),
            breaks: self.config.breaks,
            evaluate: &*self.evaluate,
        };
        let verdict = report::decide(&view, report, &mut self.retry_state, &mut batch.events);
        match verdict {
            ReportVerdict::Recorded => self.note_soft(report, batch),
            ReportVerdict::Duplicate => self.counts.duplicate_reports += 1,
            ReportVerdict::Stale => self.counts.stale_reports += 1,
        }
        self.hold_back_checkpoint(report, from, batch);
        self.commit(batch, from);
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

    /// What is known of a running attempt but not worth a record.
    fn note_soft(&mut self, report: &Report, batch: &mut Batch) {
        let now = self.state.now.elapsed;
        let Some(index) = self.state.tasks.find(report.task) else { return };
        let accepts = matches!(report.what, ReportKind::Accepted);
        if accepts && self.state.mark_running(index) {
            self.tally.moved(Some(Status::Assigned), Status::Running);
            self.tell_task(index, &mut batch.effects);
        }
        let Some(task) = self.state.tasks.get_mut(index) else { return };
        let Some(lease) = task.state.lease_mut() else { return };
        match report.what {
            ReportKind::Accepted => {
                lease.accepted.get_or_insert(now);
                lease.progressed = now;
            }
            // The timer is left as it is: when it fires it is set again, which is cheaper than moving it each time.
            ReportKind::Progress | ReportKind::Checkpoint(_) => lease.progressed = now,
            _ => {}
        }
        if accepts {
            self.timers.set(index, next_deadline(task));
        }
    }

    /// A checkpoint that comes too soon after the last one is stored when the gap ends, or when the attempt does. If
    /// another one comes before that, the newer one is stored.
    fn hold_back_checkpoint(&mut self, report: &Report, from: usize, batch: &mut Batch) {
        let ReportKind::Checkpoint(bytes) = &report.what else { return };
        let (now, gap) = (self.state.now.elapsed, self.config.limits.checkpoint_gap);
        let is_decided = batch.events.len() > from;
        let Some(index) = self.state.tasks.find(report.task).filter(|_| is_decided) else { return };
        let Some(task) = self.state.tasks.get_mut(index) else { return };
        let Some(lease) = task.state.lease_mut() else { return };
        if let Some(last) = lease.checkpointed.filter(|last| now.since(*last) < gap) {
            batch.events.truncate(from);
            lease.pending_checkpoint = Some(PendingCheckpoint { bytes: bytes.clone(), due: last + gap });
            self.timers.set(index, next_deadline(task));
        }
    }

    /// What must be stored before an event that ends the attempt: the next attempt begins with it.
    pub(super) fn unstored_checkpoint(&self, event: &Event) -> Option<Event> {
        let (Event::AttemptFailed { id, .. }
        | Event::TaskDeferred { id, .. }
        | Event::TaskUnassigned { id, .. }
        | Event::TaskForced { id, .. }) = event
        else {
            return None;
        };
        let lease = self.state.tasks.by_id(*id)?.lease()?;
        let bytes = lease.pending_checkpoint.as_ref()?.bytes.clone();
        Some(Event::CheckpointSaved { id: *id, fence: lease.fence, bytes })
    }
}
