//! A command under an idempotency key: done once, and answered like the first time ever after.
//! A refusal is not remembered: it changed nothing, and the same wish may be granted later.

use super::{Answer, Command, Rejection, View};
use crate::event::Event;
use crate::id::{ProcessId, RunId, TaskId};
use crate::key::{KeyBinding, KeyClaim, KeyFact, Outcome};
use crate::workflow::FlowAnswer;

/// Not for submissions, which carry their key themselves.
#[derive(Clone, PartialEq, Debug)]
pub struct Keyed {
    /// With what the tables knew of the key before the command came here.
    pub key: (KeyClaim, KeyFact),
    pub command: Command,
}

pub(super) fn decide(view: &View<'_>, keyed: Keyed, out: &mut Vec<Event>) -> Result<Answer, Rejection> {
    let (claim, fact) = keyed.key;
    if let Some(binding) = view.state.keys().known(claim.scope, fact) {
        return first_answer(&claim, binding);
    }
    let answer = super::decide(view, keyed.command, out)?;
    if let Some((entity, outcome)) = outcome(&answer) {
        out.push(Event::KeyBound { claim: claim.with(outcome), entity });
    }
    Ok(answer)
}

fn first_answer(claim: &KeyClaim, binding: KeyBinding) -> Result<Answer, Rejection> {
    let id = binding.task;
    match claim.outcome_of(binding) {
        Some(Outcome::Now(status)) => Ok(Answer::Now { id, status }),
        Some(Outcome::Stopping) => Ok(Answer::Stopping { id }),
        Some(Outcome::Run(status)) => {
            Ok(Answer::Flow(FlowAnswer::Run { id: RunId::from_bits(id.bits()), status }))
        }
        Some(Outcome::Process) => Ok(Answer::Process(ProcessId::new(id.bits() as u64))),
        None => Err(Rejection::KeyReused { existing: id }),
    }
}

/// What the key stands for from now on. Answers that only tell something are given anew each time.
fn outcome(answer: &Answer) -> Option<(TaskId, Outcome)> {
    match answer {
        Answer::Now { id, status } => Some((*id, Outcome::Now(*status))),
        Answer::Stopping { id } => Some((*id, Outcome::Stopping)),
        Answer::Process(id) => Some((TaskId::from_bits(u128::from(id.get())), Outcome::Process)),
        Answer::Flow(FlowAnswer::Run { id, status }) => {
            Some((TaskId::from_bits(id.bits()), Outcome::Run(*status)))
        }
        Answer::Submitted { .. }
        | Answer::AlreadySubmitted { .. }
        | Answer::Task(_)
        | Answer::Schedule(_)
        | Answer::Backfill(_)
        | Answer::Published(_)
        | Answer::Triggers(_)
        | Answer::CouldRun(_)
        | Answer::Quarantine(_)
        | Answer::Diagnosis(_)
        | Answer::RunDiagnosis(_)
        | Answer::Stats(_)
        | Answer::Workers(_)
        | Answer::Unfinished(_)
        | Answer::Progress(_)
        | Answer::Flow(_)
        | Answer::Done => None,
    }
}
