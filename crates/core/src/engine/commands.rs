//! One call per command; the rules are in the `decide` of the capabilities.

use super::command::{Answer, Command};
use super::{by_actor, keyed, run_commands};
use crate::decision::{Out, Rejection, View};
use crate::operation::decide as operation;
use crate::task::decide::{amend, cancel, force, submit};
use crate::worker::decide::cordon;
use crate::{backfill, schedule};

/// Refuses, or adds events and answers. Commands of workers and of the shell are the engine's own and are not
/// decided here.
pub fn decide(view: &View<'_>, command: Command, out: &mut Out<'_>) -> Result<Answer, Rejection> {
    match command {
        Command::Submit(submit) => submit::decide(view, *submit, out).map(Answer::from),
        Command::Cancel { id, stop_running } => cancel::decide(view, id, stop_running, out).map(Answer::from),
        Command::Amend { id, due, priority, payload } => {
            amend::decide(view, id, (due, priority, payload), out).map(Answer::from)
        }
        Command::RunNow { id } => amend::run_now(view, id, out).map(Answer::from),
        Command::Force { id, status, over } => force::decide(view, id, status, over, out).map(Answer::from),
        Command::Revive { id, fact, over, dead_only } => {
            force::revive(view, id, fact, (over, dead_only), out).map(Answer::from)
        }
        Command::Discard { id, fact, over } => force::discard(view, id, fact, over, out).map(Answer::from),
        Command::Run(flow) => run_commands::decide(view, *flow, out).map(Answer::Run),
        Command::Schedule(command) => schedule::decide::decide(view, *command, out).map(Answer::Schedule),
        Command::Backfill(command) => backfill::decide::decide(view, *command, out).map(Answer::Backfill),
        Command::Cordon(set) => cordon::decide(view, *set, out).map(|()| Answer::Cordon),
        Command::Keyed(keyed) => keyed::decide(view, *keyed, out),
        Command::ByActor(by) => by_actor::decide(view, *by, out),
        Command::Remember { number } => Ok(Answer::Remembered(number)),
        Command::Read { id } => Ok(Answer::Task(view.state.tasks().by_id(id).cloned().map(Box::new))),
        Command::Bulk(bulk) => operation::start(view, *bulk, out).map(Answer::Operation),
        Command::CancelOperation { id, over } => {
            operation::cancel(view, id, over, out).map(|()| Answer::Operation(id))
        }
        Command::ContinueOperation { .. }
        | Command::Report(_)
        | Command::Publish(_)
        | Command::Session(_)
        | Command::Ask(_)
        | Command::Quarantine(_)
        | Command::Configure(_) => {
            Err(Rejection::Internal { what: "a command of the shell reached the rules for callers" })
        }
    }
}
