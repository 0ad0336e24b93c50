//! `TaskService.Amend`.

use mainspring_proto::v1;

use super::super::call::Call;
use super::super::time::{instant_field, span_field};
use super::{body, changed};
use crate::edge::Edge;
use crate::operation::{self, task_id};
use crate::problem::Problem;
use crate::wire::AmendBody;

pub(super) async fn amend(edge: &Edge, call: &Call<v1::AmendTaskRequest>) -> Result<v1::TaskChange, Problem> {
    let request = &call.message;
    let id = task_id(&request.task_id)?;
    let amend = AmendBody {
        scheduled_at: instant_field("scheduled_at", request.scheduled_at.as_ref())?,
        delay_ms: span_field("delay", request.delay.as_ref())?,
        priority: body::priority(request.priority.as_ref())?,
        payload: body::payload(request.payload_json.as_deref())?,
        actor: request.actor.clone(),
        reason: request.reason.clone(),
        ..AmendBody::default()
    };
    Ok(changed(id, operation::amend(edge, id, amend, &call.caller()?).await?))
}
