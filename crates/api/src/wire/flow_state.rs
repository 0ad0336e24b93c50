//! How states of runs and of their tasks are spelled.

use mainspring_core::run::StartedBy;
use mainspring_core::values::RunStatus;

/// Takes our words and those of the timer contract, in any case.
pub(crate) fn parse_run_status(text: &str) -> Option<RunStatus> {
    RunStatus::ALL.into_iter().find(|status| text.eq_ignore_ascii_case(status.label()))
}

pub(crate) fn parse_trigger(text: &str) -> Option<StartedBy> {
    StartedBy::ALL.into_iter().find(|trigger| text.eq_ignore_ascii_case(trigger.label()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_runs_have_one_spelling() {
        assert_eq!(parse_run_status("succeeded"), Some(RunStatus::Succeeded));
        for other in ["COMPLETED", "canceled", "paused"] {
            assert_eq!(parse_run_status(other), None, "{other}");
        }
    }
}
