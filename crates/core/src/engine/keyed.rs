//! A command under an idempotency key: done once, and answered like the first time ever after.
//! A refusal is not remembered: it changed nothing, and the same wish may be granted later.

use super::command::{Answer, Command};
use crate::backfill::decide::BackfillAnswer;
use crate::decision::{KeyOutcome, Out, Rejection, View};
use crate::event::Event;
use crate::key::{KeyBinding, KeyClaim, KeyFact};
use crate::run::decide::{RunAnswer, StoredJob};
use crate::schedule::decide::ScheduleAnswer;
use crate::values::{BackfillId, OperationId, Revision, RunId, TaskId, Wall};

/// Not for submissions, which carry their key themselves.
#[derive(Clone, PartialEq, Debug)]
pub struct Keyed {
    /// With what the tables knew of the key before the command came here.
    pub key: (KeyClaim, KeyFact),
    pub command: Command,
}

pub(crate) fn decide(view: &View<'_>, keyed: Keyed, out: &mut Out<'_>) -> Result<Answer, Rejection> {
    let (claim, fact) = keyed.key;
    if let Some(binding) = view.state.keys().known(claim.scope, fact) {
        return first_answer(&claim, binding);
    }
    let answer = super::commands::decide(view, keyed.command, out)?;
    if let Some((entity, outcome)) = outcome(&answer) {
        out.push(Event::KeyBound { claim: claim.with(outcome), entity });
    }
    Ok(answer)
}

fn first_answer(claim: &KeyClaim, binding: KeyBinding) -> Result<Answer, Rejection> {
    let id = binding.task;
    match claim.outcome_of(binding) {
        Some(KeyOutcome::Now(status)) => Ok(Answer::Now { id, status }),
        Some(KeyOutcome::Stopping) => Ok(Answer::Stopping { id }),
        Some(KeyOutcome::Run(status)) => {
            Ok(Answer::Run(RunAnswer::Run { id: RunId::from_bits(id.bits()), status }))
        }
        Some(KeyOutcome::Operation) => Ok(Answer::Operation(OperationId::new(id.bits() as u64))),
        Some(KeyOutcome::BackfillCreated) => {
            Ok(Answer::Backfill(BackfillAnswer::Created(BackfillId::from_bits(id.bits()))))
        }
        Some(KeyOutcome::Backfill(status)) => {
            Ok(Answer::Backfill(BackfillAnswer::Done { id: BackfillId::from_bits(id.bits()), status }))
        }
        Some(KeyOutcome::JobApplied { changed }) => {
            let (version, revision) = (id.bits() as u32, Revision::new((id.bits() >> 64) as u64));
            let stored = StoredJob { version, changed, revision };
            Ok(Answer::Run(RunAnswer::JobsApplied(vec![stored])))
        }
        Some(KeyOutcome::JobsApplied) => Ok(Answer::Run(RunAnswer::JobsApplied(Vec::new()))),
        Some(KeyOutcome::JobDone) => Ok(Answer::Run(RunAnswer::Done)),
        Some(KeyOutcome::ScheduleStored { changed }) => {
            let next = (id.bits() as u64).checked_sub(1).map(Wall::from_millis);
            let revision = Revision::new((id.bits() >> 64) as u64);
            Ok(Answer::Schedule(ScheduleAnswer::Stored { next, changed, revision }))
        }
        Some(KeyOutcome::ScheduleDone) => Ok(Answer::Schedule(ScheduleAnswer::Done)),
        Some(KeyOutcome::CordonDone) => Ok(Answer::Cordon),
        Some(KeyOutcome::Remembered) => Ok(Answer::Remembered(Some(id.bits() as u64))),
        None => Err(Rejection::KeyReused { existing: binding.holder() }),
    }
}

/// What the key stands for from now on. Answers that only tell something are given anew each time.
fn outcome(answer: &Answer) -> Option<(TaskId, KeyOutcome)> {
    match answer {
        Answer::Now { id, status } => Some((*id, KeyOutcome::Now(*status))),
        Answer::Stopping { id } => Some((*id, KeyOutcome::Stopping)),
        Answer::Operation(id) => Some((number(id.get()), KeyOutcome::Operation)),
        Answer::Backfill(BackfillAnswer::Created(id)) => {
            Some((TaskId::from_bits(id.bits()), KeyOutcome::BackfillCreated))
        }
        Answer::Backfill(BackfillAnswer::Done { id, status }) => {
            Some((TaskId::from_bits(id.bits()), KeyOutcome::Backfill(*status)))
        }
        Answer::Run(RunAnswer::JobsApplied(stored)) => Some(match &stored[..] {
            [StoredJob { version, changed, revision }] => {
                (numbers(*revision, u64::from(*version)), KeyOutcome::JobApplied { changed: *changed })
            }
            _ => (number(0), KeyOutcome::JobsApplied),
        }),
        Answer::Run(RunAnswer::Done) => Some((number(0), KeyOutcome::JobDone)),
        Answer::Schedule(ScheduleAnswer::Stored { next, changed, revision }) => {
            let next = next.map_or(0, |next| next.millis().saturating_add(1));
            Some((numbers(*revision, next), KeyOutcome::ScheduleStored { changed: *changed }))
        }
        Answer::Schedule(ScheduleAnswer::Done) => Some((number(0), KeyOutcome::ScheduleDone)),
        Answer::Cordon => Some((number(0), KeyOutcome::CordonDone)),
        Answer::Remembered(Some(told)) => Some((number(*told), KeyOutcome::Remembered)),
        Answer::Run(RunAnswer::Run { id, status }) => {
            Some((TaskId::from_bits(id.bits()), KeyOutcome::Run(*status)))
        }
        // These have keys of their own, or none.
        Answer::Submitted { .. }
        | Answer::AlreadySubmitted { .. }
        | Answer::Published(_)
        | Answer::Remembered(None)
        | Answer::Run(RunAnswer::AlreadyTriggered { .. })
        | Answer::Done => None,
        told => {
            debug_assert!(told.is_read(), "an answer to a change is not remembered: {told:?}");
            None
        }
    }
}

/// A revision and a number in the place of an id.
fn numbers(revision: Revision, low: u64) -> TaskId {
    TaskId::from_bits(u128::from(revision.get()) << 64 | u128::from(low))
}

/// A number in the place of an id.
fn number(number: u64) -> TaskId {
    TaskId::from_bits(u128::from(number))
}
