//! Let a backfill rest for a while, or end it.

use mainspring_core::backfill::decide::{BackfillAnswer, BackfillCommand};
use mainspring_core::backfill::{BackfillRefusal, BackfillStatus};
use mainspring_core::decision::Rejection;
use mainspring_core::engine::Command;
use mainspring_core::values::BackfillId;

use super::{backfill, send, unexpected};
use crate::edge::Edge;
use crate::operation::Caller;
use crate::operation::audit::Change;
use crate::problem::Problem;
use crate::wire::OverrideBody;

pub(crate) async fn pause_backfill(
    edge: &Edge,
    id: BackfillId,
    paused: bool,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<BackfillStatus, Problem> {
    let by =
        Change::by(if paused { "a backfill was paused" } else { "a backfill was resumed" }, over, caller)?;
    let operation = if paused { "pause backfill" } else { "resume backfill" };
    let status = act(edge, (operation, id), BackfillCommand::Pause { id, paused }, caller).await?;
    by.done(id);
    Ok(status)
}

/// With its runs.
pub(crate) async fn cancel_backfill(
    edge: &Edge,
    id: BackfillId,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<BackfillStatus, Problem> {
    let by = Change::by("a backfill was cancelled", over, caller)?;
    let status = act(edge, ("cancel backfill", id), BackfillCommand::Cancel { id }, caller).await?;
    by.done(id);
    Ok(status)
}

async fn act(
    edge: &Edge,
    (operation, id): (&str, BackfillId),
    command: BackfillCommand,
    caller: &Caller<'_>,
) -> Result<BackfillStatus, Problem> {
    let command = Command::Backfill(Box::new(command));
    let command = caller.keyed(edge, id.into(), (operation, &id.to_string()), command)?;
    match send(edge, id.into(), command).await {
        Ok(BackfillAnswer::Done { status, .. }) => Ok(status),
        Ok(_) => Err(unexpected()),
        // One that has left memory may have ended long ago.
        Err(Problem::Rejected(Rejection::Backfill(refusal)))
            if matches!(*refusal, BackfillRefusal::NotFound { .. }) =>
        {
            backfill(edge, id).await?;
            Err(Rejection::from(BackfillRefusal::AlreadyEnded { id }).into())
        }
        Err(problem) => Err(problem),
    }
}
