//! How states are spelled.

use mainspring_core::task::Status;
use serde::Serializer;

pub(crate) const fn status_word(status: Status) -> &'static str {
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
    serializer.serialize_str(status_word(*status))
}

/// Takes the words above and our own, in any case.
pub(crate) fn parse_status(text: &str) -> Option<Status> {
    let is = |status: &Status| {
        text.eq_ignore_ascii_case(status_word(*status)) || text.eq_ignore_ascii_case(status.label())
    };
    Status::ALL.into_iter().find(is)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_read() {
        for status in Status::ALL {
            assert_eq!(parse_status(status_word(status)), Some(status));
            assert_eq!(parse_status(status.label()), Some(status));
        }
        assert_eq!(parse_status("Canceled"), Some(Status::Cancelled));
        assert_eq!(parse_status("DONE"), None);
    }
}
