//! A job that `after` triggers name has succeeded: the window is noted, and those that are complete by it begin runs.

use super::{Batch, Engine};
use crate::event::Event;
use crate::operation::Announcement;
use crate::trigger::decide::after::{self, JobSucceeded, complete, open};
use crate::trigger::decide::fire::{Shot, run_after};
use crate::trigger::{LedgerWindow, Succeeded, TriggerEvent};
use crate::values::TriggerId;

impl Engine {
    pub(super) fn job_succeeded(&mut self, id: TriggerId, announcement: &Announcement, batch: &mut Batch) {
        match after::decide(&self.view(), id, announcement) {
            JobSucceeded::Nothing => {}
            JobSucceeded::Begins => {
                let run = run_after(&self.view(), id, announcement.ended, 0);
                let (notice, depth) = (&announcement.notice, announcement.depth + 1);
                self.pull(id, Shot { notice, run, depth, occasion: None }, batch);
            }
            JobSucceeded::Window { job, window } => {
                self.window_succeeded(id, job, window, announcement, batch);
            }
        }
    }

    fn window_succeeded(
        &mut self,
        id: TriggerId,
        job: u32,
        window: LedgerWindow,
        announcement: &Announcement,
        batch: &mut Batch,
    ) {
        let succeeded = Box::new(Succeeded { id, job, window });
        self.commit_one(Event::Trigger(TriggerEvent::Succeeded(succeeded)), batch);
        // One after the other: each sees how many runs the one before left active.
        for window in open(&self.view(), id, job, window) {
            if let Some(shot) = complete(&self.view(), id, window, announcement) {
                self.pull(id, shot, batch);
            }
        }
    }
}
