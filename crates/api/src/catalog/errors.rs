//! Codes that many operations have in common.

/// Of every operation.
pub(super) const OPEN: &[&str] = &["HOST_NOT_ALLOWED", "INVALID_QUERY", "ORIGIN_NOT_ALLOWED"];
/// Of every operation that needs the token.
pub(super) const GUARDED: &[&str] =
    &["HOST_NOT_ALLOWED", "INVALID_QUERY", "ORIGIN_NOT_ALLOWED", "UNAUTHENTICATED"];
/// Of whatever asks the shard or reads the tables.
pub(super) const SHARD: &[&str] = &[
    "INTERNAL",
    "NOT_OWNER",
    "OUTCOME_UNKNOWN",
    "ROW_DAMAGED",
    "SERVER_BUSY",
    "STORE_BEHIND",
    "STORE_UNAVAILABLE",
];
/// Of whatever reads a body.
pub(super) const BODY: &[&str] = &[
    "BODY_TOO_LARGE",
    "BODY_UNREADABLE",
    "INVALID_FIELD",
    "INVALID_JSON",
    "NAME_TOO_LONG",
    "UNSUPPORTED_MEDIA_TYPE",
];
/// Of whatever takes an idempotency key.
pub(super) const KEYED: &[&str] =
    &["IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_KEY_TOO_LONG", "INVALID_FIELD", "NAME_TOO_LONG"];
/// Of whatever takes the name of something.
pub(super) const NAMED: &[&str] = &["INVALID_FIELD", "NAME_TOO_LONG"];
/// Of lists.
pub(super) const LIST: &[&str] = &["INVALID_FIELD", "NAME_TOO_LONG", "PAGE_TOO_LONG"];

/// The HTTP status of a code. `Problem::status` decides; every answer of the tests is compared with this list.
pub fn status(code: &str) -> Option<u16> {
    STATUSES.iter().find(|(_, codes)| codes.contains(&code)).map(|(status, _)| *status)
}

const STATUSES: [(u16, &[&str]); 14] = [
    (
        400,
        &[
            "BODY_UNREADABLE",
            "CURSOR_EXPIRED",
            "EVENT_INVALID",
            "IDEMPOTENCY_KEY_TOO_LONG",
            "INVALID_FIELD",
            "INVALID_JSON",
            "INVALID_QUERY",
            "NAME_TOO_LONG",
            "PAGE_TOO_LONG",
            "RESOURCE_NAME_INVALID",
            "TOO_FAR_AHEAD",
            "TOO_MANY_ENTRIES",
            "TOO_MANY_LABELS",
            "TOO_MANY_LIMITS",
            "UNKNOWN_EXECUTOR",
        ],
    ),
    (401, &["UNAUTHENTICATED", "WEBHOOK_SIGNATURE_INVALID", "WEBHOOK_TIMESTAMP_INVALID"]),
    (403, &["APPROVER_NOT_ALLOWED", "HOST_NOT_ALLOWED", "ORIGIN_NOT_ALLOWED"]),
    (
        404,
        &[
            "BACKFILL_NOT_FOUND",
            "JOB_NOT_FOUND",
            "POOL_NOT_FOUND",
            "OPERATION_NOT_FOUND",
            "ROUTE_NOT_FOUND",
            "ROW_NOT_QUARANTINED",
            "RUN_HAS_NO_SUCH_TASK",
            "RUN_NOT_FOUND",
            "SCHEDULE_NOT_FOUND",
            "TASK_HAS_NO_SUCH_ITEM",
            "TASK_NOT_FOUND",
            "TRIGGER_NOT_FOUND",
            "WEBHOOK_NOT_FOUND",
            "WORKER_NOT_FOUND",
        ],
    ),
    (405, &["METHOD_NOT_ALLOWED"]),
    (
        409,
        &[
            "APPROVAL_ALREADY_DECIDED",
            "BACKFILL_ACTIVE",
            "BACKFILL_ALREADY_ENDED",
            "BACKFILL_PLAN_OLD",
            "NOTHING_FAILED",
            "NOT_A_DEAD_LETTER",
            "NO_APPROVAL_OPEN",
            "OPERATION_NOT_RUNNING",
            "RUN_ALREADY_ENDED",
            "RUN_NOT_ENDED",
            "SEVERAL_APPROVALS_OPEN",
            "TASK_ALREADY_ENDED",
            "TASK_ALREADY_RUNNING",
            "TASK_ALREADY_STARTED",
            "TASK_HAS_NO_ITEMS",
            "TASK_NOT_ENDED",
            "TASK_OF_RUN",
            "TIMING_DOES_NOT_FIT",
            "WAITS_FOR_APPROVAL",
            "WORKER_IDENTITY_IN_USE",
        ],
    ),
    (410, &["FEED_GONE"]),
    (412, &["REVISION_MISMATCH"]),
    (413, &["BATCH_TOO_LONG", "BODY_TOO_LARGE", "EVENT_BATCH_TOO_LONG", "PAYLOAD_TOO_LARGE"]),
    (415, &["EVENT_MEDIA_TYPE", "UNSUPPORTED_MEDIA_TYPE"]),
    (
        422,
        &[
            "BAD_CRON",
            "EVENT_RESERVED",
            "IDEMPOTENCY_KEY_REUSED",
            "ITEM_NOT_NAMED",
            "JOB_FILE_INVALID",
            "LOGICAL_TIME_REUSED",
            "PARAMETERS_INVALID",
            "RUN_STATE_NOT_FORCIBLE",
            "SCHEDULE_INVALID",
            "SCHEDULE_NEVER_FIRES",
            "SCHEDULE_NOT_BACKFILLABLE",
            "STATE_NOT_FORCIBLE",
            "TOO_MANY_WINDOWS",
            "UNKNOWN_TIME_ZONE",
        ],
    ),
    (
        429,
        &[
            "MEMORY_FULL",
            "QUEUE_FULL",
            "TOO_MANY_BACKFILLS",
            "TOO_MANY_CORDONS",
            "TOO_MANY_FOLLOWERS",
            "TOO_MANY_JOBS",
            "TOO_MANY_OPERATIONS",
            "TOO_MANY_RUNS",
            "TOO_MANY_SCHEDULES",
            "TOO_MANY_TASKS",
            "TOO_MANY_TRIGGERS",
        ],
    ),
    (500, &["INTERNAL", "ROW_DAMAGED"]),
    (503, &["NOT_OWNER", "OUTCOME_UNKNOWN", "SERVER_BUSY", "STORE_BEHIND", "STORE_UNAVAILABLE"]),
];
