//! `TaskService.Amend`.

use mainspring_core::task::Status;
use mainspring_proto::v1;

use super::super::call::Call;
use super::super::time::{instant_field, span_field};
use super::{body, changed, status_number};
use crate::edge::Edge;
use crate::operation::{self, TimerId, schedules, timer_id};
use crate::problem::Problem;
use crate::wire::{AmendBody, json_problem};

pub(super) async fn amend(edge: &Edge, call: &Call<v1::AmendTaskRequest>) -> Result<v1::TaskChange, Problem> {
    let request = &call.message;
    let timing: AmendBody<'_> = match request.recurrence_json.as_deref() {
        Some(text) => serde_json::from_str(text).map_err(|error| json_problem(&error))?,
        None => AmendBody::default(),
    };
    let amend = AmendBody {
        scheduled_at: instant_field("scheduled_at", request.scheduled_at.as_ref())?,
        delay_ms: span_field("delay", request.delay.as_ref())?,
        priority: body::priority(request.priority.as_ref())?,
        payload: body::payload(request.payload_json.as_deref())?,
        actor: request.actor.clone(),
        reason: request.reason.clone(),
        cron: timing.cron,
        every: timing.every,
        timezone: timing.timezone,
    };
    let id = match timer_id(&request.task_id)? {
        TimerId::Task(id) => id,
        TimerId::Recurring(id) => {
            schedules::amend_recurring(edge, id, amend, &call.caller()?).await?;
            return Ok(v1::TaskChange {
                task_id: id.to_string(),
                state: status_number(Status::Pending),
                stopping: false,
            });
        }
    };
    Ok(changed(id, operation::amend(edge, id, amend, &call.caller()?).await?))
}
