//! Orders to workers at the moment they leave: each must follow from the committed journal.

use mainspring_core::decision::{Effect, ReportVerdict, Start};
use mainspring_core::values::Epoch;

use super::{Check, Checkers, require};

impl Checkers {
    /// `epoch`: of the owner that sends it.
    pub fn ordered(&self, epoch: Epoch, effect: &Effect) -> Check {
        match effect {
            Effect::Start(start) => self.started(start),
            Effect::Stop { task, fence, reason: Some(_), .. } => {
                let asked = self.journal.facts(*task).is_some_and(|facts| facts.stop_requested);
                require(asked, "I10", || {
                    format!("{task} {fence:?} is stopped, the journal has no such request")
                })
            }
            Effect::Stop { task, fence, reason: None, .. } => {
                require(!self.journal.is_live(*task, *fence), "I10", || {
                    format!("{task} {fence:?} is killed by epoch {epoch}, it is the live grant")
                })
            }
            Effect::Acknowledge { task, fence, verdict, .. } => {
                let facts = self.journal.facts(*task);
                let end = facts.and_then(|facts| facts.grants.get(fence)).and_then(|grant| grant.end);
                require(*verdict != ReportVerdict::Recorded || end.is_some(), "I10", || {
                    format!("{task} {fence:?} is acknowledged as recorded, the journal has no end of it")
                })?;
                require(!self.journal.is_live(*task, *fence), "I10", || {
                    format!(
                        "{task} {fence:?} is acknowledged as {verdict:?} by epoch {epoch}, it is the live grant"
                    )
                })
            }
            Effect::SessionLost { .. }
            | Effect::Alert { .. }
            | Effect::RunAlert { .. }
            | Effect::ScheduleAlert { .. }
            | Effect::RunEnded { .. }
            | Effect::JobDeleted { .. }
            | Effect::Changed { .. }
            | Effect::Drain { .. }
            | Effect::News(_) => Ok(()),
        }
    }

    fn started(&self, start: &Start) -> Check {
        let (id, fence) = (start.task, start.fence);
        let facts = self.journal.facts(id);
        let granted = facts.and_then(|facts| facts.grants.get(&fence));
        require(granted.is_some_and(|grant| grant.worker == start.worker), "I10", || {
            format!("{id} is started under {fence:?}, the journal has no such grant")
        })?;
        let as_granted = granted
            .is_some_and(|grant| (grant.attempt, &grant.checkpoint) == (start.attempt, &start.checkpoint));
        require(as_granted, "I16", || {
            format!("{id} is started as attempt {}, not as granted", start.attempt)
        })?;
        let Some(task) = self.journal.task(id).filter(|task| task.fence == fence) else { return Ok(()) };
        let amended = facts.is_some_and(|facts| facts.amended);
        require(amended || task.payload == start.payload, "I16", || {
            format!("{id} is started with another payload")
        })?;
        require(task.profile == start.profile, "I16", || format!("{id} is started with another profile"))
    }
}
