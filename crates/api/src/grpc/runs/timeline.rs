//! `RunService.Timeline`.

use mainspring_core::values::Millis;
use mainspring_proto::v1;

use super::view::{run_state, task_state};
use crate::edge::Edge;
use crate::grpc::time::{duration, moment};
use crate::operation::flows;
use crate::problem::Problem;
use crate::wire::{SpanView, TaskTimesView, TimelineView};

pub(super) async fn timeline(
    edge: &Edge,
    request: &v1::RunTimelineRequest,
) -> Result<v1::RunTimeline, Problem> {
    let found = flows::timeline(edge, flows::run_id(&request.run_id)?).await?;
    let view = TimelineView::of(&found.seen, &found.timeline);
    let spent = |cause: &'static str, ms| v1::TimeSpent {
        cause: cause.to_owned(),
        time: Some(duration(Millis::new(ms))),
    };
    Ok(v1::RunTimeline {
        state: run_state(view.state),
        created_at: Some(moment(view.created_at)),
        started_at: view.started_at.map(moment),
        ended_at: view.ended_at.map(moment),
        at: Some(moment(view.at)),
        totals: view.totals.iter().map(|total| spent(total.cause, total.ms)).collect(),
        tasks: view.tasks.into_iter().map(times).collect(),
        more: view.more,
        run_id: view.run_id,
    })
}

fn times(view: TaskTimesView<'_>) -> v1::TaskTimes {
    v1::TaskTimes {
        name: view.name.to_owned(),
        state: task_state(view.state),
        task_id: view.task_id,
        critical: view.critical,
        spans: view.spans.iter().map(span).collect(),
    }
}

fn span(view: &SpanView<'_>) -> v1::TimeSpan {
    v1::TimeSpan {
        cause: view.cause.to_owned(),
        from_ms: view.from_ms,
        to_ms: view.to_ms,
        limit: view.limit.map(str::to_owned),
    }
}
