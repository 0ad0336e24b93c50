//! How states of runs and of their tasks are spelled.

use mainspring_core::run::{NodeStatus, Run, StartedBy};
use mainspring_core::values::RunStatus;

/// A run that is paused says so instead of how far it has come.
pub(crate) const fn run_word(run: &Run) -> &'static str {
    match run.status {
        RunStatus::Running => running_word(run.pause.is_some(), run.stop.is_some()),
        status => run_status_word(status),
    }
}

pub(crate) const fn running_word(is_paused: bool, is_stopping: bool) -> &'static str {
    match (is_paused, is_stopping) {
        (true, _) => "PAUSED",
        (false, true) => "STOPPING",
        (false, false) => run_status_word(RunStatus::Running),
    }
}

pub(crate) const fn run_status_word(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Queued => "QUEUED",
        RunStatus::Running => "RUNNING",
        RunStatus::Succeeded => "COMPLETED",
        RunStatus::Failed => "FAILED",
        RunStatus::Cancelled => "CANCELED",
    }
}

pub(crate) fn parse_run_status(text: &str) -> Option<RunStatus> {
    let is = |status: &RunStatus| {
        text.eq_ignore_ascii_case(run_status_word(*status)) || text.eq_ignore_ascii_case(status.label())
    };
    RunStatus::ALL.into_iter().find(is)
}

pub(crate) fn parse_trigger(text: &str) -> Option<StartedBy> {
    StartedBy::ALL.into_iter().find(|trigger| text.eq_ignore_ascii_case(trigger.label()))
}

pub(crate) const fn node_word(status: NodeStatus) -> &'static str {
    match status {
        NodeStatus::Waiting => "PENDING",
        NodeStatus::Out | NodeStatus::Judged => "RUNNING",
        NodeStatus::Succeeded => "COMPLETED",
        NodeStatus::Failed => "FAILED",
        NodeStatus::UpstreamFailed => "UPSTREAM_FAILED",
        NodeStatus::Skipped => "SKIPPED",
        NodeStatus::Cancelled => "CANCELED",
    }
}
