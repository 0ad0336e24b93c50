//! Backfills go on: while a place is free the next window begins its run, and what was cancelled is stopped.

use super::decide::PanicSubject;
use super::{Batch, Engine};
use crate::backfill::decide::next::{NextWindow, goes_on, next};
use crate::values::{BackfillId, Millis};

/// Backfills looked at in one step; the rest waits for the next, so that commands have their turn.
const STEP_MAX: usize = 100;
/// Of each of them at most so many windows or runs.
const STARTS_MAX: usize = 100;
/// Wait before a window is tried again for which there was no room.
const NO_ROOM: Millis = Millis::from_secs(1);

impl Engine {
    pub(super) fn run_backfills(&mut self, batch: &mut Batch) {
        let now = self.state.now.wall;
        while let Some(id) = self.state.backfills.take_retry(now) {
            self.work.backfill(id);
        }
        for _ in 0..self.work.backfills().min(STEP_MAX) {
            let Some(id) = self.work.take_backfill() else { return };
            self.state.backfills.forget_retry(id);
            self.backfill_called(id, batch);
            self.announce_ends(batch);
        }
    }

    fn backfill_called(&mut self, id: BackfillId, batch: &mut Batch) {
        for _ in 0..STARTS_MAX {
            let looked = self.look(PanicSubject::Backfill(id), batch, |view, out| next(view, id, out));
            match looked {
                Ok(NextWindow::Began | NextWindow::Decided) => {}
                Ok(NextWindow::Later) => {
                    let at = self.state.now.wall + NO_ROOM;
                    return self.state.backfills.retry_at(id, at);
                }
                Ok(NextWindow::Nothing) => return,
                Err(_) => return self.pause_backfill(id, batch),
            }
        }
        self.work.backfill(id);
    }

    pub(super) fn has_backfill_work(&self) -> bool {
        self.work.backfills() > 0
    }

    /// It will be looked at, at once or as soon as there may be room.
    pub(super) fn is_backfill_called(&self, id: BackfillId) -> bool {
        let soon = self.state.now.wall + NO_ROOM;
        let backfill = self.state.backfills.get(id);
        self.work.has_backfill(id)
            || backfill.is_some_and(|backfill| backfill.soft.retry.is_some_and(|at| at <= soon))
    }

    /// The watchdog: one that can go on and that nobody called is called.
    pub(super) fn watch_backfills(&mut self) {
        let view = self.view();
        let unpaid = self.state.backfills.iter().filter(|backfill| goes_on(&view, backfill));
        let missed: Vec<BackfillId> =
            unpaid.map(|backfill| backfill.id).filter(|id| !self.is_backfill_called(*id)).collect();
        for id in missed {
            self.work.backfill(id);
        }
    }
}
