//! `StoreService`: rows of the tables that cannot be read.

use std::sync::Arc;

use mainspring_proto::v1;
use mainspring_proto::v1::store_service_server::StoreService;
use tonic::{Request, Response, Status};

use super::call::Call;
use super::status::{answer, request_id};
use super::time::moment;
use crate::edge::Edge;
use crate::operation;
use crate::problem::Problem;
use crate::wire::{OverrideBody, QuarantineView};

pub(super) struct Store(pub(super) Arc<Edge>);

#[tonic::async_trait]
impl StoreService for Store {
    async fn list_quarantined(
        &self,
        request: Request<v1::ListQuarantinedRowsRequest>,
    ) -> Result<Response<v1::QuarantinedRows>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, operation::quarantine(&self.0).await.map(message))
    }

    async fn release(
        &self,
        request: Request<v1::ReleaseQuarantinedRowRequest>,
    ) -> Result<Response<v1::QuarantinedRows>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, release(&self.0, &Call::of(request)).await)
    }
}

async fn release(
    edge: &Edge,
    call: &Call<v1::ReleaseQuarantinedRowRequest>,
) -> Result<v1::QuarantinedRows, Problem> {
    let v1::ReleaseQuarantinedRowRequest { row, actor, reason } = call.message.clone();
    let over = OverrideBody { actor, reason };
    operation::release(edge, &row, &over, &call.caller()?).await.map(message)
}

fn message(view: QuarantineView) -> v1::QuarantinedRows {
    let rows = view.rows.into_iter().map(|found| v1::QuarantinedRow {
        row: found.row,
        why: found.why,
        since: Some(moment(found.since)),
    });
    v1::QuarantinedRows { rows: rows.collect() }
}
