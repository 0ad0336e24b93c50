//! A change of a task or schedule with the name of who asked for it and why, which stay with the task or the schedule's job.
//! - BA-1 a note follows the change in the same record; what changes nothing leaves none

use std::sync::Arc;

use super::command::{Answer, Command};
use crate::decision::{Out, Rejection, View};
use crate::event::Event;
use crate::job::JobKey;
use crate::run::Subject;
use crate::run::decide::signed::note;
use crate::schedule::decide::ScheduleCommand;
use crate::task::TaskChange;
use crate::values::{Actor, TaskId};

#[derive(Clone, PartialEq, Debug)]
pub struct ByActor {
    pub over: Actor,
    pub command: Command,
}

pub(crate) fn decide(view: &View<'_>, by: ByActor, out: &mut Out<'_>) -> Result<Answer, Rejection> {
    let ByActor { over, command } = by;
    let (subject, of_schedule) = (subject(&command), of_schedule(&command));
    let before = out.len();
    let answer = super::commands::decide(view, command, out)?;
    if let Some((id, change)) = subject.filter(|_| out.has_changes_since(before)) {
        out.push(Event::TaskNoted { id, change, over });
    } else if let Some((job, what)) = of_schedule.filter(|_| out.has_changes_since(before))
        && view.state.job_runs().jobs.get(&job).is_some()
    {
        out.push(note(Subject::Job(Arc::new(job)), over, what.into()));
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

/// The job of a schedule that a command is about, and what it does.
fn of_schedule(command: &Command) -> Option<(JobKey, String)> {
    let Command::Schedule(command) = command else { return None };
    let (key, what) = match &**command {
        ScheduleCommand::Put { key, .. } => (key, "stored"),
        ScheduleCommand::Pause { key, paused: true, .. } => (key, "paused"),
        ScheduleCommand::Pause { key, paused: false, .. } => (key, "resumed"),
        ScheduleCommand::Delete { key, .. } => (key, "deleted"),
        _ => return None,
    };
    let job = JobKey { tenant: key.tenant.clone(), name: key.job.clone() };
    Some((job, format!("{what} schedule `{}`", key.name)))
}
