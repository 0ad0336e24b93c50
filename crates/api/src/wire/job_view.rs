//! A job as callers see it.

use mainspring_core::workflow::Job;
use serde::Serialize;
use serde_json::value::RawValue;

use super::flow_state::run_status_word;
use super::time::written;

#[derive(Serialize)]
pub(crate) struct JobView<'a> {
    tenant: &'a str,
    job: &'a str,
    version: u32,
    state: &'static str,
    tasks: u32,
    created_at: String,
    updated_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<String>,
    active_runs: u32,
    waiting_runs: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_run: Option<LastRunView>,
    /// What was applied; left out of lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    definition: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct LastRunView {
    run_id: String,
    state: &'static str,
    ended_at: String,
}

impl<'a> JobView<'a> {
    pub(crate) fn of(job: &'a Job, whole: bool) -> Self {
        Self {
            tenant: &job.key.tenant,
            job: &job.key.name,
            version: job.version,
            state: match (job.deleted, job.paused) {
                (Some(_), _) => "DELETED",
                (None, true) => "PAUSED",
                (None, false) => "ACTIVE",
            },
            tasks: job.definition.plan.len(),
            created_at: written(job.created),
            updated_at: written(job.changed),
            deleted_at: job.deleted.map(written),
            active_runs: job.lanes.active,
            waiting_runs: job.lanes.waiting.len(),
            last_run: job.last.map(|last| LastRunView {
                run_id: last.id.to_string(),
                state: run_status_word(last.status),
                ended_at: written(last.at),
            }),
            definition: whole.then(|| raw(&job.definition.source)).flatten(),
        }
    }
}

/// Bytes that are known to be JSON; anything else is left out.
pub(crate) fn raw(bytes: &[u8]) -> Option<&RawValue> {
    serde_json::from_slice(bytes).ok()
}
