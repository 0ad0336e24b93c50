//! `RunService.List`.

use mainspring_proto::v1;
use prost_types::Timestamp;

use super::super::time::{instant, timestamp};
use super::{parse_status, view};
use crate::edge::Edge;
use crate::operation::flows::{self, RunFilterBody};
use crate::problem::Problem;
use crate::wire::RunView;

pub(super) async fn list(
    edge: &Edge,
    request: &v1::ListRunsRequest,
) -> Result<v1::ListRunsResponse, Problem> {
    let page = flows::list_runs(edge, filter(request)?).await?;
    Ok(v1::ListRunsResponse {
        runs: page.rows.iter().map(|run| view::run(RunView::brief(run))).collect(),
        next_cursor: page.next.map(|id| id.to_string()),
        looked_until: page.looked_until.map(timestamp),
    })
}

fn filter(request: &v1::ListRunsRequest) -> Result<RunFilterBody<'_>, Problem> {
    let at = |parameter: &str, at: Option<&Timestamp>| {
        at.map(|at| instant(at).map(|at| at.0).map_err(|what| Problem::query(parameter, what))).transpose()
    };
    let status = |number: &i32| parse_status(*number).ok_or_else(|| Problem::query("state", "unknown state"));
    Ok(RunFilterBody {
        tenant: request.tenant.as_deref(),
        job: request.job.as_deref(),
        statuses: request.states.iter().map(status).collect::<Result<_, _>>()?,
        trigger: request.trigger.as_deref(),
        label: request.label.as_deref(),
        created_from: at("created_from", request.created_from.as_ref())?,
        created_before: at("created_before", request.created_before.as_ref())?,
        limit: request.limit.map(|limit| limit as usize),
        cursor: request.cursor.as_deref(),
        id_prefix: request.id_prefix.as_deref(),
        older: request.older,
    })
}
