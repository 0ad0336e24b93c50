//! `GET /v1/tasks/{id}`: one task with its attempts, from memory or from the tables; with `wait` once it has ended.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;

use super::super::{body, json};
use crate::edge::Edge;
use crate::operation::{self, TimerId, flows, schedules};
use crate::problem::Problem;
use crate::wire::TaskView;

pub(in crate::rest) async fn handle(
    State(edge): State<Arc<Edge>>,
    Path(text): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let wait = body::wait(&body::query(request.uri(), &["wait"])?)?;
    let id = match operation::timer_id(&text)? {
        TimerId::Task(id) => id,
        TimerId::Recurring(id) => {
            let schedule = schedules::recurring_task(&edge, id).await?;
            let view = TaskView::recurring(&schedule);
            return view.map(|view| json(StatusCode::OK, &view)).ok_or(Problem::NoSuchTask { id: text });
        }
    };
    let task = operation::read_ended(&edge, id, wait).await?;
    let run = flows::run_of(&edge, &task).await;
    Ok(json(StatusCode::OK, &TaskView::of(&task, true).named(run.as_deref())))
}
