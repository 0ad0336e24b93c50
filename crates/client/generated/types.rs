// Written by `cargo xtask client` from the OpenAPI document.

/// A task that is now the server's. `rest` writes it by hand, and a test compares the two.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Accepted {
    pub created_at: String,
    pub state: String,
    /// The state as the timer contract spells it
    pub status: String,
    pub task_id: String,
    /// Why no worker that is known could ever run it; absent if one could
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The call that helps.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct AdvisedAction {
    pub body: Value,
    /// The same as arguments of `mainspring`
    pub command: Vec<String>,
    /// What it does
    pub effect: String,
    pub method: String,
    pub path: String,
    /// In one or two words
    pub title: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct AmendBody {
    /// Who does it and why; in the server's log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Of a task that recurs: another expression
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// Of a task that recurs: another rate
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// RFC 3339 text, or seconds since 1970
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled_at: Option<Value>,
    /// Of a task that recurs by `cron`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

/// What became of the jobs of a file
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Applied {
    pub dry_run: bool,
    pub jobs: Vec<AppliedJob>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct AppliedJob {
    pub change: String,
    /// True: it was applied before, beside others under this `Idempotency-Key`, and this is what it is now
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicate: Option<bool>,
    pub job: String,
    /// For `If-Match`; absent in a dry run and in a duplicate
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    pub tenant: String,
    pub version: u64,
}

/// A task that waits for approval, or for which somebody decided. Who an actor says they are is believed.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Approval {
    /// Who decided, as they said
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Who may decide, while it is open; nobody named: anybody
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<String>,
    /// Of a mapped task
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_timeout: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// `open`, `approved` or `rejected`
    pub state: String,
    /// The name of the task in the run
    pub task: String,
    pub task_id: String,
    /// Then `on_timeout` decides
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// `POST /v1/runs/{id}:approve` and `:reject`. Without a task the one that waits for approval.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ApproveBody {
    /// Who decides, compared with who may; and why
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Of a mapped task
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The name of the task in the run; may be left out if only one waits
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Attempt {
    /// What it asked for; absent if that is nothing
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Resources>,
    pub assigned_at: String,
    pub attempt_id: String,
    /// From its assignment to its end
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TaskError>,
    /// Of a process, as far as it is known
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// As text: some readers keep only 53 bits of a number.
    pub fence: String,
    pub number: u64,
    pub outcome: String,
    /// The last progress that it reported
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<String>,
    /// When it began on the worker, by the scheduler's clock; absent if the worker did not say how long it ran
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// As far as it is known
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<AttemptUsage>,
    /// The named limit that was full before it; absent if its task waited for a worker or not at all
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_for_limit: Option<String>,
    pub worker: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct AttemptUsage {
    /// Processor time of all its processes, user and system
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<u64>,
    /// The most memory that it had at once
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_peak_bytes: Option<u64>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Attention {
    pub at: String,
    pub figures: Glance,
    /// The most harmful first; empty if nothing needs a person
    pub findings: Vec<Finding>,
    /// The newest record of the journal when it was looked; nothing of it or of one before is left out
    pub record: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Backfill {
    /// Runs that have not ended
    pub active: u64,
    pub backfill_id: String,
    pub created_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Runs that ended otherwise
    pub failed: u64,
    pub from: String,
    pub job: String,
    pub max_active: u64,
    pub newest: String,
    /// The window that begins next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    pub oldest: String,
    pub only: String,
    pub order: String,
    pub schedule: String,
    pub started: u64,
    pub state: String,
    pub succeeded: u64,
    pub tenant: String,
    pub to: String,
    pub updated_at: String,
    pub version: u64,
    pub windows: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BackfillBody {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Only tell what would be run
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// RFC 3339 text, or seconds since 1970
    pub from: Value,
    pub job: String,
    /// Runs at once; 4 unless said
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_active: Option<u64>,
    /// `missing`: windows for which nothing ever ran; `failed`: those whose newest run did not succeed;
    /// `all`: every one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// In place of those of the same name that the schedule gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Needed if the job has more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Not included.
    pub to: Value,
    /// Of the job; its newest unless it is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BackfillDone {
    pub backfill_id: String,
    pub message: String,
    pub state: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BackfillPage {
    pub backfills: Vec<Backfill>,
    /// Absent on the last page
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// What a backfill would run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BackfillPlan {
    /// Of those, the ones whose newest run did not succeed. Looked up only if they are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<u64>,
    /// Of those, the ones of which history does not know any more whether something ran; only `all` runs them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forgotten: Option<u64>,
    pub from: String,
    /// In the range, as far as it lies behind.
    pub in_range: u64,
    pub job: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest: Option<String>,
    pub only: String,
    pub order: String,
    /// Of those, the ones for which something ran, or still does.
    pub ran: u64,
    pub schedule: String,
    pub tenant: String,
    pub to: String,
    pub version: u64,
    /// That would be run.
    pub windows: u64,
}

/// Written by hand in `rest`, too.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BatchResult {
    pub accepted: u64,
    pub refused: u64,
    /// In the order of the request
    pub results: Vec<BatchResultResults>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum BatchResultResults {
    Accepted(Box<Accepted>),
    Error(Box<Error>),
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BegunRun {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    pub run_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BulkBody {
    /// Who does it and why; kept with the operation and what it changes
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Nothing but this selects everything there is
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    /// Only count what matches now; nothing is changed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// Of failed tasks: a group of `/v1/dead-letters/groups`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Of `cancel_tasks`: stop running ones too
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<bool>,
    /// Of tasks, runs and schedules: their job
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Of tasks, runs and workers: all of them must be there
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Of jobs and schedules: how their names begin
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_prefix: Option<String>,
    /// Of jobs
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Of tasks and workers
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    /// Of `set_task_priority`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Of tasks and runs: made at or after this; of failed tasks: ended at or after this
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Of tasks and runs: in one of these when it is looked at
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<String>,
    /// Of jobs and schedules: a tag of the job
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Of tasks: the executor; `webhook` means `http`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Of runs: what began them
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// As `since`, before this
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// What is done with each
    pub verb: String,
}

/// What became of a task
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Changed {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canceled_at: Option<String>,
    pub message: String,
    /// After the call; absent while the worker is still stopping it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The state as the timer contract spells it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The worker was asked to stop it; read the task to see how it ended
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopping: Option<bool>,
    pub task_id: String,
}

/// `POST /v1/runs/{id}:clear`. No tasks: all that failed. `items`: only these items of the one mapped task that is named.
/// `only_failed`: of mapped tasks only the items that did not succeed; of other tasks those that failed.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ClearBody {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_failed: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Cordon {
    pub actor: String,
    /// It is to become empty and leave.
    pub draining: bool,
    pub reason: String,
    pub since: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Cordoned {
    /// Who closed it to new work, why, and since when; `null` if nobody did
    pub cordon: Option<Cordon>,
    pub cordoned: bool,
    /// Attempts that it still holds
    pub running: u64,
    pub state: String,
    pub worker_id: String,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CreateBackfillAnswer {
    Backfill(Box<Backfill>),
    BackfillPlan(Box<BackfillPlan>),
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct CronPreview {
    /// The expression in plain words
    pub description: String,
    pub expr: String,
    pub next: Vec<Firing>,
    /// It follows elapsed time, and `dst` does not matter.
    pub runs_through: bool,
    /// Local times that do not exist and were passed over, in all.
    pub skipped: u64,
    pub timezone: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct CronPreviewBody {
    /// How many; 5 if it is not said
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dst: Option<CronPreviewBodyDst>,
    /// Five fields, six with the seconds first, or a name such as `@daily`
    pub expr: String,
    /// Fire times after this one; without it from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Value>,
    /// What `H` is drawn from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// An IANA name; without one UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct CronPreviewBodyDst {
    /// A local time that does not exist is skipped (the default), or fires after or before the gap
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// A local time that exists twice fires at the first (the default), at the second, or at both
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twice: Option<String>,
}

/// Dead letters of one job whose last errors differ only in numbers, ids and quoted parts
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct DeadLetterGroup {
    /// Of the last error; `none` if an operator said that it failed
    pub class: String,
    pub code: i64,
    pub count: u64,
    /// Names the group in `:requeue` and `:discard`
    pub fingerprint: String,
    /// When the first of them ended
    pub first_at: String,
    /// Of these, tasks of runs: queued again they run with all that follows from them in their run
    pub in_runs: u64,
    /// Empty for tasks of no job
    pub job: String,
    pub last_at: String,
    /// Of the newest
    pub message: String,
    /// Of the job, by its newest definition
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The newest
    pub sample_task_id: String,
    pub tenant: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct DeadLetterGroups {
    /// The largest first
    pub groups: Vec<DeadLetterGroup>,
    /// There are more dead letters than were looked at
    pub more: bool,
}

/// Many dead letters at once.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct DeadLettersBody {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// A group of `/v1/dead-letters/groups` instead of ids: the newest 1000 of it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Those that are meant; or `fingerprint`
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Declined {
    pub job: String,
    pub trigger: String,
    /// `max_active`, `paused`, `fan_out`, or what is wrong
    pub what: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Depth {
    pub band: String,
    pub pool: String,
    pub queued: u64,
    pub running: u64,
    pub tenant: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Diagnosis {
    pub advice: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_in_ms: Option<u64>,
    /// Tasks that hold what it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holders: Vec<String>,
    /// Which item of a mapped task it is
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<u64>,
    pub message: String,
    /// A word for programs.
    pub reason: String,
    /// The run it belongs to, the name it has there, and which of its items it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The name it has there
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_task: Option<String>,
    pub state: String,
    pub task_id: String,
    /// It undoes that task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Dst {
    pub missing: String,
    pub twice: String,
}

/// Every refusal has this shape
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Error {
    pub advice: String,
    /// Path of the error's page
    pub docs: String,
    pub error_code: String,
    pub message: String,
    /// With `JOB_FILE_INVALID`, `PARAMETERS_INVALID` and `SCHEDULE_INVALID`: all of them
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mistakes: Vec<Mistake>,
    pub request_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
}

/// Attributes beyond these are read over: they are extensions that nothing here looks at.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Event {
    /// At most 256 KiB
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub datacontenttype: Option<String>,
    /// With `source` it names the event: one that came before is not taken again
    pub id: String,
    /// Where it happened; sources that begin with `/webhooks/` are not for callers
    pub source: String,
    pub specversion: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// What triggers are matched with; types that begin with `mainspring.` are not for callers
    pub r#type: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct EventPattern {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    pub r#type: String,
}

/// Something that needs a person.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Finding {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<AdvisedAction>,
    /// What to do
    pub advice: String,
    pub count: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<FindingExample>,
    /// 3: work is lost or stands still, 2: it will, 1: good to know
    pub harm: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    pub kind: String,
    pub message: String,
    /// Not all were counted
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<bool>,
    /// Of the job
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// Since when, if that is known
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

/// One of those that a finding counts.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FindingExample {
    /// Of a run, a task or a worker
    pub id: String,
    /// What went wrong there, or its name
    pub text: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Firing {
    /// In UTC.
    pub at: String,
    /// On the clock of the zone, with its offset.
    pub local: String,
    /// Local times before it that do not exist and were passed over.
    pub skipped: u64,
}

/// `POST /v1/runs/{id}:force-state`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ForceRunBody {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub state: String,
}

/// `POST /v1/tasks/{id}:force-state`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ForceTaskBody {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How it ended
    pub state: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ForcedBy {
    pub actor: String,
    pub reason: String,
}

/// How much there is, in a few numbers.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Glance {
    /// Runs that have not ended
    pub runs_active: u64,
    /// There are more runs than were counted
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_active_more: Option<bool>,
    /// Runs made in the last 24 hours that failed
    pub runs_failed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_failed_more: Option<bool>,
    /// Of workers that are connected
    pub slots: u64,
    pub tasks_queued: u64,
    pub tasks_running: u64,
    pub workers: u64,
}

/// The graph of a job or a run, with where each task is drawn
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Graph {
    /// For each edge the heights at which it passes the layers between its ends, edge by edge
    pub bends: Vec<u64>,
    /// Pairs, one behind the other: the second task of a pair needs the first
    pub edges: Vec<u64>,
    /// Hundredths of a row
    pub height: u64,
    /// The column of each task
    pub layer: Vec<u64>,
    pub layers: u64,
    /// Tasks with an item for each of a list
    pub mapped: Vec<u64>,
    /// Of each task; the other lists have the same order
    pub names: Vec<String>,
    /// Tasks that are runs of other jobs
    pub runs: Vec<u64>,
    /// There are too many edges for `bends`, which is empty then
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub straight: Option<bool>,
    /// Hundredths of a row from the top, of the middle of each task
    pub y: Vec<u64>,
}

/// The newest runs of a job against its tasks
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Grid {
    /// The oldest first
    pub runs: Vec<GridRun>,
    /// Of all these runs; those of the newest run first, in its order
    pub tasks: Vec<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct GridRun {
    pub created_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    pub run_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    pub state: String,
    /// A letter for each task, as in the states of a run; a dot for one that the run does not have
    pub states: String,
    pub version: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Health {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    pub status: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Item {
    /// Why its last attempt failed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<LastError>,
    /// From 0
    pub index: u64,
    /// Of the run that it started
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    pub state: String,
    /// Absent if it was never released
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// What the list has in this place
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

/// Items of a mapped task
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ItemCounts {
    pub count: u64,
    pub failed: u64,
    pub live: u64,
    pub succeeded: u64,
    /// Its place in the graph
    pub task: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ItemPage {
    /// All that the task has, whatever the filter says
    pub count: u64,
    pub items: Vec<Item>,
    /// How many were looked at for this page
    pub looked_at: u64,
    /// Absent on the last page
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Items {
    /// Stopped, or given up before they were released
    pub cancelled: u64,
    pub count: u64,
    /// By their own work
    pub failed: u64,
    /// Released, and not ended
    pub live: u64,
    pub released: u64,
    pub skipped: u64,
    pub succeeded: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Job {
    pub active_runs: u64,
    pub created_at: String,
    /// What was applied; left out of lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<String>,
    /// How long a run should take, as the job says
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_ms: Option<u64>,
    pub job: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run: Option<LastRun>,
    /// Who changed it and why; left out of lists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// Who is told of what goes wrong with it; absent if nobody is named
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Its newest ended runs, the newest first; in lists with `recent`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recent: Option<RecentRuns>,
    /// Later with each edit, for `If-Match`; 0 once it is deleted
    pub revision: u64,
    /// Left out of lists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub schedules: Vec<Schedule>,
    pub state: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    pub tasks: u64,
    pub tenant: String,
    pub updated_at: String,
    pub version: u64,
    pub waiting_runs: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct JobDone {
    pub job: String,
    pub message: String,
    pub tenant: String,
}

/// A success of another job that is missing.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct JobNeed {
    pub exists: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fails_at: Option<String>,
    pub job: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_success_at: Option<String>,
    pub since: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_ms: Option<u64>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct JobPage {
    pub jobs: Vec<Job>,
    /// Absent on the last page
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct JobStats {
    pub all: RunFigures,
    /// There are no older ones
    pub is_all: bool,
    pub job: String,
    /// Ended runs that these figures are made of, the newest ones
    pub looked_at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest_at: Option<String>,
    /// When the oldest of them was made
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest_at: Option<String>,
    pub tenant: String,
    /// The newest first
    pub versions: Vec<VersionFigures>,
}

/// Another job that a task cannot begin without.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct JobWait {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fails_at: Option<String>,
    pub job: String,
    pub since: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_ms: Option<u64>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LastError {
    pub class: String,
    pub code: i64,
    pub message: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LastFired {
    pub at: String,
    pub event_id: String,
    pub run_id: String,
    pub source: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LastOutcome {
    pub at: String,
    pub what: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LastRun {
    pub ended_at: String,
    pub run_id: String,
    pub state: String,
}

/// Windows of many schedules.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LedgerPage {
    /// There are others: ask for a shorter span, or for one job
    pub more: bool,
    /// The oldest first
    pub windows: Vec<LedgerWindow>,
}

/// What became of a window, with its schedule.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LedgerWindow {
    pub count: u64,
    pub decided_at: String,
    /// The window, or the first of several that passed together
    pub first: String,
    pub job: String,
    pub last: String,
    pub name: String,
    pub outcome: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// How the run stands, if it is kept
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_state: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    pub tenant: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Limit {
    /// Keys with the most waiting tasks, at most ten.
    pub busiest: Vec<LimitKey>,
    /// The configuration of the server names it.
    pub configured: bool,
    /// How many of these have no place left.
    pub full: u64,
    /// Ids of the tasks that hold a place, at most five.
    pub holders: Vec<String>,
    /// How many keys are in use; 1 for a limit without keys.
    pub keys: u64,
    pub limit: String,
    /// The most attempts at once, for each key: the lower of what the configuration and the tasks say.
    pub max: u64,
    /// Tasks that wait and need a place.
    pub queued: u64,
    /// Limits of different tenants have nothing to do with each other. None for one that is configured and not in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Attempts that hold a place.
    pub used: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LimitKey {
    /// Empty for a limit without keys.
    pub key: String,
    pub max: u64,
    pub queued: u64,
    pub used: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LimitPage {
    /// Those with the most waiting tasks first.
    pub limits: Vec<Limit>,
    /// There are others, or keys that were not counted.
    pub more: bool,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LogHit {
    /// Of the line, up to 1000 bytes behind the match
    pub after: String,
    /// Of the line, up to 1000 bytes before the match
    pub before: String,
    /// The line is longer than what is here of it
    pub cut: bool,
    /// Number of the line, from 1
    pub line: u64,
    pub r#match: String,
    /// Offset of the match in the log
    pub offset: u64,
}

/// Lines of a log that contain a text
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LogHits {
    /// The attempt; absent if none has a log
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u64>,
    /// Whether everything that is stored by now was looked at
    pub complete: bool,
    /// Offset at which it began
    pub from: u64,
    /// In the order of the log; one for each line
    pub hits: Vec<LogHit>,
    /// How many bytes were looked at
    pub looked_at: u64,
    /// Everything from `from` to here was looked at; the `from` of the next search
    pub next_offset: u64,
}

/// What became of each of many dead letters
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ManyResult {
    pub done: u64,
    pub refused: u64,
    pub results: Vec<ManyResultResults>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ManyResultResults {
    Error(Box<Error>),
    Changed(Box<Changed>),
}

/// One mistake in a job file or in parameters.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Mistake {
    pub code: String,
    pub column: u64,
    pub help: String,
    pub line: u64,
    pub path: String,
    pub what: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Note {
    pub actor: String,
    pub at: String,
    pub reason: String,
    pub what: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Operation {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_reason: Option<String>,
    /// Who ended it before it was through
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancelled_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Of a dry run: some that match
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// Of these, changed
    pub handled: u64,
    /// Why the last of them could not: a code and a sentence
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_refusal: Option<String>,
    /// Tasks, runs or others that it has looked at
    pub looked_at: u64,
    /// Of a dry run: so many were looked at that the count was ended, and at least `total` match
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<bool>,
    /// 0 in the answer to a dry run, which begins none
    pub operation_id: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Of these, matched and could not be changed
    pub refused: u64,
    /// As its caller wrote it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    pub state: String,
    /// How many matched when it began, if they were counted to the end; of a dry run, those that were counted
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// What is done with each
    pub verb: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct OperationPage {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub operations: Vec<Operation>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct OverrideBody {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Where it may run: `key=value`, `key!=value`, `key`, and a zone.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Placement {
    /// `key=value`, `key!=value` or `key`
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worker_labels: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Pool {
    pub pool: String,
    pub queued: u64,
    pub queued_by_band: BTreeMap<String, u64>,
    /// Most tasks that may wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued_max: Option<u64>,
    pub running_by_band: BTreeMap<String, u64>,
    /// Most attempts at once; none without a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running_max: Option<u64>,
    /// Of workers that take new work.
    pub slots: u64,
    /// Tenants that have something waiting or running here.
    pub tenants: u64,
    pub used: u64,
    pub utilisation_percent: u64,
    pub workers: u64,
    /// Workers that take nothing new, or are not connected.
    pub workers_away: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PoolPage {
    pub pools: Vec<Pool>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Priority {
    pub band: String,
    pub level: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Published {
    /// In the order of the events
    pub results: Vec<PublishedEvent>,
}

/// What became of one event.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PublishedEvent {
    /// It came before; `runs` is what it began then
    pub duplicate: bool,
    pub errors: Vec<Declined>,
    pub id: String,
    pub runs: Vec<BegunRun>,
    pub skipped: Vec<Declined>,
    pub source: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Quarantine {
    pub rows: Vec<QuarantinedRow>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct QuarantinedRow {
    /// The id of the task or run.
    pub row: String,
    pub since: String,
    pub why: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Queue {
    pub band: String,
    /// How long what waits will take at that rate; absent if nothing waits or begins, or if most of it waits for a limit or
    /// for workers that are not there
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drained_in_ms: Option<u64>,
    /// Since when the task that has waited longest waits; absent if none does
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest_since: Option<String>,
    pub pool: String,
    pub queued: u64,
    pub running: u64,
    /// Attempts that began, by those of the last minute; absent until it is known
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_per_minute: Option<u64>,
    pub tenant: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Readiness {
    /// Number of the newest record that the tables have
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpointed: Option<u64>,
    /// The server was started with `--insecure`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insecure: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// Number of the newest record that is saved to disk
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
    pub status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks_in_memory: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// One thing that is wrong
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Reason {
    pub code: String,
    pub detail: String,
    /// For how long, in seconds, if that is known
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_s: Option<u64>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RecentRun {
    pub run_id: String,
    pub state: String,
    pub took_ms: u64,
    pub version: u64,
}

/// Figures of the newest ended runs of a job, which it remembers
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RecentRuns {
    /// From being made to their end, of those that succeeded
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<u64>,
    pub runs: Vec<RecentRun>,
    /// Of those that succeeded or failed; from 0 to 1, absent if there are none
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success_rate: Option<f64>,
}

/// A task that recurs
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Recurring {
    pub created_at: String,
    /// When the first task comes; null if none ever does
    pub next: Option<String>,
    /// `@tasks/NAME`
    pub schedule: String,
    /// It waits for the time of its next task
    pub state: String,
    /// The state as the timer contract spells it
    pub status: String,
    /// For GET, PATCH and DELETE under `/v1/tasks/{id}`
    pub task_id: String,
    pub tenant: String,
}

/// One of them, as it can be written.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Recurs {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dst: Option<Dst>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
    /// Tasks that it has begun
    pub fired: u64,
    /// The newest window that was decided
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_task_id: Option<String>,
    pub paused: bool,
    /// `@tasks/NAME`; its history is at `/v1/schedules/@tasks/NAME/history`
    pub schedule: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Rerun {
    pub rerun_of: String,
    pub run_id: String,
    /// Why no known worker could ever run some of its tasks; absent if all can be run
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// `POST /v1/runs/{id}:rerun`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RerunBody {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// `start`, `failure`, or the name of a task after `task:`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// `same` or `newest`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Resources {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_milli: Option<u64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub custom: BTreeMap<String, u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpus: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RetryPolicy {
    /// `none`, `fixed`, `linear`, `exponential`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backoff: Option<String>,
    /// The n-th retry waits the n-th entry, instead of `backoff`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delays_ms: Option<Vec<u64>>,
    /// Growth of an exponential backoff, in percent: 200 doubles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth_percent: Option<u64>,
    /// The first wait; the step of a linear backoff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_delay_ms: Option<u64>,
    /// 0 = none, 100 = anywhere up to the delay. Without it: 100 for an exponential backoff, else 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter_percent: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_delay_ms: Option<u64>,
    /// Retries after the first attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefer_other_worker: Option<bool>,
    /// Retry only failures of these classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_on: Option<Vec<String>>,
    /// Retry only these exit codes or HTTP statuses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_on_codes: Option<Vec<i64>>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Run {
    /// Tasks that wait for approval, at most 200; of one run also what was decided
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<Approval>,
    /// Tasks by state
    pub counts: BTreeMap<String, u64>,
    pub created_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// What began it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<RunCause>,
    pub job: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// The instant for which it exists: that of its window, or the one that was given when it was triggered
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical_time: Option<String>,
    /// What the watchdog has to say
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// What the job's `outputs` gave
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Of the job, by its newest definition; not in lists
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun_of: Option<String>,
    pub run_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopping: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<RunTask>,
    pub tasks_total: u64,
    pub tenant: String,
    pub trigger: String,
    pub version: u64,
    /// `approval`: a task of it waits for the word of a person; see `approvals`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// Of the schedule that began it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
}

/// The event that began a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunCause {
    /// Not in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    pub id: String,
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    pub trigger: String,
    pub r#type: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunDiagnosis {
    pub advice: String,
    /// Runs that have the places it waits for
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_by: Vec<String>,
    pub job: String,
    /// What the watchdog has to say
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
    pub message: String,
    /// A word for programs.
    pub reason: String,
    pub run_id: String,
    /// When it began, came or ended.
    pub since: String,
    pub state: String,
    /// Tasks that have not ended, the most telling first; of an ended run the one that failed first
    pub tasks: Vec<RunTaskDiagnosis>,
    /// Tasks that have not ended and are not among them
    pub tasks_more: u64,
    pub tenant: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunDone {
    pub message: String,
    pub run_id: String,
    pub state: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunFigures {
    pub cancelled: u64,
    pub failed: u64,
    /// From being made to their end, of those that succeeded
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<u64>,
    pub runs: u64,
    pub succeeded: u64,
    /// Of those that succeeded or failed; from 0 to 1, absent if there are none
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success_rate: Option<f64>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunPage {
    /// The page is not full, because so many runs were looked at that do not fit as one answer may cost; the last of them was
    /// made then. `next_cursor` goes on
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked_until: Option<String>,
    /// Absent on the last page
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub runs: Vec<Run>,
}

/// `POST /v1/runs:cancel`: at least one of the first three.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunSelectorBody {
    /// Who does it and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Only count what matches now; nothing is changed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

/// In which states the tasks of a run are, and since when
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunStates {
    pub created_at: String,
    /// The same for its end
    pub ended: Vec<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    pub items: Vec<ItemCounts>,
    pub run_id: String,
    /// Milliseconds from the creation of the run to the start of each task; -1 if it has none
    pub started: Vec<i64>,
    pub state: String,
    /// A letter for each task, in the order of the graph: `p`ending, `q`ueued, `a`ssigned, `r`unning, retry `w`ait,
    /// `d`eferred, `s`ucceeded, `f`ailed, `c`ancelled, s`k`ipped, `u`pstream failed, `x` quarantined
    pub states: String,
}

/// A task of the run; without a task id it has not been released.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunTask {
    /// The task that gave it to the run
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Items>,
    pub name: String,
    pub needs: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    pub trigger_rule: String,
    /// How often it was cleared or repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// The task that undoes or undid it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo_task_id: Option<String>,
    /// Other jobs that it cannot begin without
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_for_jobs: Vec<JobWait>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunTaskDiagnosis {
    pub advice: String,
    /// Decides whether it runs, when it may
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Which item the rest is about
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Items>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<LastError>,
    pub message: String,
    pub name: String,
    /// `waits_for_upstream`, `waits_for_jobs`, `run_paused`, `max_running_tasks`, `release_rate`,
    /// `about_to_be_released`, `waits_for_run`, `released`, `about_to_be_decided`, `lost`, `failed`, or
    /// what the diagnosis of its task says
    pub reason: String,
    /// Of a loop, from 1
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
    /// The run that it started
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_state: Option<String>,
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Diagnosis>,
    pub trigger_rule: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<Upstream>,
    /// Jobs without which it cannot begin and whose success is missing
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_for_jobs: Vec<JobNeed>,
}

/// One of them, as it can be written.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Schedule {
    /// What it began and has not ended.
    pub active: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<String>,
    pub catch_up: u64,
    pub created_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// In words.
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dst: Option<Dst>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
    pub fired: u64,
    /// It stands in the job's file.
    pub in_file: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<String>,
    pub job: String,
    /// The newest window that was decided
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_task_id: Option<String>,
    pub max_active: u64,
    pub misfire_grace: String,
    pub missed: u64,
    pub name: String,
    /// The next window
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// With its part of the jitter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_begins_at: Option<String>,
    pub overlap: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
    /// Of its runs; absent if each task has its own
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Later with each edit, for `If-Match`
    pub revision: u64,
    pub skipped: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    pub state: String,
    pub tenant: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    pub updated_at: String,
    /// Windows that wait for that.
    pub waiting: u64,
}

/// One of `cron`, `every`, `after` and `at`, and what belongs to it, as in a job file
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ScheduleBody {
    /// This long after what the window before began has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
    /// At these instants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Value>,
    /// How many missed windows are made up for; `true` is 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catch_up: Option<Value>,
    /// Five fields, six with the second first, or a name such as `@daily`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dst: Option<ScheduleBodyDst>,
    /// No window after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// At a fixed rate, counted from `start` or from 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<Value>,
    /// Windows begin up to this much later, each schedule by its own fixed part of it; a day at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<Value>,
    /// What may have begun, or wait, at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_active: Option<u64>,
    /// The newest window still begins when it is this late; 5m unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misfire_grace: Option<Value>,
    /// Unique in the job; `default` if it is the only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What becomes of a window while something of an earlier one has not ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap: Option<Value>,
    /// What its runs are given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Value>,
    /// No window before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// A name such as `Europe/Berlin`; UTC unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ScheduleBodyDst {
    /// A local time that the clock is put forward over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Value>,
    /// A local time that the clock is put back over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twice: Option<Value>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ScheduleDone {
    pub job: String,
    pub message: String,
    pub name: String,
    pub tenant: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SchedulePage {
    /// Absent on the last page
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub schedules: Vec<Schedule>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ScheduleStored {
    /// False: it had this content already
    pub changed: bool,
    pub job: String,
    pub name: String,
    /// The next window; absent if there is none
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// For `If-Match`
    pub revision: u64,
    pub tenant: String,
}

/// What became of a window, or of several that passed together.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ScheduleWindow {
    pub count: u64,
    pub decided_at: String,
    /// The window, or the first of several that passed together
    pub first: String,
    pub last: String,
    pub outcome: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// How the run stands, if it is kept
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_state: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SelectorBody {
    /// Who does it and why; in the server's log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Nothing but this selects every task there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    /// Only count what matches now; nothing is changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// Stop running ones too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// All of them must be there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// One of them, when the task is looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<String>,
    /// The executor; `webhook` means `http`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

/// Figures of equal steps, the oldest first. Gauges are the highest of a step, the others what happened in it
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Series {
    /// For good; quarantined ones too
    pub failed: Vec<u64>,
    /// When the first step began
    pub from: String,
    /// Tasks that waited
    pub queued: Vec<u64>,
    /// Attempts that failed and are tried again
    pub retried: Vec<u64>,
    /// Attempts that were held by workers
    pub running: Vec<u64>,
    /// Attempts that began
    pub started: Vec<u64>,
    pub step_ms: u64,
    pub submitted: Vec<u64>,
    pub succeeded: Vec<u64>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Stats {
    pub depths: Vec<Depth>,
    pub queued: u64,
    pub running: u64,
    pub sessions: u64,
    pub stale_reports: u64,
    /// In memory; an ended task leaves it once the tables have it.
    pub tasks_in_memory: BTreeMap<String, u64>,
    pub workers: u64,
    pub workers_lost: u64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SubmitTaskAnswer {
    Recurring(Box<Recurring>),
    Accepted(Box<Accepted>),
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct System {
    /// Its clock
    pub at: String,
    pub bytes_behind: u64,
    /// Measured once a minute at most; absent if it cannot be measured
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<SystemDisk>,
    /// Grows with every start
    pub epoch: u64,
    pub events_behind: u64,
    /// Written to the journal since the start
    pub journal_bytes: u64,
    /// Idempotency keys that are not in the tables yet
    pub keys_in_memory: u64,
    /// Callers that listen to events
    pub listeners: u64,
    /// Why it cannot take work; empty if it can
    pub reasons: Vec<Reason>,
    /// Durable in the journal
    pub records: u64,
    /// Schedules whose next window is known
    pub schedules_armed: u64,
    pub sessions: u64,
    pub settings: SystemSettings,
    pub started_at: String,
    /// The newest record whose changes are in the tables
    pub tables_through: u64,
    pub tasks_in_memory: u64,
    pub version: String,
    pub workers: u64,
}

/// The device of the data directory, in bytes
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SystemDisk {
    /// Left for this server
    pub free_bytes: u64,
    /// Segments of the journal, with those prepared ahead
    pub journal_bytes: u64,
    /// Logs of attempts
    pub logs_bytes: u64,
    /// There were more logs than are measured: they take more room
    pub logs_more: bool,
    pub measured_at: String,
    pub size_bytes: u64,
    pub tables_bytes: u64,
}

/// Bounds and spans that it works with.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SystemSettings {
    pub body_bytes_max: u64,
    pub connections_max: u64,
    pub heartbeat_ms: u64,
    pub history_days: u64,
    /// Started with `--insecure`
    pub insecure: bool,
    pub job_tasks_max: u64,
    pub key_life_ms: u64,
    pub lease_ms: u64,
    pub log_days: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Task {
    pub attempt_count: u64,
    /// The failed ones, and the one that runs or succeeded; empty in lists
    pub attempts: Vec<Attempt>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts_dropped: Option<u64>,
    pub cancel_requested: bool,
    pub created_at: String,
    pub delivery: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced_by: Option<ForcedBy>,
    /// Which item of a mapped task it is, from 0
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<TaskError>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<TaskLimits>,
    pub max_retries: u64,
    /// JSON as the worker gave it, or text; not in lists
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Of its job; only in lists of dead letters
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Not in lists
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
    pub pool: String,
    pub priority: Priority,
    /// When it comes again, of a task that recurs
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurs: Option<Recurs>,
    /// What each attempt asks for; absent if that is nothing; not in lists
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
    pub retry_count: u64,
    /// The run it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The name it has there; not in lists over several runs
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_task: Option<String>,
    /// The instant it was submitted for; also after it has begun
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled_at: Option<String>,
    /// When the newest attempt was granted
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    pub state: String,
    /// The state as the timer contract spells it
    pub status: String,
    pub task_id: String,
    pub task_type: String,
    pub tenant: String,
    /// Not in lists
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeouts: Option<Timeouts>,
    /// It undoes that task
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<bool>,
    pub updated_at: String,
    /// Of the schedule that began it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TaskBody {
    /// How many missed windows are made up for; true is 3
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catch_up: Option<Value>,
    /// The task recurs by this expression; the answer names a schedule
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Instead of `scheduled_at`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<String>,
    /// What clock changes do to `cron`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dst: Option<TaskBodyDst>,
    /// No window after; RFC 3339
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// The task recurs at this rate, as `15m`, or seconds
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<Value>,
    /// Like the header, and stronger
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// Windows begin up to this much later; a day at most
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter: Option<Value>,
    /// The kind of work, for lists and limits
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeMap<String, String>>,
    /// Named limits in which each attempt holds a place; taken together with its worker
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<TaskBodyLimits>,
    /// What may have begun, or wait, at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_active: Option<u64>,
    /// The newest window still begins when it is this late; 5m unless set
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misfire_grace: Option<Value>,
    /// Of a recurring task; the idempotency key, or a new one, unless set
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// While something of an earlier window has not ended
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap: Option<Value>,
    /// Any JSON, handed to the executor as it came. `http` needs `url`, `process` needs `argv`, `sleep`
    /// needs `ms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<Placement>,
    /// `default` if not given
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_policy: Option<RetryPolicy>,
    /// RFC 3339 text, or seconds since 1970
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled_at: Option<Value>,
    /// No window before; RFC 3339
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Which executor runs it; `webhook` is the same as `http`. Any mix of upper and lower case is read, and `executor`
    /// in its place.
    pub task_type: String,
    /// `default` if not given
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The same as `timeouts.hard_ms`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeouts: Option<Timeouts>,
    /// Of `cron`; UTC unless set
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

/// What clock changes do to `cron`
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TaskBodyDst {
    /// A local time that the clock is put forward over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Value>,
    /// A local time that the clock is put back over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twice: Option<Value>,
}

/// A place that each attempt holds in a named limit.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TaskBodyLimits {
    /// Each key has its own count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// How many may hold a place at once; as configured if it is absent, or one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
    pub name: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TaskError {
    pub class: String,
    /// Exit code or HTTP status; 0 = none
    pub code: i64,
    pub message: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TaskHistory {
    /// Attempts between the first and the newest ones that are not kept
    pub attempts_dropped: u64,
    /// Oldest first
    pub changes: Vec<TaskHistoryChange>,
    pub task_id: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TaskHistoryChange {
    /// Who did it, as they said; not verified
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    pub at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u64>,
    pub cause: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TaskError>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// From then on
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
}

/// A place that each attempt holds in a named limit.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TaskLimits {
    /// Each key has its own count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// How many may hold a place at once; as configured if it is absent, or one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
    pub name: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TaskPage {
    /// The page is not full, because so many tasks were looked at that do not fit as one answer may cost. It has those that
    /// ended since then; `next_cursor` goes on
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked_until: Option<String>,
    /// Absent on the last page
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub tasks: Vec<Task>,
}

/// A task of a run, when it waited and for what, and when it ran; a mapped task as a whole
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TaskTimes {
    /// It is on the chain of tasks that made the run take as long as it did
    pub critical: bool,
    pub name: String,
    /// They follow each other
    pub spans: Vec<TimeSpan>,
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TimeSpan {
    pub cause: String,
    /// Milliseconds after the run was made
    pub from_ms: u64,
    /// The named limit that was full
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    pub to_ms: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TimeSpent {
    pub cause: String,
    pub ms: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Timeline {
    /// When it was looked at: spans that go on end then
    pub at: String,
    /// What the times of spans count from
    pub created_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Other tasks have begun, too: the critical path and those that began first are here
    pub more: bool,
    pub run_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    pub state: String,
    /// In the order in which they began
    pub tasks: Vec<TaskTimes>,
    /// Along the critical path, the longest first; how long a run waited to start is not in it
    pub totals: Vec<TimeSpent>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Timeouts {
    /// A worker must take it in this time
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept_ms: Option<u64>,
    /// Between the request to stop and the kill
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<u64>,
    /// Longer is stopped
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hard_ms: Option<u64>,
    /// Longer without progress is stopped
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress_ms: Option<u64>,
    /// Longer raises an alert
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft_ms: Option<u64>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Trigger {
    /// Runs that it began and that have not ended
    pub active: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    pub errors: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<EventPattern>,
    pub fired: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#if: Option<String>,
    pub job: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<LastOutcome>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_fired: Option<LastFired>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_skip: Option<LastOutcome>,
    pub max_active: u64,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
    pub skipped: u64,
    pub tenant: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<String>,
    /// Of the first job of `after`: windows that wait for the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub windows_waiting: Option<u64>,
}

/// `POST /v1/jobs/{name}:trigger`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TriggerBody {
    /// Who does it and why; noted with the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// The instant for which the run is: one run of the job for each, whatever the idempotency key. RFC 3339 text, or
    /// seconds since 1970
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logical_time: Option<Value>,
    /// As the job declares them
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// One run for each key of a job, for as long as keys live.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_key: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TriggerPage {
    /// Absent on the last page
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub triggers: Vec<Trigger>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Triggered {
    /// The run was there already, under the same `run_key`
    pub duplicate: bool,
    pub job: String,
    pub run_id: String,
    pub tenant: String,
    /// Why no known worker could ever run some of its tasks; absent if all can be run
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct UpcomingPage {
    pub windows: Vec<UpcomingWindow>,
}

/// A window that has not come.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct UpcomingWindow {
    pub at: String,
    /// With its part of the jitter
    pub begins_at: String,
    pub description: String,
    pub job: String,
    /// Then nothing will begin, unless it is resumed before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_paused: Option<bool>,
    pub name: String,
    pub tenant: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Upstream {
    pub name: String,
    pub state: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Version {
    pub applied_at: String,
    pub definition: Option<Value>,
    pub job: String,
    pub tenant: String,
    pub version: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct VersionFigures {
    pub cancelled: u64,
    pub failed: u64,
    /// From being made to their end, of those that succeeded
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<u64>,
    pub runs: u64,
    pub succeeded: u64,
    /// Of those that succeeded or failed; from 0 to 1, absent if there are none
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success_rate: Option<f64>,
    pub version: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct VersionPage {
    pub versions: Vec<VersionRow>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct VersionRow {
    pub applied_at: String,
    pub version: u64,
}

/// Queued tasks that wait for the same
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Waiting {
    pub advice: String,
    pub band: String,
    /// The task that has waited longest
    pub example: String,
    /// With reason `limit`: the named limit that is full
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    pub message: String,
    /// Since when the one that has waited longest waits
    pub oldest_since: String,
    pub pool: String,
    pub queued: u64,
    pub reason: String,
    pub tenant: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct WaitingPage {
    /// There are others, or kinds of tasks that were not looked at.
    pub more: bool,
    /// Queues with tasks that wait or run; those with the most waiting tasks first.
    pub queues: Vec<Queue>,
    /// The most tasks first.
    pub waiting: Vec<Waiting>,
}

/// The window for which a run or a task exists.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Window {
    pub at: String,
    /// A backfill began it
    pub backfill: bool,
    pub catch_up: bool,
    pub late: bool,
    /// It stands for an event that did not come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_event: Option<bool>,
    pub schedule: String,
    /// The window before it; `at` is where it ends.
    pub start: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct WindowPage {
    /// Absent on the last page
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub windows: Vec<ScheduleWindow>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Worker {
    pub connected: bool,
    /// Who closed it to new work, why, and since when; `null` if nobody did.
    pub cordon: Option<Cordon>,
    pub cordoned: bool,
    pub cpu_milli: u64,
    /// Custom resources.
    pub custom: BTreeMap<String, u64>,
    pub disk_bytes: u64,
    /// What it can run; empty if it did not say
    pub executors: Vec<String>,
    pub gpus: u64,
    pub labels: BTreeMap<String, String>,
    pub memory_bytes: u64,
    pub name: String,
    pub pool: String,
    pub running: u64,
    pub silent_ms: u64,
    pub slots: u64,
    /// `healthy`, `cordoned` (gets nothing new), `draining` (nothing new, and it still runs something), `drained` (it runs
    /// nothing any more), `unhealthy` (silent for long), `disconnected`.
    pub state: String,
    pub utilisation_percent: u64,
    pub version: String,
    pub worker_id: String,
    pub zone: String,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct WorkerPage {
    pub workers: Vec<Worker>,
}
