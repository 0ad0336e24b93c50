//! How states of tasks are spelled: one word for each everywhere (`state`), and the words of the timer contract, which
//! `/v1/tasks` adds for its clients (`status`).

use mainspring_core::task::Status;
use serde::Serializer;

/// The timer contract's word.
pub(crate) const fn timer_word(status: Status) -> &'static str {
    match status {
        Status::Pending => "PENDING",
        Status::Queued => "QUEUED",
        Status::Assigned => "ASSIGNED",
        Status::Running => "RUNNING",
        Status::RetryWait => "RETRY_WAIT",
        Status::Deferred => "DEFERRED",
        Status::Succeeded => "COMPLETED",
        Status::Failed => "FAILED",
        Status::Cancelled => "CANCELED",
        Status::Skipped => "SKIPPED",
        Status::UpstreamFailed => "UPSTREAM_FAILED",
        Status::Quarantined => "QUARANTINED",
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
pub(super) fn as_word<S: Serializer>(status: &Status, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.label())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
pub(super) fn as_timer_word<S: Serializer>(status: &Status, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(timer_word(*status))
}

/// Takes our words and those of the timer contract, in any case.
pub(crate) fn parse_status(text: &str) -> Option<Status> {
    let is = |status: &Status| {
        text.eq_ignore_ascii_case(status.label()) || text.eq_ignore_ascii_case(timer_word(*status))
    };
    Status::ALL.into_iter().find(is)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_read() {
        for status in Status::ALL {
            assert_eq!(parse_status(timer_word(status)), Some(status));
            assert_eq!(parse_status(status.label()), Some(status));
        }
        assert_eq!(parse_status("Canceled"), Some(Status::Cancelled));
        assert_eq!(parse_status("DONE"), None);
    }
}
