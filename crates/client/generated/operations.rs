// Written by `cargo xtask client` from the OpenAPI document.

/// Change time, payload or priority until it starts
///
/// `PATCH /v1/tasks/{id}`
pub fn amend_task(id: &str, body: &AmendBody) -> Call<Changed> {
    Call::new(Method::PATCH, format!("/v1/tasks/{}", escaped(id))).json(body).keyed()
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ApplyJobsQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
    pub dry_run: Option<bool>,
    /// Who does it; in the server's log
    pub actor: Option<String>,
    /// Why; in the server's log
    pub reason: Option<String>,
}

/// Store the jobs of a job file (YAML or JSON): all of them, or none
///
/// `POST /v1/jobs`
pub fn apply_jobs(query: &ApplyJobsQuery, body: Bytes) -> Call<Applied> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("dry_run", text(query.dry_run.as_ref())),
        ("actor", text(query.actor.as_ref())),
        ("reason", text(query.reason.as_ref())),
    ];
    Call::new(Method::POST, with_query("/v1/jobs", &parameters)).bytes(body).keyed()
}

/// Approve a task that waits for it; who and why is kept
///
/// `POST /v1/runs/{id}:approve`
pub fn approve_run(id: &str, body: Option<&ApproveBody>) -> Call<RunDone> {
    Call::new(Method::POST, format!("/v1/runs/{}:approve", escaped(id))).json_or_none(body).keyed()
}

/// Do one thing with everything that matches; goes on in steps after the answer
///
/// `POST /v1/operations`
pub fn begin_operation(body: &BulkBody) -> Call<Operation> {
    Call::new(Method::POST, "/v1/operations").json(body).keyed()
}

/// End a backfill, and cancel its runs
///
/// `POST /v1/backfills/{id}:cancel`
pub fn cancel_backfill(id: &str, body: Option<&OverrideBody>) -> Call<BackfillDone> {
    Call::new(Method::POST, format!("/v1/backfills/{}:cancel", escaped(id))).json_or_none(body).keyed()
}

/// End a bulk operation before it is through; what it did stays done
///
/// `POST /v1/operations/{id}:cancel`
pub fn cancel_operation(id: &str, body: Option<&OverrideBody>) -> Call<Operation> {
    Call::new(Method::POST, format!("/v1/operations/{}:cancel", escaped(id))).json_or_none(body).keyed()
}

/// Stop a run
///
/// `POST /v1/runs/{id}:cancel`
pub fn cancel_run(id: &str, body: Option<&OverrideBody>) -> Call<RunDone> {
    Call::new(Method::POST, format!("/v1/runs/{}:cancel", escaped(id))).json_or_none(body).keyed()
}

/// Cancel all unfinished runs that match. Very many are cancelled in steps that go on after the answer; `GET /v1/operations/{id}` says how far it is
///
/// `POST /v1/runs:cancel`
pub fn cancel_runs(body: &RunSelectorBody) -> Call<Operation> {
    Call::new(Method::POST, "/v1/runs:cancel").json(body).keyed()
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct CancelTaskQuery {
    /// Stop it if it runs
    pub force: Option<bool>,
}

/// The same as DELETE
///
/// `POST /v1/tasks/{id}:cancel`
pub fn cancel_task(id: &str, query: &CancelTaskQuery, body: Option<&OverrideBody>) -> Call<Changed> {
    let parameters = [
        ("force", text(query.force.as_ref())),
    ];
    Call::new(Method::POST, with_query(format!("/v1/tasks/{}:cancel", escaped(id)), &parameters)).json_or_none(body).keyed()
}

/// Cancel everything that matches and is there now; goes on in steps after the answer
///
/// `POST /v1/tasks:cancel`
pub fn cancel_tasks(body: &SelectorBody) -> Call<Operation> {
    Call::new(Method::POST, "/v1/tasks:cancel").json(body).keyed()
}

/// Run tasks, or items of a mapped task, again, with all that follows; without names, all that failed
///
/// `POST /v1/runs/{id}:clear`
pub fn clear_run(id: &str, body: Option<&ClearBody>) -> Call<RunDone> {
    Call::new(Method::POST, format!("/v1/runs/{}:clear", escaped(id))).json_or_none(body).keyed()
}

/// Give it nothing new, over restarts of the worker and of the server
///
/// `POST /v1/workers/{id}:cordon`
pub fn cordon_worker(id: &str, body: Option<&OverrideBody>) -> Call<Cordoned> {
    Call::new(Method::POST, format!("/v1/workers/{}:cordon", escaped(id))).json_or_none(body).keyed()
}

/// Run windows of a schedule that lie behind
///
/// `POST /v1/backfills`
pub fn create_backfill(body: &BackfillBody) -> Call<CreateBackfillAnswer> {
    Call::new(Method::POST, "/v1/backfills").json(body).keyed()
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct DeleteJobQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
    /// Who does it; in the server's log
    pub actor: Option<String>,
    /// Why; in the server's log
    pub reason: Option<String>,
}

/// Delete a job; its runs and versions stay
///
/// `DELETE /v1/jobs/{name}`
pub fn delete_job(name: &str, query: &DeleteJobQuery) -> Call<JobDone> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("actor", text(query.actor.as_ref())),
        ("reason", text(query.reason.as_ref())),
    ];
    Call::new(Method::DELETE, with_query(format!("/v1/jobs/{}", escaped(name)), &parameters)).keyed()
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct DeleteScheduleQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
    /// Who does it; in the server's log
    pub actor: Option<String>,
    /// Why; in the server's log
    pub reason: Option<String>,
}

/// Delete a schedule; what it began goes on, and its history stays
///
/// `DELETE /v1/schedules/{job}/{name}`
pub fn delete_schedule(job: &str, name: &str, query: &DeleteScheduleQuery) -> Call<ScheduleDone> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("actor", text(query.actor.as_ref())),
        ("reason", text(query.reason.as_ref())),
    ];
    Call::new(Method::DELETE, with_query(format!("/v1/schedules/{}/{}", escaped(job), escaped(name)), &parameters)).keyed()
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct DeleteTaskQuery {
    /// Stop it if it runs
    pub force: Option<bool>,
}

/// Cancel: 409 `TASK_ALREADY_RUNNING` if it runs, unless forced
///
/// `DELETE /v1/tasks/{id}`
pub fn delete_task(id: &str, query: &DeleteTaskQuery) -> Call<Changed> {
    let parameters = [
        ("force", text(query.force.as_ref())),
    ];
    Call::new(Method::DELETE, with_query(format!("/v1/tasks/{}", escaped(id)), &parameters)).keyed()
}

/// Where does it stand, why has it not ended, and what can be done?
///
/// `GET /v1/runs/{id}/diagnosis`
pub fn diagnose_run(id: &str) -> Call<RunDiagnosis> {
    Call::new(Method::GET, format!("/v1/runs/{}/diagnosis", escaped(id)))
}

/// Why is it not running, and what can be done?
///
/// `GET /v1/tasks/{id}/diagnosis`
pub fn diagnose_task(id: &str) -> Call<Diagnosis> {
    Call::new(Method::GET, format!("/v1/tasks/{}/diagnosis", escaped(id)))
}

/// Take a dead letter off the list: it becomes `skipped` and keeps its attempts
///
/// `POST /v1/dead-letters/{id}:discard`
pub fn discard_dead_letter(id: &str, body: Option<&OverrideBody>) -> Call<Changed> {
    Call::new(Method::POST, format!("/v1/dead-letters/{}:discard", escaped(id))).json_or_none(body).keyed()
}

/// Discard many dead letters; a result for each
///
/// `POST /v1/dead-letters:discard`
pub fn discard_dead_letters(body: &DeadLettersBody) -> Call<ManyResult> {
    Call::new(Method::POST, "/v1/dead-letters:discard").json(body).keyed()
}

/// Let a worker become empty: it gets nothing new, what it runs goes on, and it is told. `:uncordon` takes it back
///
/// `POST /v1/workers/{id}:drain`
pub fn drain_worker(id: &str, body: Option<&OverrideBody>) -> Call<Cordoned> {
    Call::new(Method::POST, format!("/v1/workers/{}:drain", escaped(id))).json_or_none(body).keyed()
}

/// An operator says how a run ends; who and why is kept
///
/// `POST /v1/runs/{id}:force-state`
pub fn force_run_state(id: &str, body: &ForceRunBody) -> Call<RunDone> {
    Call::new(Method::POST, format!("/v1/runs/{}:force-state", escaped(id))).json(body).keyed()
}

/// An operator says how it ended; who and why is kept
///
/// `POST /v1/tasks/{id}:force-state`
pub fn force_task_state(id: &str, body: &ForceTaskBody) -> Call<Changed> {
    Call::new(Method::POST, format!("/v1/tasks/{}:force-state", escaped(id))).json(body).keyed()
}

/// What needs a person, the most harmful first
///
/// `GET /v1/attention`
pub fn get_attention() -> Call<Attention> {
    Call::new(Method::GET, "/v1/attention")
}

/// One backfill, how far it has come
///
/// `GET /v1/backfills/{id}`
pub fn get_backfill(id: &str) -> Call<Backfill> {
    Call::new(Method::GET, format!("/v1/backfills/{}", escaped(id)))
}

/// This document, to read
///
/// `GET /docs`
pub fn get_docs() -> Call<Text> {
    Call::new(Method::GET, "/docs")
}

/// What an error means and what to do
///
/// `GET /docs/errors/{code}`
pub fn get_error_page(code: &str) -> Call<Text> {
    Call::new(Method::GET, format!("/docs/errors/{}", escaped(code)))
}

/// Whether the server makes progress
///
/// `GET /healthz`
pub fn get_health() -> Call<Health> {
    Call::new(Method::GET, "/healthz")
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct GetJobQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
}

/// One job with its definition
///
/// `GET /v1/jobs/{name}`
pub fn get_job(name: &str, query: &GetJobQuery) -> Call<Job> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
    ];
    Call::new(Method::GET, with_query(format!("/v1/jobs/{}", escaped(name)), &parameters))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct GetJobGraphQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
    /// When the job was made, as the job says it. Not looked at: it tells jobs of one name on different servers apart where answers are kept
    pub created: Option<String>,
}

/// The graph of one version of a job, with where each task is drawn
///
/// `GET /v1/jobs/{name}/versions/{version}/graph`
pub fn get_job_graph(name: &str, version: &str, query: &GetJobGraphQuery) -> Call<Graph> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("created", text(query.created.as_ref())),
    ];
    Call::new(Method::GET, with_query(format!("/v1/jobs/{}/versions/{}/graph", escaped(name), escaped(version)), &parameters))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct GetJobGridQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
    /// How many runs
    pub runs: Option<u64>,
}

/// The newest runs of a job against its tasks
///
/// `GET /v1/jobs/{name}/grid`
pub fn get_job_grid(name: &str, query: &GetJobGridQuery) -> Call<Grid> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("runs", text(query.runs.as_ref())),
    ];
    Call::new(Method::GET, with_query(format!("/v1/jobs/{}/grid", escaped(name)), &parameters))
}

/// JSON Schema of a job file
///
/// `GET /schema/job.json`
pub fn get_job_schema() -> Call<Value> {
    Call::new(Method::GET, "/schema/job.json")
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct GetJobStatsQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
    /// Of so many ended runs, the newest ones
    pub last: Option<u64>,
}

/// How its newest runs ended and how long they took, in all and by version
///
/// `GET /v1/jobs/{name}/stats`
pub fn get_job_stats(name: &str, query: &GetJobStatsQuery) -> Call<JobStats> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("last", text(query.last.as_ref())),
    ];
    Call::new(Method::GET, with_query(format!("/v1/jobs/{}/stats", escaped(name)), &parameters))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct GetJobVersionQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
}

/// One version of a job
///
/// `GET /v1/jobs/{name}/versions/{version}`
pub fn get_job_version(name: &str, version: &str, query: &GetJobVersionQuery) -> Call<Version> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
    ];
    Call::new(Method::GET, with_query(format!("/v1/jobs/{}/versions/{}", escaped(name), escaped(version)), &parameters))
}

/// Figures in OpenMetrics text
///
/// `GET /metrics`
pub fn get_metrics() -> Call<Text> {
    Call::new(Method::GET, "/metrics")
}

/// This document
///
/// `GET /openapi.json`
pub fn get_open_api() -> Call<Value> {
    Call::new(Method::GET, "/openapi.json")
}

/// How far a bulk operation has come
///
/// `GET /v1/operations/{id}`
pub fn get_operation(id: &str) -> Call<Operation> {
    Call::new(Method::GET, format!("/v1/operations/{}", escaped(id)))
}

/// One pool
///
/// `GET /v1/pools/{name}`
pub fn get_pool(name: &str) -> Call<Pool> {
    Call::new(Method::GET, format!("/v1/pools/{}", escaped(name)))
}

/// It can take work
///
/// `GET /readyz`
pub fn get_readiness() -> Call<Readiness> {
    Call::new(Method::GET, "/readyz")
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct GetRunQuery {
    pub tasks_offset: Option<u64>,
    pub tasks_limit: Option<u64>,
    /// Answer once it has ended, or after this long as it is then: `500ms`, `30s`; a minute at most. Without it the answer comes at once
    pub wait: Option<String>,
}

/// One run with a page of its tasks
///
/// `GET /v1/runs/{id}`
pub fn get_run(id: &str, query: &GetRunQuery) -> Call<Run> {
    let parameters = [
        ("tasks_offset", text(query.tasks_offset.as_ref())),
        ("tasks_limit", text(query.tasks_limit.as_ref())),
        ("wait", text(query.wait.as_ref())),
    ];
    Call::new(Method::GET, with_query(format!("/v1/runs/{}", escaped(id)), &parameters))
}

/// The graph of a run, with the tasks that it was given on its way
///
/// `GET /v1/runs/{id}/graph`
pub fn get_run_graph(id: &str) -> Call<Graph> {
    Call::new(Method::GET, format!("/v1/runs/{}/graph", escaped(id)))
}

/// The states and times of all tasks of a run, in columns, in the order of its graph
///
/// `GET /v1/runs/{id}/states`
pub fn get_run_states(id: &str) -> Call<RunStates> {
    Call::new(Method::GET, format!("/v1/runs/{}/states", escaped(id)))
}

/// Where the time went: when each task waited, for what, and when it ran, with the critical path
///
/// `GET /v1/runs/{id}/timeline`
pub fn get_run_timeline(id: &str) -> Call<Timeline> {
    Call::new(Method::GET, format!("/v1/runs/{}/timeline", escaped(id)))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct GetScheduleQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
}

/// One schedule
///
/// `GET /v1/schedules/{job}/{name}`
pub fn get_schedule(job: &str, name: &str, query: &GetScheduleQuery) -> Call<Schedule> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
    ];
    Call::new(Method::GET, with_query(format!("/v1/schedules/{}/{}", escaped(job), escaped(name)), &parameters))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct GetSeriesQuery {
    /// The length of a step; `10s` unless said
    pub step: Option<String>,
    /// How many steps, the newest
    pub points: Option<u64>,
}

/// How much waited, ran and ended over time
///
/// `GET /v1/stats/series`
pub fn get_series(query: &GetSeriesQuery) -> Call<Series> {
    let parameters = [
        ("step", text(query.step.as_ref())),
        ("points", text(query.points.as_ref())),
    ];
    Call::new(Method::GET, with_query("/v1/stats/series", &parameters))
}

/// How much waits and runs, by pool, band and tenant
///
/// `GET /v1/stats`
pub fn get_stats() -> Call<Stats> {
    Call::new(Method::GET, "/v1/stats")
}

/// The server itself: version, journal, tables, what it holds, settings
///
/// `GET /v1/system`
pub fn get_system() -> Call<System> {
    Call::new(Method::GET, "/v1/system")
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct GetTaskQuery {
    /// Answer once it has ended, or after this long as it is then: `500ms`, `30s`; a minute at most. Without it the answer comes at once
    pub wait: Option<String>,
}

/// Read one task with its attempts and output
///
/// `GET /v1/tasks/{id}`
pub fn get_task(id: &str, query: &GetTaskQuery) -> Call<Task> {
    let parameters = [
        ("wait", text(query.wait.as_ref())),
    ];
    Call::new(Method::GET, with_query(format!("/v1/tasks/{}", escaped(id)), &parameters))
}

/// Each change of state with its time and cause, oldest first
///
/// `GET /v1/tasks/{id}/history`
pub fn get_task_history(id: &str) -> Call<TaskHistory> {
    Call::new(Method::GET, format!("/v1/tasks/{}/history", escaped(id)))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct GetTaskLogsQuery {
    /// Which attempt; by default the newest that has a log, or with `follow` the first and all after it
    pub attempt: Option<u64>,
    /// Where to begin, in bytes of the attempt's log
    pub offset: Option<u64>,
    /// Bytes at most; a stream that follows ends after so many. 1048576 by default, without bound when it follows
    pub limit: Option<u64>,
    /// The last bytes instead, up to 8 MiB, as `64KiB`: from the first line that begins there
    pub tail: Option<String>,
    /// From this line on, counted from 1; `-100` is the last 100 lines. Notes about missing bytes are no lines of the log
    pub line: Option<i64>,
    /// The whole log of the attempt as it is now, as a file; goes with `attempt` and `offset` only
    pub download: Option<bool>,
    /// `stdout` or `stderr`: only that; `marked`: both with marks between them, as they are stored and as offsets count; `all` unless said: both without marks
    pub stream: Option<String>,
    /// Stay, and get what comes until the task has ended; with `attempt`, until that attempt's log is whole. Later attempts begin with a line `── attempt 2 ──`
    pub follow: Option<bool>,
}

/// What an attempt wrote, in pieces or live
///
/// `GET /v1/tasks/{id}/logs`
pub fn get_task_logs(id: &str, query: &GetTaskLogsQuery) -> Call<Text> {
    let parameters = [
        ("attempt", text(query.attempt.as_ref())),
        ("offset", text(query.offset.as_ref())),
        ("limit", text(query.limit.as_ref())),
        ("tail", text(query.tail.as_ref())),
        ("line", text(query.line.as_ref())),
        ("download", text(query.download.as_ref())),
        ("stream", text(query.stream.as_ref())),
        ("follow", text(query.follow.as_ref())),
    ];
    Call::new(Method::GET, with_query(format!("/v1/tasks/{}/logs", escaped(id)), &parameters))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct GetTriggerQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
}

/// One trigger
///
/// `GET /v1/triggers/{job}/{name}`
pub fn get_trigger(job: &str, name: &str, query: &GetTriggerQuery) -> Call<Trigger> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
    ];
    Call::new(Method::GET, with_query(format!("/v1/triggers/{}/{}", escaped(job), escaped(name)), &parameters))
}

/// One worker
///
/// `GET /v1/workers/{id}`
pub fn get_worker(id: &str) -> Call<Worker> {
    Call::new(Method::GET, format!("/v1/workers/{}", escaped(id)))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ListBackfillsQuery {
    /// Only of this tenant
    pub tenant: Option<String>,
    /// Only of this job
    pub job: Option<String>,
    /// Only in this state; a page may then be shorter than its limit
    pub state: Option<String>,
    /// Rows in a page
    pub limit: Option<u64>,
    /// `next_cursor` of the page before
    pub cursor: Option<String>,
}

/// Backfills, newest first
///
/// `GET /v1/backfills`
pub fn list_backfills(query: &ListBackfillsQuery) -> Call<BackfillPage> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("job", text(query.job.as_ref())),
        ("state", text(query.state.as_ref())),
        ("limit", text(query.limit.as_ref())),
        ("cursor", text(query.cursor.as_ref())),
    ];
    Call::new(Method::GET, with_query("/v1/backfills", &parameters))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ListDeadLetterGroupsQuery {
    /// Only of this tenant
    pub tenant: Option<String>,
    /// Only of this job
    pub job: Option<String>,
    /// `key=value`
    pub label: Option<String>,
    /// Ended at or after: RFC 3339 or epoch seconds
    pub ended_from: Option<String>,
    /// Ended before
    pub ended_before: Option<String>,
}

/// Dead letters by what went wrong, the largest group first
///
/// `GET /v1/dead-letters/groups`
pub fn list_dead_letter_groups(query: &ListDeadLetterGroupsQuery) -> Call<DeadLetterGroups> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("job", text(query.job.as_ref())),
        ("label", text(query.label.as_ref())),
        ("ended_from", text(query.ended_from.as_ref())),
        ("ended_before", text(query.ended_before.as_ref())),
    ];
    Call::new(Method::GET, with_query("/v1/dead-letters/groups", &parameters))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ListDeadLettersQuery {
    /// Only of this tenant
    pub tenant: Option<String>,
    /// Only of this job
    pub job: Option<String>,
    /// One state or several with commas; both spellings are read
    pub state: Option<String>,
    /// The same as `state`
    pub status: Option<String>,
    /// Only tasks whose newest attempt this worker has or had
    pub worker: Option<String>,
    /// `key=value`
    pub label: Option<String>,
    /// Made at or after: RFC 3339 or epoch seconds
    pub created_from: Option<String>,
    /// Made before
    pub created_before: Option<String>,
    /// Ended at or after: RFC 3339 or epoch seconds
    pub ended_from: Option<String>,
    /// Ended before
    pub ended_before: Option<String>,
    /// Rows in a page
    pub limit: Option<u64>,
    /// Take a list that lacks the newest changes when the tables are behind, instead of `STORE_BEHIND`
    pub older: Option<bool>,
    /// `next_cursor` of the page before
    pub cursor: Option<String>,
}

/// Tasks that failed for good or were quarantined
///
/// `GET /v1/dead-letters`
pub fn list_dead_letters(query: &ListDeadLettersQuery) -> Call<TaskPage> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("job", text(query.job.as_ref())),
        ("state", text(query.state.as_ref())),
        ("status", text(query.status.as_ref())),
        ("worker", text(query.worker.as_ref())),
        ("label", text(query.label.as_ref())),
        ("created_from", text(query.created_from.as_ref())),
        ("created_before", text(query.created_before.as_ref())),
        ("ended_from", text(query.ended_from.as_ref())),
        ("ended_before", text(query.ended_before.as_ref())),
        ("limit", text(query.limit.as_ref())),
        ("older", text(query.older.as_ref())),
        ("cursor", text(query.cursor.as_ref())),
    ];
    Call::new(Method::GET, with_query("/v1/dead-letters", &parameters))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ListItemsQuery {
    /// One state or several with commas
    pub state: Option<String>,
    /// Rows in a page
    pub limit: Option<u64>,
    /// `next_cursor` of the page before
    pub cursor: Option<String>,
}

/// Items of a mapped task, each with its value and state, and why it failed
///
/// `GET /v1/runs/{id}/tasks/{name}/items`
pub fn list_items(id: &str, name: &str, query: &ListItemsQuery) -> Call<ItemPage> {
    let parameters = [
        ("state", text(query.state.as_ref())),
        ("limit", text(query.limit.as_ref())),
        ("cursor", text(query.cursor.as_ref())),
    ];
    Call::new(Method::GET, with_query(format!("/v1/runs/{}/tasks/{}/items", escaped(id), escaped(name)), &parameters))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ListJobVersionsQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
    /// Rows in a page
    pub limit: Option<u64>,
    /// Only older ones
    pub before: Option<u64>,
}

/// Versions of a job, newest first
///
/// `GET /v1/jobs/{name}/versions`
pub fn list_job_versions(name: &str, query: &ListJobVersionsQuery) -> Call<VersionPage> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("limit", text(query.limit.as_ref())),
        ("before", text(query.before.as_ref())),
    ];
    Call::new(Method::GET, with_query(format!("/v1/jobs/{}/versions", escaped(name)), &parameters))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ListJobsQuery {
    /// Only of this tenant
    pub tenant: Option<String>,
    /// Rows in a page
    pub limit: Option<u64>,
    /// `next_cursor` of the page before
    pub cursor: Option<String>,
    /// Only jobs with this tag; a page may then be shorter than its limit
    pub tag: Option<String>,
    /// Only jobs of this owner; a page may then be shorter than its limit
    pub owner: Option<String>,
    /// With so many of the newest ended runs of each job, and their figures
    pub recent: Option<u64>,
}

/// List jobs by tenant and name
///
/// `GET /v1/jobs`
pub fn list_jobs(query: &ListJobsQuery) -> Call<JobPage> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("limit", text(query.limit.as_ref())),
        ("cursor", text(query.cursor.as_ref())),
        ("tag", text(query.tag.as_ref())),
        ("owner", text(query.owner.as_ref())),
        ("recent", text(query.recent.as_ref())),
    ];
    Call::new(Method::GET, with_query("/v1/jobs", &parameters))
}

/// Named limits: who holds a place, and how many wait for one
///
/// `GET /v1/limits`
pub fn list_limits() -> Call<LimitPage> {
    Call::new(Method::GET, "/v1/limits")
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ListOperationsQuery {
    /// Rows in a page
    pub limit: Option<u64>,
    /// `next_cursor` of the page before
    pub cursor: Option<String>,
}

/// Bulk operations, newest first
///
/// `GET /v1/operations`
pub fn list_operations(query: &ListOperationsQuery) -> Call<OperationPage> {
    let parameters = [
        ("limit", text(query.limit.as_ref())),
        ("cursor", text(query.cursor.as_ref())),
    ];
    Call::new(Method::GET, with_query("/v1/operations", &parameters))
}

/// Pools: workers, room, and what waits
///
/// `GET /v1/pools`
pub fn list_pools() -> Call<PoolPage> {
    Call::new(Method::GET, "/v1/pools")
}

/// Rows of the tables that cannot be read
///
/// `GET /v1/store/quarantine`
pub fn list_quarantined_rows() -> Call<Quarantine> {
    Call::new(Method::GET, "/v1/store/quarantine")
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ListRunsQuery {
    /// Only of this tenant
    pub tenant: Option<String>,
    /// Only of this job
    pub job: Option<String>,
    /// One or several with commas
    pub state: Option<String>,
    /// Only those that this began
    pub trigger: Option<String>,
    /// `key=value`
    pub label: Option<String>,
    /// Made at or after: RFC 3339 or epoch seconds
    pub created_from: Option<String>,
    /// Made before
    pub created_before: Option<String>,
    /// Rows in a page
    pub limit: Option<u64>,
    /// `next_cursor` of the page before
    pub cursor: Option<String>,
    /// Take a list that lacks the newest changes when the tables are behind, instead of `STORE_BEHIND`
    pub older: Option<bool>,
    /// Only runs whose id begins so (6 to 32 hexadecimal digits, with or without `run_`); goes with `tenant` and `limit` alone
    pub id_prefix: Option<String>,
}

/// List runs, newest first
///
/// `GET /v1/runs`
pub fn list_runs(query: &ListRunsQuery) -> Call<RunPage> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("job", text(query.job.as_ref())),
        ("state", text(query.state.as_ref())),
        ("trigger", text(query.trigger.as_ref())),
        ("label", text(query.label.as_ref())),
        ("created_from", text(query.created_from.as_ref())),
        ("created_before", text(query.created_before.as_ref())),
        ("limit", text(query.limit.as_ref())),
        ("cursor", text(query.cursor.as_ref())),
        ("older", text(query.older.as_ref())),
        ("id_prefix", text(query.id_prefix.as_ref())),
    ];
    Call::new(Method::GET, with_query("/v1/runs", &parameters))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ListScheduleWindowsQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
    /// Rows in a page
    pub limit: Option<u64>,
    /// `next_cursor` of the page before
    pub cursor: Option<String>,
    /// Only windows of which this became
    pub outcome: Option<String>,
    /// Windows at or after; a page may then be shorter than its limit
    pub from: Option<String>,
    /// Windows before
    pub to: Option<String>,
}

/// What became of the windows of a schedule, newest first
///
/// `GET /v1/schedules/{job}/{name}/history`
pub fn list_schedule_windows(job: &str, name: &str, query: &ListScheduleWindowsQuery) -> Call<WindowPage> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("limit", text(query.limit.as_ref())),
        ("cursor", text(query.cursor.as_ref())),
        ("outcome", text(query.outcome.as_ref())),
        ("from", text(query.from.as_ref())),
        ("to", text(query.to.as_ref())),
    ];
    Call::new(Method::GET, with_query(format!("/v1/schedules/{}/{}/history", escaped(job), escaped(name)), &parameters))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ListSchedulesQuery {
    /// Only of this tenant
    pub tenant: Option<String>,
    /// Only of this job
    pub job: Option<String>,
    /// Rows in a page
    pub limit: Option<u64>,
    /// `next_cursor` of the page before
    pub cursor: Option<String>,
}

/// List schedules by tenant, job and name
///
/// `GET /v1/schedules`
pub fn list_schedules(query: &ListSchedulesQuery) -> Call<SchedulePage> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("job", text(query.job.as_ref())),
        ("limit", text(query.limit.as_ref())),
        ("cursor", text(query.cursor.as_ref())),
    ];
    Call::new(Method::GET, with_query("/v1/schedules", &parameters))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ListTasksQuery {
    /// Only of this tenant
    pub tenant: Option<String>,
    /// Only of this job
    pub job: Option<String>,
    /// One state or several with commas; both spellings are read
    pub state: Option<String>,
    /// The same as `state`
    pub status: Option<String>,
    /// Only tasks whose newest attempt this worker has or had
    pub worker: Option<String>,
    /// `key=value`
    pub label: Option<String>,
    /// Made at or after: RFC 3339 or epoch seconds
    pub created_from: Option<String>,
    /// Made before
    pub created_before: Option<String>,
    /// Ended at or after: RFC 3339 or epoch seconds
    pub ended_from: Option<String>,
    /// Ended before
    pub ended_before: Option<String>,
    /// Rows in a page
    pub limit: Option<u64>,
    /// Take a list that lacks the newest changes when the tables are behind, instead of `STORE_BEHIND`
    pub older: Option<bool>,
    /// `next_cursor` of the page before
    pub cursor: Option<String>,
    /// Only tasks of this run, in the order of its job; goes with `state`, `limit` and `cursor` alone
    pub run_id: Option<String>,
    /// Only tasks of this pool that have not ended
    pub pool: Option<String>,
    /// Only queued tasks that wait for this, as `GET /v1/waiting` calls it
    pub reason: Option<String>,
    /// Only queued tasks that wait for this named limit; with `reason` only beside `limit`
    pub limit_name: Option<String>,
    /// Only tasks whose id begins so (6 to 32 hexadecimal digits, with or without `task_`); goes with `tenant` and `limit` alone
    pub id_prefix: Option<String>,
}

/// List tasks: unfinished ones from memory, then those waiting for a far time, then ended ones, newest first
///
/// `GET /v1/tasks`
pub fn list_tasks(query: &ListTasksQuery) -> Call<TaskPage> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("job", text(query.job.as_ref())),
        ("state", text(query.state.as_ref())),
        ("status", text(query.status.as_ref())),
        ("worker", text(query.worker.as_ref())),
        ("label", text(query.label.as_ref())),
        ("created_from", text(query.created_from.as_ref())),
        ("created_before", text(query.created_before.as_ref())),
        ("ended_from", text(query.ended_from.as_ref())),
        ("ended_before", text(query.ended_before.as_ref())),
        ("limit", text(query.limit.as_ref())),
        ("older", text(query.older.as_ref())),
        ("cursor", text(query.cursor.as_ref())),
        ("run_id", text(query.run_id.as_ref())),
        ("pool", text(query.pool.as_ref())),
        ("reason", text(query.reason.as_ref())),
        ("limit_name", text(query.limit_name.as_ref())),
        ("id_prefix", text(query.id_prefix.as_ref())),
    ];
    Call::new(Method::GET, with_query("/v1/tasks", &parameters))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ListTriggersQuery {
    /// Only of this tenant
    pub tenant: Option<String>,
    /// Only of this job
    pub job: Option<String>,
    /// Rows in a page
    pub limit: Option<u64>,
    /// `next_cursor` of the page before
    pub cursor: Option<String>,
}

/// List triggers by tenant, job and name
///
/// `GET /v1/triggers`
pub fn list_triggers(query: &ListTriggersQuery) -> Call<TriggerPage> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("job", text(query.job.as_ref())),
        ("limit", text(query.limit.as_ref())),
        ("cursor", text(query.cursor.as_ref())),
    ];
    Call::new(Method::GET, with_query("/v1/triggers", &parameters))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ListUpcomingWindowsQuery {
    /// Only of this tenant
    pub tenant: Option<String>,
    /// How far to look, as `30s`, `10m`, `2h`, `1d`; an hour unless set
    pub within: Option<String>,
    /// Rows in a page
    pub limit: Option<u64>,
}

/// The windows of all schedules that come next, in the order of time
///
/// `GET /v1/schedules:upcoming`
pub fn list_upcoming_windows(query: &ListUpcomingWindowsQuery) -> Call<UpcomingPage> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("within", text(query.within.as_ref())),
        ("limit", text(query.limit.as_ref())),
    ];
    Call::new(Method::GET, with_query("/v1/schedules:upcoming", &parameters))
}

/// What queued tasks wait for, how many, since when, and how fast their queues are worked off
///
/// `GET /v1/waiting`
pub fn list_waiting() -> Call<WaitingPage> {
    Call::new(Method::GET, "/v1/waiting")
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ListWindowsQuery {
    /// Only of this tenant
    pub tenant: Option<String>,
    /// Only of this job
    pub job: Option<String>,
    /// Only windows of which this became
    pub outcome: Option<String>,
    /// Windows at or after: RFC 3339 or epoch seconds
    pub from: Option<String>,
    /// Windows before
    pub to: Option<String>,
}

/// What became of the windows of all schedules in a span of time, the oldest first
///
/// `GET /v1/windows`
pub fn list_windows(query: &ListWindowsQuery) -> Call<LedgerPage> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("job", text(query.job.as_ref())),
        ("outcome", text(query.outcome.as_ref())),
        ("from", text(query.from.as_ref())),
        ("to", text(query.to.as_ref())),
    ];
    Call::new(Method::GET, with_query("/v1/windows", &parameters))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ListWorkersQuery {
    /// Only of this pool
    pub pool: Option<String>,
    /// Only in this state
    pub state: Option<String>,
}

/// Who works, and how full they are
///
/// `GET /v1/workers`
pub fn list_workers(query: &ListWorkersQuery) -> Call<WorkerPage> {
    let parameters = [
        ("pool", text(query.pool.as_ref())),
        ("state", text(query.state.as_ref())),
    ];
    Call::new(Method::GET, with_query("/v1/workers", &parameters))
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ListenToEventsQuery {
    /// Only of these
    pub kind: Option<String>,
    /// Only of this tenant
    pub tenant: Option<String>,
    /// Only of this job
    pub job: Option<String>,
    /// Only of this run and its tasks
    pub run_id: Option<String>,
    /// End after so long; without it the stream ends when the server stops
    pub for_ms: Option<u64>,
    /// The `id` of the last event that the caller had: begin behind it
    pub after: Option<String>,
    /// One event for all that happened in so long, 50 ms to 10 s, as `250ms`: `mainspring.events.digest` counts tasks by job and state and names the runs that were touched, 200 at most
    pub digest: Option<String>,
}

/// News of tasks, runs, jobs, schedules, workers and bulk operations as they happen
///
/// `GET /v1/events`
pub fn listen_to_events(query: &ListenToEventsQuery) -> Call<Text> {
    let parameters = [
        ("kind", text(query.kind.as_ref())),
        ("tenant", text(query.tenant.as_ref())),
        ("job", text(query.job.as_ref())),
        ("run_id", text(query.run_id.as_ref())),
        ("for_ms", text(query.for_ms.as_ref())),
        ("after", text(query.after.as_ref())),
        ("digest", text(query.digest.as_ref())),
    ];
    Call::new(Method::GET, with_query("/v1/events", &parameters))
}

/// Begin no further window of a backfill until it is resumed
///
/// `POST /v1/backfills/{id}:pause`
pub fn pause_backfill(id: &str, body: Option<&OverrideBody>) -> Call<BackfillDone> {
    Call::new(Method::POST, format!("/v1/backfills/{}:pause", escaped(id))).json_or_none(body).keyed()
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct PauseJobQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
}

/// Let no run of a job start
///
/// `POST /v1/jobs/{name}:pause`
pub fn pause_job(name: &str, query: &PauseJobQuery, body: Option<&OverrideBody>) -> Call<JobDone> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
    ];
    Call::new(Method::POST, with_query(format!("/v1/jobs/{}:pause", escaped(name)), &parameters)).json_or_none(body).keyed()
}

/// Release nothing more of a run
///
/// `POST /v1/runs/{id}:pause`
pub fn pause_run(id: &str, body: Option<&OverrideBody>) -> Call<RunDone> {
    Call::new(Method::POST, format!("/v1/runs/{}:pause", escaped(id))).json_or_none(body).keyed()
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct PauseScheduleQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
}

/// Skip the windows of a schedule until it is resumed
///
/// `POST /v1/schedules/{job}/{name}:pause`
pub fn pause_schedule(job: &str, name: &str, query: &PauseScheduleQuery, body: Option<&OverrideBody>) -> Call<ScheduleDone> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
    ];
    Call::new(Method::POST, with_query(format!("/v1/schedules/{}/{}:pause", escaped(job), escaped(name)), &parameters)).json_or_none(body).keyed()
}

/// What a cron expression means and when it fires
///
/// `POST /v1/cron:preview`
pub fn preview_cron(body: &CronPreviewBody) -> Call<CronPreview> {
    Call::new(Method::POST, "/v1/cron:preview").json(body)
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct PublishEventsQuery {
    /// Whose event it is; `default` unless said
    pub tenant: Option<String>,
}

/// Tell that something happened
///
/// `POST /v1/events`
pub fn publish_events(query: &PublishEventsQuery, body: &Event) -> Call<Published> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
    ];
    Call::new(Method::POST, with_query("/v1/events", &parameters)).json(body).keyed()
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct PutScheduleQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
    /// Who does it; in the server's log
    pub actor: Option<String>,
    /// Why; in the server's log
    pub reason: Option<String>,
}

/// Store a schedule of a job, or new content of it
///
/// `PUT /v1/schedules/{job}/{name}`
pub fn put_schedule(job: &str, name: &str, query: &PutScheduleQuery, body: &ScheduleBody) -> Call<ScheduleStored> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
        ("actor", text(query.actor.as_ref())),
        ("reason", text(query.reason.as_ref())),
    ];
    Call::new(Method::PUT, with_query(format!("/v1/schedules/{}/{}", escaped(job), escaped(name)), &parameters)).json(body).keyed()
}

/// Take a signed call as an event
///
/// `POST /v1/webhooks/{name}`
pub fn receive_webhook(name: &str, body: Bytes) -> Call<Published> {
    Call::new(Method::POST, format!("/v1/webhooks/{}", escaped(name))).bytes(body)
}

/// Have what can be decided in a run looked for again; who and why is kept
///
/// `POST /v1/runs/{id}:reevaluate`
pub fn reevaluate_run(id: &str, body: Option<&OverrideBody>) -> Call<RunDone> {
    Call::new(Method::POST, format!("/v1/runs/{}:reevaluate", escaped(id))).json_or_none(body).keyed()
}

/// Reject a task that waits for approval: it fails; who and why is kept
///
/// `POST /v1/runs/{id}:reject`
pub fn reject_run(id: &str, body: Option<&ApproveBody>) -> Call<RunDone> {
    Call::new(Method::POST, format!("/v1/runs/{}:reject", escaped(id))).json_or_none(body).keyed()
}

/// Read a quarantined row again after it was repaired
///
/// `POST /v1/store/quarantine/{row}:release`
pub fn release_quarantined_row(row: &str, body: Option<&OverrideBody>) -> Call<Quarantine> {
    Call::new(Method::POST, format!("/v1/store/quarantine/{}:release", escaped(row))).json_or_none(body)
}

/// Queue a dead letter again, with a fresh budget of retries
///
/// `POST /v1/dead-letters/{id}:requeue`
pub fn requeue_dead_letter(id: &str, body: Option<&OverrideBody>) -> Call<Changed> {
    Call::new(Method::POST, format!("/v1/dead-letters/{}:requeue", escaped(id))).json_or_none(body).keyed()
}

/// Queue many dead letters again; a result for each
///
/// `POST /v1/dead-letters:requeue`
pub fn requeue_dead_letters(body: &DeadLettersBody) -> Call<ManyResult> {
    Call::new(Method::POST, "/v1/dead-letters:requeue").json(body).keyed()
}

/// Run it once more, as a new run
///
/// `POST /v1/runs/{id}:rerun`
pub fn rerun_run(id: &str, body: Option<&RerunBody>) -> Call<Rerun> {
    Call::new(Method::POST, format!("/v1/runs/{}:rerun", escaped(id))).json_or_none(body).keyed()
}

/// Let a paused backfill go on
///
/// `POST /v1/backfills/{id}:resume`
pub fn resume_backfill(id: &str, body: Option<&OverrideBody>) -> Call<BackfillDone> {
    Call::new(Method::POST, format!("/v1/backfills/{}:resume", escaped(id))).json_or_none(body).keyed()
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ResumeJobQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
}

/// Let runs of a job start again
///
/// `POST /v1/jobs/{name}:resume`
pub fn resume_job(name: &str, query: &ResumeJobQuery, body: Option<&OverrideBody>) -> Call<JobDone> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
    ];
    Call::new(Method::POST, with_query(format!("/v1/jobs/{}:resume", escaped(name)), &parameters)).json_or_none(body).keyed()
}

/// Let a paused run go on
///
/// `POST /v1/runs/{id}:resume`
pub fn resume_run(id: &str, body: Option<&OverrideBody>) -> Call<RunDone> {
    Call::new(Method::POST, format!("/v1/runs/{}:resume", escaped(id))).json_or_none(body).keyed()
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ResumeScheduleQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
}

/// Let the windows of a schedule begin something again
///
/// `POST /v1/schedules/{job}/{name}:resume`
pub fn resume_schedule(job: &str, name: &str, query: &ResumeScheduleQuery, body: Option<&OverrideBody>) -> Call<ScheduleDone> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
    ];
    Call::new(Method::POST, with_query(format!("/v1/schedules/{}/{}:resume", escaped(job), escaped(name)), &parameters)).json_or_none(body).keyed()
}

/// Queue an ended task again
///
/// `POST /v1/tasks/{id}:retry`
pub fn retry_task(id: &str, body: Option<&OverrideBody>) -> Call<Changed> {
    Call::new(Method::POST, format!("/v1/tasks/{}:retry", escaped(id))).json_or_none(body).keyed()
}

/// End a wait for time, retry or something outside
///
/// `POST /v1/tasks/{id}:run-now`
pub fn run_task_now(id: &str, body: Option<&OverrideBody>) -> Call<Changed> {
    Call::new(Method::POST, format!("/v1/tasks/{}:run-now", escaped(id))).json_or_none(body).keyed()
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct SearchTaskLogsQuery {
    /// The text, of one line; no pattern
    pub q: Option<String>,
    /// Which attempt; by default the newest that has a log, or with `follow` the first and all after it
    pub attempt: Option<u64>,
    /// Where to begin, in bytes of the attempt's log: `next_offset` of the answer before
    pub from: Option<u64>,
    /// Lines at most
    pub limit: Option<u64>,
    /// Letters A to Z are the same as a to z
    pub ignore_case: Option<bool>,
}

/// Lines of a log that contain a text
///
/// `GET /v1/tasks/{id}/logs/search`
pub fn search_task_logs(id: &str, query: &SearchTaskLogsQuery) -> Call<LogHits> {
    let parameters = [
        ("q", text(query.q.as_ref())),
        ("attempt", text(query.attempt.as_ref())),
        ("from", text(query.from.as_ref())),
        ("limit", text(query.limit.as_ref())),
        ("ignore_case", text(query.ignore_case.as_ref())),
    ];
    Call::new(Method::GET, with_query(format!("/v1/tasks/{}/logs/search", escaped(id)), &parameters))
}

/// Submit one task; the answer leaves when it is durable
///
/// `POST /v1/tasks`
pub fn submit_task(body: &TaskBody) -> Call<SubmitTaskAnswer> {
    Call::new(Method::POST, "/v1/tasks").json(body).keyed()
}

/// Submit up to 10,000 tasks, each with its own result
///
/// `POST /v1/tasks:batch`
pub fn submit_tasks(body: &[TaskBody]) -> Call<BatchResult> {
    Call::new(Method::POST, "/v1/tasks:batch").json(body).keyed()
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct TriggerJobQuery {
    /// Whose it is; `default` unless said
    pub tenant: Option<String>,
}

/// Start a run of a job
///
/// `POST /v1/jobs/{name}:trigger`
pub fn trigger_job(name: &str, query: &TriggerJobQuery, body: Option<&TriggerBody>) -> Call<Triggered> {
    let parameters = [
        ("tenant", text(query.tenant.as_ref())),
    ];
    Call::new(Method::POST, with_query(format!("/v1/jobs/{}:trigger", escaped(name)), &parameters)).json_or_none(body).keyed()
}

/// Give it work again
///
/// `POST /v1/workers/{id}:uncordon`
pub fn uncordon_worker(id: &str, body: Option<&OverrideBody>) -> Call<Cordoned> {
    Call::new(Method::POST, format!("/v1/workers/{}:uncordon", escaped(id))).json_or_none(body).keyed()
}
