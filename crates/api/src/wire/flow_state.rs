//! How states of runs and of their tasks are spelled.

use mainspring_core::run::StartedBy;
use mainspring_core::values::RunStatus;

/// Takes our words and those of the timer contract, in any case.
pub(crate) fn parse_run_status(text: &str) -> Option<RunStatus> {
    let word = match text {
        text if text.eq_ignore_ascii_case("completed") => RunStatus::Succeeded.label(),
        text if text.eq_ignore_ascii_case("canceled") => RunStatus::Cancelled.label(),
        text => text,
    };
    RunStatus::ALL.into_iter().find(|status| word.eq_ignore_ascii_case(status.label()))
}

pub(crate) fn parse_trigger(text: &str) -> Option<StartedBy> {
    StartedBy::ALL.into_iter().find(|trigger| text.eq_ignore_ascii_case(trigger.label()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_runs_are_read_in_both_spellings() {
        let rows = [
            ("succeeded", "COMPLETED", RunStatus::Succeeded),
            ("cancelled", "CANCELED", RunStatus::Cancelled),
        ];
        for (ours, theirs, status) in rows {
            assert_eq!([parse_run_status(ours), parse_run_status(theirs)], [Some(status); 2]);
        }
        assert_eq!(parse_run_status("paused"), None);
    }
}
