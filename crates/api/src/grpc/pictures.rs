//! `PictureService`: graphs, states and grids, as REST has them for screens.

use std::sync::Arc;

use mainspring_proto::v1;
use mainspring_proto::v1::picture_service_server::PictureService;
use tonic::{Request, Response, Status};

use super::call::Call;
use super::runs::run_state;
use super::status::{answer, request_id};
use super::time::moment;
use crate::edge::Edge;
use crate::operation::flows::{self, Drawn};
use crate::problem::Problem;
use crate::wire::{GraphView, GridRunView, GridView, ItemCountsView, StatesView};

pub(super) struct Pictures(pub(super) Arc<Edge>);

#[tonic::async_trait]
impl PictureService for Pictures {
    async fn job_graph(
        &self,
        request: Request<v1::GetJobGraphRequest>,
    ) -> Result<Response<v1::Graph>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, job_graph(&self.0, &Call::of(request)).await)
    }

    async fn job_grid(&self, request: Request<v1::GetJobGridRequest>) -> Result<Response<v1::Grid>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, job_grid(&self.0, &Call::of(request)).await)
    }

    async fn run_graph(
        &self,
        request: Request<v1::GetRunGraphRequest>,
    ) -> Result<Response<v1::Graph>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, run_graph(&self.0, request.get_ref()).await)
    }

    async fn run_states(
        &self,
        request: Request<v1::GetRunStatesRequest>,
    ) -> Result<Response<v1::RunStates>, Status> {
        let id = request_id(&request);
        answer(&self.0, &id, run_states(&self.0, request.get_ref()).await)
    }
}

async fn job_graph(edge: &Edge, call: &Call<v1::GetJobGraphRequest>) -> Result<v1::Graph, Problem> {
    let v1::GetJobGraphRequest { job, version, tenant } = &call.message;
    let key = flows::named_job(tenant.as_deref(), call.caller()?.keys, job)?;
    Ok(graph(&flows::graph(edge, key, *version).await?))
}

async fn run_graph(edge: &Edge, request: &v1::GetRunGraphRequest) -> Result<v1::Graph, Problem> {
    Ok(graph(&flows::run_graph(edge, flows::run_id(&request.run_id)?).await?))
}

fn graph(drawn: &Drawn) -> v1::Graph {
    let view = GraphView::of(&drawn.plan, &drawn.edges, &drawn.drawing);
    v1::Graph {
        names: view.names.into_iter().map(str::to_owned).collect(),
        edges: view.edges,
        layer: view.layer,
        y: view.y,
        layers: view.layers,
        height: view.height,
        bends: view.bends,
        straight: view.straight,
        mapped: view.mapped,
        runs: view.runs,
    }
}

async fn run_states(edge: &Edge, request: &v1::GetRunStatesRequest) -> Result<v1::RunStates, Problem> {
    let view = StatesView::of(&flows::seen_run(edge, flows::run_id(&request.run_id)?).await?);
    Ok(v1::RunStates {
        run_id: view.run_id,
        state: run_state(view.state),
        created_at: Some(moment(view.created_at)),
        ended_at: view.ended_at.map(moment),
        states: view.states,
        started: view.started,
        ended: view.ended,
        items: view.items.iter().map(items).collect(),
    })
}

fn items(view: &ItemCountsView) -> v1::ItemCounts {
    let ItemCountsView { task, count, live, succeeded, failed } = *view;
    v1::ItemCounts { task, count, live, succeeded, failed }
}

async fn job_grid(edge: &Edge, call: &Call<v1::GetJobGridRequest>) -> Result<v1::Grid, Problem> {
    let v1::GetJobGridRequest { job, tenant, runs } = &call.message;
    let key = flows::named_job(tenant.as_deref(), call.caller()?.keys, job)?;
    let grid = flows::grid(edge, &key, runs.map(|runs| runs as usize)).await?;
    let view = GridView::of(&grid.tasks, &grid.runs);
    Ok(v1::Grid {
        tasks: view.tasks.into_iter().map(str::to_owned).collect(),
        runs: view.runs.into_iter().map(grid_run).collect(),
    })
}

fn grid_run(view: GridRunView) -> v1::GridRun {
    v1::GridRun {
        run_id: view.run_id,
        version: view.version,
        state: run_state(view.state),
        created_at: Some(moment(view.created_at)),
        started_at: view.started_at.map(moment),
        ended_at: view.ended_at.map(moment),
        states: view.states,
    }
}
