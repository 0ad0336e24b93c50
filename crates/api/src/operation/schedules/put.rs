//! Store a schedule of a job, or new content of it. Idempotent by nature.

use mainspring_core::engine::Answer;
use mainspring_core::schedule::decide::{ScheduleAnswer, ScheduleCommand};
use mainspring_core::schedule::{ScheduleKey, TASKS_JOB};
use mainspring_core::values::{Revision, Wall};
use mainspring_definition::{is_schedule_name, read_schedule};

use super::{act, job_of, own, shown, unexpected};
use crate::edge::Edge;
use crate::operation::Caller;
use crate::operation::audit::Change;
use crate::operation::flows;
use crate::problem::Problem;
use crate::wire::OverrideBody;

const OPERATION: &str = "put schedule";

/// What became of a schedule that was stored.
pub(crate) struct Stored {
    /// The next window.
    pub(crate) next: Option<Wall>,
    pub(crate) changed: bool,
    pub(crate) revision: Revision,
}

/// `text`: as it stands in a job file.
pub(crate) async fn put_schedule(
    edge: &Edge,
    key: ScheduleKey,
    text: &[u8],
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<Stored, Problem> {
    // Before the job is looked at: it may be gone by now.
    let first =
        caller.first_answer(edge, edge.gateway.tenant(&key.tenant), (OPERATION, &shown(&key))).await?;
    if let Some(Answer::Schedule(ScheduleAnswer::Stored { next, changed, revision })) = first {
        return Ok(Stored { next, changed, revision });
    }
    let by = Change::by("a schedule was stored", over, caller)?;
    if &*key.job == TASKS_JOB {
        return Err(Problem::field("job", "recurring tasks are stored with `POST /v1/tasks`"));
    }
    if !is_schedule_name(&key.name) {
        return Err(Problem::field(
            "name",
            "it has letters, digits, `_`, `-` and `.`, and none of them first",
        ));
    }
    let text = std::str::from_utf8(text).map_err(|_| Problem::field("body", "it is text in UTF-8"))?;
    let job = flows::job(edge, job_of(&key)).await?;
    let definition = edge.definitions.of(&job)?;
    let spec = read_schedule(text, &key, Some(&definition.parameters))
        .map_err(|mistakes| Problem::ScheduleInvalid { mistakes })?;
    let own = own(edge, &key, spec.jitter);
    let command = ScheduleCommand::Put { key: key.clone(), spec, own, seen: caller.seen };
    match act(edge, (OPERATION, &key), command, (Some(&by), caller)).await? {
        ScheduleAnswer::Stored { next, changed, revision } => {
            if changed {
                by.done(shown(&key));
            }
            Ok(Stored { next, changed, revision })
        }
        _ => Err(unexpected()),
    }
}
