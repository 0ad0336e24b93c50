//! `DeadLetterService`.

use std::sync::Arc;

use mainspring_core::task::Status as TaskState;
use mainspring_core::values::TaskId;
use mainspring_proto::v1;
use mainspring_proto::v1::dead_letter_result::Result as Outcome;
use mainspring_proto::v1::dead_letter_service_server::DeadLetterService;
use tonic::{Request, Response, Status};

use super::call::Call;
use super::status::{answer, refusal, request_id};
use super::tasks::{changed, list};
use super::time::moment;
use crate::edge::Edge;
use crate::operation::flows::Owners;
use crate::operation::{self, Changed, DeadLetterVerb, FilterBody};
use crate::problem::Problem;
use crate::wire::{Moment, OverrideBody};

pub(super) struct DeadLetters(pub(super) Arc<Edge>);

#[tonic::async_trait]
impl DeadLetterService for DeadLetters {
    async fn list(
        &self,
        request: Request<v1::ListTasksRequest>,
    ) -> Result<Response<v1::ListTasksResponse>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, dead(&self.0, request.get_ref()).await)
    }

    async fn groups(
        &self,
        request: Request<v1::ListDeadLetterGroupsRequest>,
    ) -> Result<Response<v1::DeadLetterGroups>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, groups(&self.0, request.get_ref()).await)
    }

    async fn requeue(
        &self,
        request: Request<v1::DeadLettersRequest>,
    ) -> Result<Response<v1::DeadLettersResponse>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, settle(&self.0, DeadLetterVerb::Requeue, &Call::of(request)).await)
    }

    async fn discard(
        &self,
        request: Request<v1::DeadLettersRequest>,
    ) -> Result<Response<v1::DeadLettersResponse>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, settle(&self.0, DeadLetterVerb::Discard, &Call::of(request)).await)
    }
}

async fn dead(edge: &Edge, request: &v1::ListTasksRequest) -> Result<v1::ListTasksResponse, Problem> {
    let others = [("id_prefix", &request.id_prefix), ("run_id", &request.run_id)];
    if let Some((parameter, _)) = others.into_iter().find(|(_, given)| given.is_some()) {
        return Err(Problem::query(parameter, "only `TaskService.List` knows it"));
    }
    let found = operation::dead_letters(edge, list::filter(request)?).await?;
    let mut answer = list::page(&found);
    let mut owners = Owners::default();
    for (task, row) in answer.tasks.iter_mut().zip(&found.rows) {
        task.owner = owners.of(edge, &row.profile.tenant, &row.profile.job).await;
    }
    Ok(answer)
}

async fn groups(
    edge: &Edge,
    request: &v1::ListDeadLetterGroupsRequest,
) -> Result<v1::DeadLetterGroups, Problem> {
    let filter = FilterBody {
        tenant: request.tenant.as_deref(),
        job: request.job.as_deref(),
        label: request.label.as_deref(),
        ended_from: list::at("ended_from", request.ended_from.as_ref())?,
        ended_before: list::at("ended_before", request.ended_before.as_ref())?,
        ..FilterBody::default()
    };
    let (groups, more) = operation::dead_letter_groups(edge, filter).await?;
    let message = |group: operation::Group| v1::DeadLetterGroup {
        fingerprint: group.fingerprint,
        tenant: group.tenant,
        job: group.job,
        owner: group.owner,
        class: group.class.to_owned(),
        code: group.code,
        message: group.message,
        count: group.count,
        in_runs: group.in_runs,
        first_at: Some(moment(Moment(group.first))),
        last_at: Some(moment(Moment(group.last))),
        sample_task_id: group.newest.to_string(),
    };
    Ok(v1::DeadLetterGroups { groups: groups.into_iter().map(message).collect(), more })
}

async fn settle(
    edge: &Edge,
    verb: DeadLetterVerb,
    call: &Call<v1::DeadLettersRequest>,
) -> Result<v1::DeadLettersResponse, Problem> {
    let v1::DeadLettersRequest { task_ids, actor, reason, fingerprint } = &call.message;
    let task_ids = operation::ids_meant(edge, task_ids.clone(), fingerprint.as_deref()).await?;
    let over = OverrideBody { actor: actor.clone(), reason: reason.clone() };
    let results = operation::settle_many(edge, verb, &task_ids, &over, &call.caller()?).await?;
    let refused = results.iter().filter(|result| result.is_err()).count();
    Ok(v1::DeadLettersResponse {
        done: (results.len() - refused) as u64,
        refused: refused as u64,
        results: results.into_iter().map(outcome).collect(),
    })
}

fn outcome(result: Result<(TaskId, TaskState), Problem>) -> v1::DeadLetterResult {
    let outcome = match result {
        Ok((id, status)) => Outcome::Task(changed(id, Changed::Now(status))),
        Err(problem) => Outcome::Refusal(refusal(&problem)),
    };
    v1::DeadLetterResult { result: Some(outcome) }
}
