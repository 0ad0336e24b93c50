//! A recurring task by its id: read, change and end it as one would any other task.

use mainspring_core::schedule::decide::{ScheduleAnswer, ScheduleCommand};
use mainspring_core::schedule::{Schedule, ScheduleKey, Spec, Target};
use mainspring_core::task::TaskSpec;
use mainspring_core::values::{ScheduleId, Wall};
use mainspring_definition::read_schedule;

use super::read::even_deleted;
use super::{act, ask, own, shown, unexpected};
use crate::edge::Edge;
use crate::gateway::now;
use crate::operation::Caller;
use crate::operation::audit::Change;
use crate::problem::{CalendarProblem, Problem};
use crate::wire::{AmendBody, OverrideBody, ScheduleView, check_payload};

/// Also one that recurs no more, for a day. What starts runs is no task.
pub(crate) async fn recurring_task(edge: &Edge, id: ScheduleId) -> Result<Box<Schedule>, Problem> {
    match ask(edge, id.into(), ScheduleCommand::Find { id }).await? {
        ScheduleAnswer::Schedule(Some(found)) if matches!(found.spec.target, Target::Task(_)) => Ok(found),
        ScheduleAnswer::Schedule(_) => Err(Problem::NoSuchTask { id: id.to_string() }),
        _ => Err(unexpected()),
    }
}

pub(crate) async fn amend_recurring(
    edge: &Edge,
    id: ScheduleId,
    amend: AmendBody<'_>,
    caller: &Caller<'_>,
) -> Result<(), Problem> {
    if amend.scheduled_at.is_some() || amend.delay_ms.is_some() {
        let field = if amend.scheduled_at.is_some() { "scheduled_at" } else { "delay_ms" };
        return Err(CalendarProblem::TimingDoesNotFit { field, recurs: true }.into());
    }
    let found = recurring_task(edge, id).await?;
    if found.rare.deleted.is_some() {
        return Err(Problem::NoSuchTask { id: id.to_string() });
    }
    let over = OverrideBody { actor: amend.actor.clone(), reason: amend.reason.clone() };
    let by = Change::by("a recurring task was changed", &over, caller)?;
    let Target::Task(task) = &found.spec.target else { return Err(unexpected()) };
    let task = amended(task, &amend)?;
    let mut spec = retimed(&found, &amend)?;
    spec.target = Target::Task(Box::new(task));
    let own = own(edge, &found.key, spec.jitter);
    let key = ScheduleKey::clone(&found.key);
    let command = ScheduleCommand::Put { key: key.clone(), spec, own, seen: None };
    act(edge, ("amend recurring task", &key), command, (Some(&by), caller)).await?;
    by.done(shown(&key));
    Ok(())
}

fn amended(task: &TaskSpec, amend: &AmendBody<'_>) -> Result<TaskSpec, Problem> {
    let mut task = task.clone();
    if let Some(payload) = amend.payload {
        check_payload(&task.profile.executor, Some(payload), now())?;
        task.payload = payload.get().as_bytes().into();
    }
    if let Some(priority) = amend.priority {
        task.priority = priority.0;
    }
    Ok(task)
}

/// What it says of its times, in the words of a job file, with what is said anew.
fn retimed(found: &Schedule, amend: &AmendBody<'_>) -> Result<Spec, Problem> {
    let given = [("cron", amend.cron), ("every", amend.every), ("timezone", amend.timezone)];
    if given.iter().all(|(_, value)| value.is_none()) {
        if amend.payload.is_none() && amend.priority.is_none() {
            let what = "name `payload`, `priority`, `cron`, `every` or `timezone`";
            return Err(Problem::field("body", what));
        }
        return Ok(Spec::clone(&found.spec));
    }
    let mut timing = ScheduleView::of(found).timing_fields();
    // One of them goes when the other comes, and with it what only it has.
    if amend.cron.is_some() {
        timing.remove("every");
    }
    if amend.every.is_some() {
        timing.retain(|field, _| !["cron", "timezone", "dst"].contains(&field.as_str()));
    }
    for (field, value) in given {
        let Some(value) = value else { continue };
        let value = serde_json::from_str(value.get()).map_err(|error| crate::wire::json_problem(&error))?;
        timing.insert(field.to_owned(), value);
    }
    let text = serde_json::Value::Object(timing).to_string();
    read_schedule(&text, &found.key, None).map_err(|mistakes| Problem::ScheduleInvalid { mistakes })
}

/// When it was; one that had ended before stays so.
pub(crate) async fn cancel_recurring(
    edge: &Edge,
    id: ScheduleId,
    over: &OverrideBody,
    caller: &Caller<'_>,
) -> Result<Wall, Problem> {
    let found = recurring_task(edge, id).await?;
    if let Some(deleted) = found.rare.deleted {
        return Ok(deleted);
    }
    let key = ScheduleKey::clone(&found.key);
    super::delete_schedule(edge, &key, over, caller).await?;
    Ok(even_deleted(edge, key).await?.rare.deleted.unwrap_or_else(now))
}
