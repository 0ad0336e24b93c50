//! Tasks that wait for approval end by the word of somebody who may give it, with their deadline, or with their run (I35).

use mainspring_core::run::ApprovalDecided;
use mainspring_core::task::{Task, TaskState};
use mainspring_core::wait::{Awaited, Late, Wait, WaitEnd};

use super::journal::JournalFold;
use super::{Check, require};

impl JournalFold {
    pub(super) fn check_decided(&self, decided: &ApprovalDecided) -> Check {
        let ApprovalDecided { run, place, over, .. } = decided;
        let task = self.task(run.task(*place));
        let may = task.and_then(waits).is_some_and(|wait| match &wait.what {
            Awaited::Approval(approval) => approval.is_by(&over.actor) && wait.deadline > self.now.wall,
            _ => false,
        });
        require(may, "I35", || format!("{decided:?} is about {task:?}"))
    }

    /// The word comes before the end, in one record.
    pub(super) fn approval_ends(&self, task: &Task, wait: &Wait, end: &WaitEnd) -> Check {
        let said = task.in_run.as_deref().and_then(|origin| {
            let run = self.state.job_runs().run(origin.run)?;
            let turn_of = (origin.place.node, origin.place.index);
            run.decisions.get(&turn_of).filter(|decision| decision.turn == origin.place.turn)
        });
        let over = wait.deadline <= self.now.wall;
        let right = match (said, end) {
            (Some(said), WaitEnd::Met(_)) => said.approved,
            (Some(said), WaitEnd::Failed(_)) => !said.approved,
            (Some(_), WaitEnd::Skipped) => false,
            (None, WaitEnd::Met(_)) => over && wait.late == Late::Approve,
            (None, WaitEnd::Failed(_)) => over && matches!(wait.late, Late::Fail | Late::Reject),
            (None, WaitEnd::Skipped) => over && wait.late == Late::Skip,
        };
        require(right, "I35", || {
            format!(
                "{} waited for {wait:?}, {said:?} was said, and it ended at {:?}: {end:?}",
                task.id, self.now
            )
        })
    }
}

fn waits(task: &Task) -> Option<&Wait> {
    match &task.state {
        TaskState::Waiting(wait) => Some(wait),
        _ => None,
    }
}
