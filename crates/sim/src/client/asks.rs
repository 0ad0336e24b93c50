//! What a command asks for, as the checkers see it.

use mainspring_core::engine::Command;
use mainspring_core::run::decide::RunCommand;
use mainspring_core::values::TaskId;
use mainspring_core::worker::Availability;

use crate::checkers::Asked;

/// Asks that something does not go on; a healed world does not insist on it.
pub(super) fn hinders(command: &Command) -> bool {
    match command {
        Command::Cordon(set) => set.to != Availability::Open,
        Command::Run(flow) => flow_hinders(flow),
        Command::Keyed(keyed) => hinders(&keyed.command),
        Command::ByActor(by) => hinders(&by.command),
        _ => false,
    }
}

fn flow_hinders(flow: &RunCommand) -> bool {
    match flow {
        RunCommand::PauseRun { paused, .. } | RunCommand::PauseJob { paused, .. } => *paused,
        RunCommand::Signed(signed) => flow_hinders(&signed.command),
        _ => false,
    }
}

pub(super) fn asked(command: &Command) -> Asked {
    match command {
        Command::Submit(submit) => Asked::Submit { id: submit.id, key: submit.key.map(|(claim, _)| claim) },
        Command::Cancel { id, .. } => Asked::Cancel { id: *id },
        Command::Amend { id, .. } => Asked::Amend { id: *id },
        Command::RunNow { id } => Asked::RunNow { id: *id },
        Command::Force { id, .. } => Asked::Force { id: *id },
        Command::Revive { id, .. } => Asked::Revive { id: *id },
        Command::Discard { id, .. } => Asked::Discard { id: *id },
        Command::Keyed(keyed) => asked(&keyed.command),
        Command::ByActor(by) => asked(&by.command),
        Command::Read { id } => Asked::Read { id: *id },
        Command::Run(flow) => asked_of_flow(flow),
        _ => Asked::Other,
    }
}

fn asked_of_flow(flow: &RunCommand) -> Asked {
    match flow {
        RunCommand::Trigger(trigger) => {
            Asked::Trigger { id: trigger.id, key: trigger.key.map(|(claim, _)| claim) }
        }
        RunCommand::Signed(signed) => asked_of_flow(&signed.command),
        RunCommand::Rerun(rerun) => Asked::Rerun { id: rerun.id },
        RunCommand::CancelRun { id } => Asked::CancelRun { id: *id },
        RunCommand::ForceRun { id, .. } => Asked::ForceRun { id: *id },
        RunCommand::Clear(clear) => Asked::ClearRun { id: clear.id },
        RunCommand::Approve(approve) => Asked::Approve { id: approve.run, approved: approve.approved },
        RunCommand::ReadRun { id } => Asked::ReadRun { id: *id },
        RunCommand::PauseRun { id, .. } => Asked::PauseRun { id: *id },
        RunCommand::ApplyJobs(jobs) => {
            let first = jobs.first().and_then(|job| Some((job.key.id(), job.seen?)));
            first.map_or(Asked::Other, |(id, seen)| Asked::Apply { id, seen })
        }
        _ => Asked::Other,
    }
}

pub(super) fn target(asked: Asked) -> Option<TaskId> {
    match asked {
        Asked::Submit { id, .. }
        | Asked::Cancel { id }
        | Asked::Amend { id }
        | Asked::RunNow { id }
        | Asked::Force { id }
        | Asked::Revive { id }
        | Asked::Discard { id }
        | Asked::Read { id } => Some(id),
        _ => None,
    }
}
