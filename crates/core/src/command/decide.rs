//! One call per command; the rules are in the files beside this one.

use super::{Answer, Command, Rejection, amend, cancel, force, keyed, submit};
use crate::breaks::Breaks;
use crate::dispatch::Dispatcher;
use crate::event::Event;
use crate::id::{ProcessId, TaskId};
use crate::limits::{Limits, Pressure};
use crate::process::Work;
use crate::shard::ShardState;
use crate::task::Task;
use crate::time::Millis;

/// What a decision may look at.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub state: &'a ShardState,
    pub dispatcher: &'a Dispatcher,
    pub limits: &'a Limits,
    pub pressure: Pressure,
    /// How long ago the record being built, and with it `state.now`, was begun.
    pub late: Millis,
    pub breaks: Breaks,
}

impl<'a> View<'a> {
    pub(super) fn task(&self, id: TaskId) -> Result<&'a Task, Rejection> {
        self.state.tasks().by_id(id).ok_or(Rejection::TaskNotFound { id })
    }
}

/// Refuses, or adds events and answers. Commands of workers and of the shell are the machine's own and are not
/// decided here.
pub fn decide(view: &View<'_>, command: Command, out: &mut Vec<Event>) -> Result<Answer, Rejection> {
    match command {
        Command::Submit(submit) => submit::decide(view, *submit, out),
        Command::Cancel { id, stop_running } => cancel::decide(view, id, stop_running, out),
        Command::Amend { id, due, priority, payload } => {
            amend::decide(view, id, (due, priority, payload), out)
        }
        Command::RunNow { id } => amend::run_now(view, id, out),
        Command::Force { id, status, over } => force::decide(view, id, status, over, out),
        Command::Revive { id, fact, over, dead_only } => {
            force::revive(view, id, fact, (over, dead_only), out)
        }
        Command::Discard { id, fact, over } => force::discard(view, id, fact, over, out),
        Command::Flow(flow) => crate::workflow::command::decide(view, *flow, out),
        Command::Schedule(command) => crate::schedule::command::decide(view, *command, out),
        Command::Backfill(command) => crate::backfill::command::decide(view, *command, out),
        Command::Keyed(keyed) => keyed::decide(view, *keyed, out),
        Command::Remember { number } => Ok(Answer::Remembered(number)),
        Command::Read { id } => Ok(Answer::Task(view.state.tasks().by_id(id).cloned().map(Box::new))),
        Command::BulkCancel { selector, stop_running } => {
            let before = view.state.now.wall;
            start_process(view, Work::BulkCancel { selector, before, stop_running }, out)
        }
        Command::CancelRuns { selector, over } => {
            let before = view.state.now.wall;
            start_process(view, Work::CancelRuns { selector, before, over }, out)
        }
        Command::ContinueProcess { .. }
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

fn start_process(view: &View<'_>, work: Work, out: &mut Vec<Event>) -> Result<Answer, Rejection> {
    let max = view.limits.processes_max;
    if view.state.processes.len() >= max {
        return Err(Rejection::TooManyProcesses { max });
    }
    let id = ProcessId::new(view.state.processes_begun + 1);
    out.push(Event::ProcessStarted { id, work });
    Ok(Answer::Process(id))
}
