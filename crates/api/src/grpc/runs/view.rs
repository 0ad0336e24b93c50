//! What REST shows of a run, as messages.

use std::collections::{BTreeMap, HashMap};

use mainspring_core::values::Millis;
use mainspring_proto::v1;
use serde_json::value::RawValue;

use super::super::time::{duration, moment};
use crate::wire::{ApprovalView, ItemsView, JobWaitView, NodeView, NoteView, RunView};

pub(super) fn run(view: RunView<'_>) -> v1::Run {
    v1::Run {
        run_id: view.run_id,
        tenant: view.tenant.to_owned(),
        job: view.job.to_owned(),
        version: view.version,
        state: run_state(view.state),
        trigger: view.trigger.to_owned(),
        created_at: Some(moment(view.created_at)),
        started_at: view.started_at.map(moment),
        ended_at: view.ended_at.map(moment),
        paused: view.paused,
        stopping: view.stopping.map(str::to_owned),
        reason: view.reason.map(str::to_owned),
        parent_run_id: view.parent_run_id,
        rerun_of: view.rerun_of,
        labels: owned(view.labels),
        counts: view.counts.into_iter().map(|(state, count)| (state.to_owned(), count)).collect(),
        parameters_json: view.parameters.map(text),
        output_json: view.output.map(text),
        notes: view.notes.iter().map(note).collect(),
        tasks_total: view.tasks_total as u64,
        tasks: view.tasks.into_iter().flatten().map(task).collect(),
        marks: view.marks.into_iter().map(str::to_owned).collect(),
        waits_for: view.waits_for.map(str::to_owned),
        approvals: view.approvals.iter().map(approval).collect(),
        logical_time: view.logical_time.map(moment),
        owner: view.owner,
    }
}

/// By the word that REST shows.
pub(in crate::grpc) fn run_state(word: &str) -> i32 {
    v1::RunState::from_str_name(&format!("RUN_STATE_{}", word.to_uppercase())).unwrap_or_default().into()
}

/// As [`run_state`]; tasks of a run have some of the states that all tasks have.
pub(super) fn task_state(word: &str) -> i32 {
    v1::TaskState::from_str_name(&format!("TASK_STATE_{}", word.to_uppercase())).unwrap_or_default().into()
}

fn owned(labels: BTreeMap<&str, &str>) -> HashMap<String, String> {
    labels.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

fn text(json: &RawValue) -> String {
    json.get().to_owned()
}

pub(in crate::grpc) fn note(note: &NoteView<'_>) -> v1::RunNote {
    v1::RunNote {
        at: Some(moment(note.at)),
        actor: note.actor.to_owned(),
        reason: note.reason.to_owned(),
        what: note.what.to_owned(),
    }
}

fn approval(view: &ApprovalView<'_>) -> v1::RunApproval {
    v1::RunApproval {
        task: view.task.to_owned(),
        item: view.item,
        task_id: view.task_id.clone(),
        state: view.state.to_owned(),
        by: view.by.iter().map(|&name| name.to_owned()).collect(),
        message: view.message.map(str::to_owned),
        since: view.since.map(moment),
        until: view.until.map(moment),
        on_timeout: view.on_timeout.map(str::to_owned),
        decided_at: view.decided_at.map(moment),
        actor: view.actor.map(str::to_owned),
        reason: view.reason.map(str::to_owned),
    }
}

fn task(view: NodeView<'_>) -> v1::RunTask {
    v1::RunTask {
        name: view.name.to_owned(),
        state: task_state(view.state),
        task_id: view.task_id,
        run_id: view.run_id,
        needs: view.needs.into_iter().map(str::to_owned).collect(),
        trigger_rule: view.trigger_rule.to_owned(),
        started_at: view.started_at.map(moment),
        ended_at: view.ended_at.map(moment),
        turn: view.turn,
        reason: view.reason.map(str::to_owned),
        items: view.items.as_ref().map(items),
        added_by: view.added_by.map(str::to_owned),
        waits_for_jobs: view.waits_for_jobs.iter().map(job_wait).collect(),
        undo_task_id: view.undo_task_id,
    }
}

fn job_wait(view: &JobWaitView<'_>) -> v1::RunJobWait {
    v1::RunJobWait {
        job: view.job.to_owned(),
        within: view.within_ms.map(|ms| duration(Millis::new(ms))),
        since: Some(moment(view.since)),
        fails_at: view.fails_at.map(moment),
    }
}

pub(super) fn items(view: &ItemsView) -> v1::RunItems {
    let ItemsView { count, released, live, succeeded, failed, cancelled, skipped } = *view;
    v1::RunItems { count, released, live, succeeded, failed, cancelled, skipped }
}

#[cfg(test)]
mod tests {
    use mainspring_core::run::NodeStatus;

    use super::*;

    #[test]
    fn every_state_of_a_task_in_a_run_has_its_number() {
        for status in NodeStatus::ALL {
            assert_ne!(task_state(status.state(None).label()), 0, "{status:?}");
        }
    }
}
