//! A task that recurs: a schedule without a job. Its id goes where that of a task goes.

use mainspring_core::schedule::decide::{ScheduleAnswer, ScheduleCommand};
use mainspring_core::schedule::{ScheduleKey, TASKS_JOB, Target};
use mainspring_core::values::{Name, ScheduleId, Wall};
use mainspring_definition::{is_schedule_name, read_schedule};

use super::read::even_deleted;
use super::{act, own, shown, unexpected};
use crate::edge::Edge;
use crate::gateway::now;
use crate::operation::Caller;
use crate::operation::audit::Change;
use crate::problem::Problem;
use crate::wire::{Keys, OverrideBody, Submission, TaskBody};

/// A recurring task that is now the server's.
#[derive(Debug)]
pub(crate) struct Recurring {
    pub(crate) id: ScheduleId,
    pub(crate) created: Wall,
    pub(crate) key: ScheduleKey,
    pub(crate) next: Option<Wall>,
}

/// Sent again under the same name it is stored again; the same content changes nothing.
pub(crate) async fn recurring(
    edge: &Edge,
    task: &TaskBody<'_>,
    caller: &Caller<'_>,
) -> Result<Recurring, Problem> {
    let keys = caller.keys;
    let by = Change::said("a recurring task was stored", &OverrideBody::default(), caller)?;
    if task.scheduled_at.is_some() || task.delay_ms.is_some() {
        return Err(Problem::field(
            "start",
            "a recurring task has `start`, not `scheduled_at` or `delay_ms`",
        ));
    }
    let without_key = Keys { key: None, ..keys };
    let submission =
        Submission::of(task, without_key, &edge.profiles, (now(), edge.config.key_life), edge.config.groups)?;
    let tenant = submission.task.profile.tenant.clone();
    let name = named(edge, &tenant, task, keys)?;
    let key = ScheduleKey { tenant, job: Name::fixed(TASKS_JOB), name };
    let mut spec = read_schedule(&task.timing_text(), &key, None)
        .map_err(|mistakes| Problem::ScheduleInvalid { mistakes })?;
    spec.target = Target::Task(Box::new(submission.task));
    let own = own(edge, &key, spec.jitter);
    let command = ScheduleCommand::Put { key: key.clone(), spec, own, seen: None };
    // The tenant of the task counts, and its own key goes before that of the request, as for any other task.
    let own_key = task.idempotency_key.as_deref().or(keys.key);
    let keys = Keys { tenant: Some(&key.tenant), key: own_key, ..keys };
    match act(edge, ("recurring task", &key), command, (by.as_ref(), &Caller { keys, ..*caller })).await? {
        ScheduleAnswer::Stored { next, .. } => {
            if let Some(by) = by {
                by.done(shown(&key));
            }
            let stored = even_deleted(edge, key.clone()).await?;
            Ok(Recurring { id: stored.id, created: stored.created, key, next })
        }
        _ => Err(unexpected()),
    }
}

/// Its own name, or its key, or a new one.
fn named(edge: &Edge, tenant: &str, task: &TaskBody<'_>, keys: Keys<'_>) -> Result<Name, Problem> {
    let text = match (&task.name, task.idempotency_key.as_deref().or(keys.key)) {
        (Some(name), _) if !is_schedule_name(name) => {
            let what = "it has letters, digits, `_`, `-` and `.`, and begins with a letter or a digit";
            return Err(Problem::field("name", what));
        }
        (Some(name), _) => name.to_string(),
        (None, Some(key)) if is_schedule_name(key) => key.to_owned(),
        // A key may have any letters; what is drawn from it is as good.
        (None, Some(key)) => format!("key-{}", &blake3::hash(key.as_bytes()).to_hex()[..32]),
        (None, None) => edge.gateway.mint(tenant).to_string(),
    };
    crate::wire::name("name", &text)
}
