//! Bounds on everything a job file or an expression can make grow.

/// Bounds of reading; [`Limits::WIDE`] is for whoever is trusted with huge jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Of one text with all its jobs.
    pub file_bytes_max: usize,
    /// Values after aliases were followed: what stops a small file that means a huge one.
    pub values_max: usize,
    /// Lists and maps inside each other.
    pub depth_max: usize,
    pub jobs_max: usize,
    /// Tasks of one job.
    pub tasks_max: usize,
}

impl Limits {
    /// The same jobs as usual, but a folder of them in one text.
    pub const MANY: Self = Self {
        file_bytes_max: 16 << 20,
        values_max: 4_000_000,
        depth_max: 64,
        jobs_max: 1_000,
        tasks_max: 10_000,
    };
    pub const WIDE: Self = Self {
        file_bytes_max: 64 << 20,
        values_max: 4_000_000,
        depth_max: 64,
        jobs_max: 10_000,
        tasks_max: TASKS_CEILING,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self { file_bytes_max: 1 << 20, values_max: 250_000, ..Self::MANY }
    }
}

/// No job has more tasks, whatever is configured.
pub const TASKS_CEILING: usize = 200_000;
/// Upstream tasks that one task may name.
pub const NEEDS_MAX: usize = 10_000;
/// Other jobs that one task may wait for.
pub const NEEDS_JOBS_MAX: usize = 32;
/// Tasks that one task may add to its run at once.
pub const SPAWNED_MAX: usize = 1_000;
/// Schedules of one job.
pub const SCHEDULES_MAX: usize = 100;
/// What one schedule may have begun, or have waiting, at once.
pub const SCHEDULE_ACTIVE_MAX: u64 = 1_000;
/// Triggers of one job.
pub const TRIGGERS_MAX: usize = 32;
pub const PARAMETERS_MAX: usize = 256;
/// Of the parameters of one run, as JSON.
pub const PARAMETERS_BYTES_MAX: usize = 64 << 10;
pub const TAGS_MAX: usize = 32;
/// Named limits that one task may hold.
pub const LIMITS_MAX: usize = 8;
pub const OUTPUTS_MAX: usize = 64;
pub const DESCRIPTION_BYTES_MAX: usize = 4 << 10;
/// Of one payload before its templates are filled in.
pub const PAYLOAD_BYTES_MAX: usize = 256 << 10;
pub const ROUNDS_MAX: u64 = 100_000;
/// No group of one mapped task is larger, whatever a job says.
pub const FAN_OUT_MAX: u64 = 100_000;
/// Longest duration in a job file: a year.
pub const DURATION_MAX_MS: u64 = 366 * 86_400_000;

/// Of an expression, and of each `{{ … }}`.
pub const EXPRESSION_BYTES_MAX: usize = 4 << 10;
/// Of a text with `{{ … }}` in it.
pub const TEMPLATE_BYTES_MAX: usize = 64 << 10;
/// `{{ … }}` in one text.
pub const PLACES_MAX: usize = 256;
/// Of what an expression or template gives.
pub const RESULT_BYTES_MAX: usize = 1 << 20;
/// Of the items of a mapped task, all together.
pub const LIST_BYTES_MAX: usize = 16 << 20;
/// Values inside each other in a result.
pub const RESULT_DEPTH_MAX: usize = 64;
/// Operators in one expression that join texts or lists (`~`, `+`): they make values grow.
pub const JOINS_MAX: usize = 64;
/// Steps of one evaluation; an expression of full length takes some 2,000.
pub const FUEL: u64 = 20_000;

/// More mistakes of one text are counted, not told.
pub const MISTAKES_MAX: usize = 200;
/// Steps of the search for what is upstream of what, for a whole job.
pub const UPSTREAM_STEPS_MAX: usize = 50_000_000;
/// Names of those who may approve a task.
pub const APPROVERS_MAX: usize = 50;
/// Of what they are told.
pub const APPROVAL_MESSAGE_BYTES_MAX: usize = 2_000;
