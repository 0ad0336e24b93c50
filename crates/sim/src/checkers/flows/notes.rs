//! Who changed a job or a run: a note follows the change it is about (I15), and the newest ones are kept with it.

use mainspring_core::run::{ApprovalDecided, NOTES_MAX, Noted, RunEvent, Subject};
use mainspring_core::state::State;
use mainspring_core::values::Note;

use super::FlowFold;
use crate::checkers::{Broken, Check, require};

impl FlowFold {
    pub(super) fn follow_notes(&mut self, event: &RunEvent, state: &State) -> Check {
        match event {
            RunEvent::Noted(noted) => self.noted(noted, state),
            RunEvent::RunForced { id, .. } | RunEvent::RunReevaluated { id, .. } => {
                self.keep(&Subject::Run(*id), state)
            }
            RunEvent::ApprovalDecided(decided) => self.keep(&Subject::Run(decided.run), state),
            RunEvent::RunCleared(cleared) => self.keep(&Subject::Run(cleared.id), state),
            RunEvent::JobApplied(applied) => self.changes(Subject::Job(applied.key.clone())),
            RunEvent::JobPaused { key, .. } | RunEvent::JobDeleted { key } => {
                self.changes(Subject::Job(key.clone()))
            }
            RunEvent::RunCreated(created) => self.changes(Subject::Run(created.id)),
            RunEvent::RunEnded(ended) => self.changes(Subject::Run(ended.id)),
            other => {
                self.changed = other.run().map(Subject::Run);
                Ok(())
            }
        }
    }

    pub(super) fn approval_decided(&mut self, decided: &ApprovalDecided) -> Check {
        self.counts.approvals += 1;
        self.run_mut(decided.run)?.ever_decided[usize::from(decided.approved)] = true;
        Ok(())
    }

    #[expect(clippy::unnecessary_wraps, reason = "an arm among checks")]
    fn changes(&mut self, of: Subject) -> Check {
        self.changed = Some(of);
        Ok(())
    }

    fn noted(&mut self, noted: &Noted, state: &State) -> Check {
        self.counts.noted += 1;
        let changed = self.changed.take();
        require(changed.as_ref() == Some(&noted.of), "I15", || {
            format!("a note on {:?} follows a change of {changed:?}", noted.of)
        })?;
        self.keep(&noted.of, state)?;
        let newest = kept(&noted.of, state).map(|notes| notes.last());
        require(newest.is_none_or(|note| note.is_some_and(|note| note.what == noted.what)), "I15", || {
            format!("the newest note on {:?} is {newest:?}", noted.of)
        })
    }

    fn keep(&mut self, of: &Subject, state: &State) -> Check {
        let unknown = || Broken { invariant: "I2", what: format!("a note on {of:?}, which is unknown") };
        let notes = match of {
            Subject::Job(key) => self.jobs.get_mut(&**key).map(|job| &mut job.notes),
            Subject::Run(id) => self.runs.get_mut(id).map(|run| &mut run.notes),
        };
        let notes = notes.ok_or_else(unknown)?;
        *notes = (*notes + 1).min(NOTES_MAX);
        let (expected, found) = (*notes, kept(of, state).map(<[Note]>::len));
        require(found.is_none_or(|found| found == expected), "I15", || {
            format!("{of:?} has {found:?} notes and should have {expected}")
        })
    }
}

/// `None`: memory does not hold it.
fn kept<'a>(of: &Subject, state: &'a State) -> Option<&'a [Note]> {
    match of {
        Subject::Job(key) => state.job_runs().jobs().get(key).map(|job| &job.notes[..]),
        Subject::Run(id) => state.job_runs().run(*id).map(|run| &run.notes[..]),
    }
}
