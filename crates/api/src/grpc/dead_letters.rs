//! `DeadLetterService`.

use std::sync::Arc;

use mainspring_proto::v1;
use mainspring_proto::v1::dead_letter_service_server::DeadLetterService;
use tonic::{Request, Response, Status};

use super::status::{answer, request_id};
use super::tasks::list;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;

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
}

async fn dead(edge: &Edge, request: &v1::ListTasksRequest) -> Result<v1::ListTasksResponse, Problem> {
    list::page(edge, &operation::only_dead(list::filter(request)?)).await
}
