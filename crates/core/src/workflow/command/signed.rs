//! A wish with the name of who has it and why, which stay with the job or run that it changes.
//! - SG-1 a note follows the change in the same record; what changes nothing leaves none

use std::sync::Arc;

use super::{FlowAnswer, FlowCommand};
use crate::command::{Rejection, View};
use crate::event::Event;
use crate::task::Override;
use crate::workflow::event::{FlowEvent, Noted, Subject};

#[derive(Clone, PartialEq, Debug)]
pub struct Signed {
    pub over: Override,
    pub command: FlowCommand,
}

pub(super) fn decide(view: &View<'_>, signed: Signed, out: &mut Vec<Event>) -> Result<FlowAnswer, Rejection> {
    let Signed { over, command } = signed;
    let told = told(&command);
    let before = out.len();
    let answer = super::answer(view, command, out)?;
    if let Some((of, what)) = told
        && out.len() > before
    {
        let what = match &answer {
            FlowAnswer::JobApplied { version, .. } => format!("{what} as version {version}").into(),
            _ => what.into(),
        };
        out.push(note(of, over, what));
    }
    Ok(answer)
}

pub(super) fn note(of: Subject, over: Override, what: Arc<str>) -> Event {
    Event::Flow(FlowEvent::Noted(Box::new(Noted { of, over, what })))
}

/// `None`: it changes nothing, or its own event says who is behind it.
fn told(command: &FlowCommand) -> Option<(Subject, &'static str)> {
    let paused = |paused: &bool| if *paused { "paused" } else { "resumed" };
    let job = |key: &crate::workflow::JobKey| Subject::Job(Arc::new(key.clone()));
    Some(match command {
        FlowCommand::ApplyJob { key, .. } => (job(key), "applied"),
        FlowCommand::PauseJob { key, paused: on } => (job(key), paused(on)),
        FlowCommand::DeleteJob { key } => (job(key), "deleted"),
        FlowCommand::CancelRun { id } => (Subject::Run(*id), "canceled"),
        FlowCommand::PauseRun { id, paused: on } => (Subject::Run(*id), paused(on)),
        FlowCommand::ReadJob { .. }
        | FlowCommand::ListJobs { .. }
        | FlowCommand::ReadRun { .. }
        | FlowCommand::Trigger(_)
        | FlowCommand::Rerun(_)
        | FlowCommand::Clear(_)
        | FlowCommand::ForceRun { .. }
        | FlowCommand::ReevaluateRun { .. }
        | FlowCommand::Signed(_) => return None,
    })
}
