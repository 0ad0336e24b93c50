//! A command under an idempotency key: done once, and answered like the first time ever after.
//! A refusal is not remembered: it changed nothing, and the same wish may be granted later.

use super::{Answer, Command, Rejection, View};
use crate::backfill::BackfillAnswer;
use crate::event::Event;
use crate::id::{BackfillId, ProcessId, RunId, TaskId};
use crate::key::{KeyBinding, KeyClaim, KeyFact, Outcome};
use crate::schedule::ScheduleAnswer;
use crate::time::Wall;
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
        Some(Outcome::BackfillCreated) => {
            Ok(Answer::Backfill(BackfillAnswer::Created(BackfillId::from_bits(id.bits()))))
        }
        Some(Outcome::Backfill(status)) => {
            Ok(Answer::Backfill(BackfillAnswer::Done { id: BackfillId::from_bits(id.bits()), status }))
        }
        Some(Outcome::JobApplied { changed }) => {
            Ok(Answer::Flow(FlowAnswer::JobApplied { version: id.bits() as u32, changed }))
        }
        Some(Outcome::JobDone) => Ok(Answer::Flow(FlowAnswer::Done)),
        Some(Outcome::ScheduleStored { changed }) => {
            let next = (id.bits() as u64).checked_sub(1).map(Wall::from_millis);
            Ok(Answer::Schedule(ScheduleAnswer::Stored { next, changed }))
        }
        Some(Outcome::ScheduleDone) => Ok(Answer::Schedule(ScheduleAnswer::Done)),
        Some(Outcome::Remembered) => Ok(Answer::Remembered(Some(id.bits() as u64))),
        None => Err(Rejection::KeyReused { existing: binding.holder() }),
    }
}

/// What the key stands for from now on. Answers that only tell something are given anew each time.
fn outcome(answer: &Answer) -> Option<(TaskId, Outcome)> {
    match answer {
        Answer::Now { id, status } => Some((*id, Outcome::Now(*status))),
        Answer::Stopping { id } => Some((*id, Outcome::Stopping)),
        Answer::Process(id) => Some((number(id.get()), Outcome::Process)),
        Answer::Backfill(BackfillAnswer::Created(id)) => {
            Some((TaskId::from_bits(id.bits()), Outcome::BackfillCreated))
        }
        Answer::Backfill(BackfillAnswer::Done { id, status }) => {
            Some((TaskId::from_bits(id.bits()), Outcome::Backfill(*status)))
        }
        Answer::Flow(FlowAnswer::JobApplied { version, changed }) => {
            Some((number(u64::from(*version)), Outcome::JobApplied { changed: *changed }))
        }
        Answer::Flow(FlowAnswer::Done) => Some((number(0), Outcome::JobDone)),
        Answer::Schedule(ScheduleAnswer::Stored { next, changed }) => {
            let next = next.map_or(0, |next| next.millis().saturating_add(1));
            Some((number(next), Outcome::ScheduleStored { changed: *changed }))
        }
        Answer::Schedule(ScheduleAnswer::Done) => Some((number(0), Outcome::ScheduleDone)),
        Answer::Remembered(Some(told)) => Some((number(*told), Outcome::Remembered)),
        Answer::Flow(FlowAnswer::Run { id, status }) => {
            Some((TaskId::from_bits(id.bits()), Outcome::Run(*status)))
        }
        // These have keys of their own, or none.
        Answer::Submitted { .. }
        | Answer::AlreadySubmitted { .. }
        | Answer::Published(_)
        | Answer::Remembered(None)
        | Answer::Flow(FlowAnswer::AlreadyTriggered { .. })
        | Answer::Done => None,
        told => {
            debug_assert!(told.is_read(), "an answer to a change is not remembered: {told:?}");
            None
        }
    }
}

/// A number in the place of an id.
fn number(number: u64) -> TaskId {
    TaskId::from_bits(u128::from(number))
}
