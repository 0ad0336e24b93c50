//! A change of a task with the name of who asked for it and why, which stay with the task.
//! - BA-1 a note follows the change in the same record; what changes nothing leaves none

use super::command::{Answer, Command};
use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::task::TaskChange;
use crate::values::{Actor, TaskId};

#[derive(Clone, PartialEq, Debug)]
pub struct ByActor {
    pub over: Actor,
    pub command: Command,
}

pub(crate) fn decide(view: &View<'_>, by: ByActor, out: &mut Out<'_>) -> Result<Answer, Rejection> {
    let ByActor { over, command } = by;
    let subject = subject(&command);
    let before = out.len();
    let answer = super::commands::decide(view, command, out)?;
    if let Some((id, change)) = subject.filter(|_| out.has_changes_since(before)) {
        out.push(Event::TaskNoted { id, change, over });
    }
    Ok(answer)
}

/// The task that a command is about, and what it does to it. Others are noted elsewhere, or not at all.
fn subject(command: &Command) -> Option<(TaskId, TaskChange)> {
    match command {
        Command::Cancel { id, .. } => Some((*id, TaskChange::Cancelled)),
        Command::Amend { id, .. } => Some((*id, TaskChange::Amended)),
        Command::RunNow { id } => Some((*id, TaskChange::RunNow)),
        Command::Force { id, .. } => Some((*id, TaskChange::Forced)),
        Command::Revive { id, .. } => Some((*id, TaskChange::Requeued)),
        Command::Discard { id, .. } => Some((*id, TaskChange::Discarded)),
        _ => None,
    }
}
