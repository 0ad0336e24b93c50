//! `RunService.Diagnose`.

use mainspring_core::values::Millis;
use mainspring_proto::v1;

use super::super::tasks::view::diagnosis;
use super::super::time::{duration, moment};
use super::run_state;
use super::view::{items, task_state};
use crate::edge::Edge;
use crate::operation::flows;
use crate::problem::Problem;
use crate::wire::{JobNeedView, NodeDiagnosisView, RunDiagnosisView, UpstreamView};

pub(super) async fn diagnose(
    edge: &Edge,
    request: &v1::DiagnoseRunRequest,
) -> Result<v1::RunDiagnosis, Problem> {
    Ok(message(flows::diagnose_run(edge, flows::run_id(&request.run_id)?).await?))
}

fn message(view: RunDiagnosisView) -> v1::RunDiagnosis {
    v1::RunDiagnosis {
        run_id: view.run_id,
        tenant: view.tenant,
        job: view.job,
        state: run_state(view.state),
        reason: view.reason.to_owned(),
        message: view.message,
        advice: view.advice,
        since: Some(moment(view.since)),
        held_by: view.held_by,
        tasks: view.tasks.into_iter().map(task).collect(),
        tasks_more: view.tasks_more,
        marks: view.marks.into_iter().map(str::to_owned).collect(),
    }
}

fn task(view: NodeDiagnosisView) -> v1::RunTaskDiagnosis {
    let upstream = |on: UpstreamView| v1::RunUpstream { name: on.name, state: task_state(on.state) };
    v1::RunTaskDiagnosis {
        name: view.name,
        state: task_state(view.state),
        reason: view.reason.to_owned(),
        message: view.message,
        advice: view.advice,
        waits_for: view.waits_for.into_iter().map(upstream).collect(),
        trigger_rule: view.trigger_rule.to_owned(),
        condition: view.condition,
        items: view.items.as_ref().map(items),
        item: view.item,
        round: view.round,
        task: view.task.map(diagnosis),
        run_id: view.run_id,
        run_state: view.run_state.map(run_state).unwrap_or_default(),
        last_error: view.last_error.map(|error| v1::AttemptError {
            class: error.class.to_owned(),
            code: error.code,
            message: error.message,
        }),
        waits_for_jobs: view.waits_for_jobs.into_iter().map(job_need).collect(),
    }
}

fn job_need(view: JobNeedView) -> v1::RunJobNeed {
    v1::RunJobNeed {
        job: view.job,
        within: view.within_ms.map(|ms| duration(Millis::new(ms))),
        since: Some(moment(view.since)),
        fails_at: view.fails_at.map(moment),
        exists: view.exists,
        last_success_at: view.last_success_at.map(moment),
    }
}
