//! `RunService.ListItems`.

use mainspring_proto::v1;

use super::view::task_state;
use crate::edge::Edge;
use crate::grpc::tasks;
use crate::operation::flows::{self, ItemFilter};
use crate::problem::Problem;
use crate::wire::ItemRow;

pub(super) async fn list(
    edge: &Edge,
    request: &v1::ListItemsRequest,
) -> Result<v1::ListItemsResponse, Problem> {
    let state =
        |number: &i32| tasks::parse_status(*number).ok_or_else(|| Problem::query("state", "unknown state"));
    let filter = ItemFilter {
        states: request.states.iter().map(state).collect::<Result<_, _>>()?,
        limit: request.limit.map(|limit| limit as usize),
        cursor: request.cursor.as_deref(),
    };
    let page = flows::items(edge, flows::run_id(&request.run_id)?, &request.task, &filter).await?;
    Ok(v1::ListItemsResponse {
        items: page.items.into_iter().map(item).collect(),
        count: page.count,
        looked_at: page.looked_at,
        next_cursor: page.next_cursor,
    })
}

fn item(row: ItemRow) -> v1::RunItem {
    v1::RunItem {
        index: row.index,
        state: task_state(row.state),
        task_id: row.task_id,
        run_id: row.run_id,
        value_json: row.value.map(|value| value.get().to_owned()),
        error: row.error.map(|error| v1::AttemptError {
            class: error.class.to_owned(),
            code: error.code,
            message: error.message,
        }),
    }
}
