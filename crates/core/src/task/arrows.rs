//! Every change of state a task can go through, one row each. `docs/ARCHITECTURE.md` shows the same
//! table, and a test compares them; `apply` asserts that it follows a row.

use super::state::Status;

/// What moves a task: the event, by its short name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Transition {
    Submitted,
    Due,
    Assigned,
    /// Soft: the worker said it took the attempt.
    Accepted,
    Unassigned,
    Succeeded,
    AttemptFailed,
    Deferred,
    /// A task that only waits begins to.
    Waits,
    WaitEnded,
    Cancelled,
    Forced,
    Revived,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Arrow {
    /// `None`: the task did not exist.
    pub from: Option<Status>,
    pub cause: Transition,
    pub to: Status,
}

const fn arrow(from: Status, cause: Transition, to: Status) -> Arrow {
    Arrow { from: Some(from), cause, to }
}

const fn birth(to: Status) -> Arrow {
    Arrow { from: None, cause: Transition::Submitted, to }
}

use Status as S;
use Transition as C;

/// `Skipped` by rule and `UpstreamFailed` have no arrow yet: they arrive with workflows.
pub const ARROWS: &[Arrow] = &[
    birth(S::Pending),
    birth(S::Queued),
    arrow(S::Pending, C::Due, S::Queued),
    arrow(S::RetryWait, C::Due, S::Queued),
    arrow(S::Deferred, C::Due, S::Queued),
    arrow(S::Queued, C::Assigned, S::Assigned),
    arrow(S::Assigned, C::Accepted, S::Running),
    arrow(S::Assigned, C::Unassigned, S::Queued),
    arrow(S::Running, C::Unassigned, S::Queued),
    arrow(S::Assigned, C::Succeeded, S::Succeeded),
    arrow(S::Running, C::Succeeded, S::Succeeded),
    arrow(S::Assigned, C::AttemptFailed, S::RetryWait),
    arrow(S::Assigned, C::AttemptFailed, S::Queued),
    arrow(S::Assigned, C::AttemptFailed, S::Failed),
    arrow(S::Assigned, C::AttemptFailed, S::Quarantined),
    arrow(S::Assigned, C::AttemptFailed, S::Cancelled),
    arrow(S::Running, C::AttemptFailed, S::RetryWait),
    arrow(S::Running, C::AttemptFailed, S::Queued),
    arrow(S::Running, C::AttemptFailed, S::Failed),
    arrow(S::Running, C::AttemptFailed, S::Quarantined),
    arrow(S::Running, C::AttemptFailed, S::Cancelled),
    arrow(S::Assigned, C::Deferred, S::Deferred),
    arrow(S::Running, C::Deferred, S::Deferred),
    arrow(S::Queued, C::Waits, S::Deferred),
    arrow(S::Queued, C::WaitEnded, S::Failed),
    arrow(S::Deferred, C::WaitEnded, S::Succeeded),
    arrow(S::Deferred, C::WaitEnded, S::Failed),
    arrow(S::Deferred, C::WaitEnded, S::Skipped),
    arrow(S::Pending, C::Cancelled, S::Cancelled),
    arrow(S::Queued, C::Cancelled, S::Cancelled),
    arrow(S::RetryWait, C::Cancelled, S::Cancelled),
    arrow(S::Deferred, C::Cancelled, S::Cancelled),
    arrow(S::Pending, C::Forced, S::Succeeded),
    arrow(S::Pending, C::Forced, S::Failed),
    arrow(S::Pending, C::Forced, S::Skipped),
    arrow(S::Queued, C::Forced, S::Succeeded),
    arrow(S::Queued, C::Forced, S::Failed),
    arrow(S::Queued, C::Forced, S::Skipped),
    arrow(S::Assigned, C::Forced, S::Succeeded),
    arrow(S::Assigned, C::Forced, S::Failed),
    arrow(S::Assigned, C::Forced, S::Skipped),
    arrow(S::Running, C::Forced, S::Succeeded),
    arrow(S::Running, C::Forced, S::Failed),
    arrow(S::Running, C::Forced, S::Skipped),
    arrow(S::RetryWait, C::Forced, S::Succeeded),
    arrow(S::RetryWait, C::Forced, S::Failed),
    arrow(S::RetryWait, C::Forced, S::Skipped),
    arrow(S::Deferred, C::Forced, S::Succeeded),
    arrow(S::Deferred, C::Forced, S::Failed),
    arrow(S::Deferred, C::Forced, S::Skipped),
    arrow(S::Failed, C::Revived, S::Queued),
    arrow(S::Cancelled, C::Revived, S::Queued),
    arrow(S::Skipped, C::Revived, S::Queued),
    arrow(S::Quarantined, C::Revived, S::Queued),
];

pub fn arrow_exists(from: Option<Status>, cause: Transition, to: Status) -> bool {
    ARROWS.contains(&Arrow { from, cause, to })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_arrow_is_listed_once() {
        let mut sorted = ARROWS.to_vec();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), ARROWS.len());
    }

    #[test]
    fn only_an_operator_leads_out_of_an_ended_state() {
        for arrow in ARROWS {
            let from_ended = arrow.from.is_some_and(Status::is_ended);
            assert_eq!(from_ended, arrow.cause == Transition::Revived, "{arrow:?}");
        }
    }

    #[test]
    fn every_unfinished_state_can_be_left_and_reached() {
        for status in Status::ALL.into_iter().filter(|status| !status.is_ended()) {
            assert!(ARROWS.iter().any(|arrow| arrow.from == Some(status)), "{status:?} is a dead end");
            assert!(ARROWS.iter().any(|arrow| arrow.to == status), "{status:?} cannot be reached");
        }
    }

    /// The table in the document is this one; on a difference the right text is printed.
    #[test]
    fn the_document_shows_the_same_table() {
        let mut table = String::from("| from | cause | to |\n|---|---|---|\n");
        for arrow in ARROWS {
            let from = arrow.from.map_or("(new)", Status::label);
            let row = format!("| {from} | {:?} | {} |\n", arrow.cause, arrow.to.label());
            table.push_str(&row);
        }
        let document = include_str!("../../../../docs/ARCHITECTURE.md");
        let (_, rest) = document.split_once("<!-- arrows:begin -->\n").expect("the table begins");
        let (shown, _) = rest.split_once("<!-- arrows:end -->").expect("the table ends");
        assert_eq!(shown, table, "write this between the markers:\n{table}");
    }
}
