//! The pages of `docs/errors`, embedded.

macro_rules! pages {
    ($($code:literal),* $(,)?) => {
        [$(($code, include_str!(concat!("../../../../docs/errors/", $code, ".md")))),*]
    };
}

/// By code.
const PAGES: [(&str, &str); 96] = pages![
    "APPROVAL_ALREADY_DECIDED",
    "APPROVER_NOT_ALLOWED",
    "BACKFILL_ACTIVE",
    "BACKFILL_ALREADY_ENDED",
    "BACKFILL_NOT_FOUND",
    "BACKFILL_PLAN_OLD",
    "BAD_CRON",
    "BATCH_TOO_LONG",
    "BODY_TOO_LARGE",
    "BODY_UNREADABLE",
    "CURSOR_EXPIRED",
    "EVENT_BATCH_TOO_LONG",
    "EVENT_INVALID",
    "EVENT_MEDIA_TYPE",
    "EVENT_RESERVED",
    "FEED_GONE",
    "HOST_NOT_ALLOWED",
    "IDEMPOTENCY_KEY_REUSED",
    "IDEMPOTENCY_KEY_TOO_LONG",
    "INTERNAL",
    "INVALID_FIELD",
    "INVALID_JSON",
    "INVALID_QUERY",
    "ITEM_NOT_NAMED",
    "JOB_FILE_INVALID",
    "JOB_NOT_FOUND",
    "LOGICAL_TIME_REUSED",
    "MEMORY_FULL",
    "METHOD_NOT_ALLOWED",
    "NAME_TOO_LONG",
    "NOTHING_FAILED",
    "NOT_A_DEAD_LETTER",
    "NOT_OWNER",
    "NO_APPROVAL_OPEN",
    "OPERATION_NOT_FOUND",
    "OPERATION_NOT_RUNNING",
    "ORIGIN_NOT_ALLOWED",
    "OUTCOME_UNKNOWN",
    "PAGE_TOO_LONG",
    "PARAMETERS_INVALID",
    "PAYLOAD_TOO_LARGE",
    "POOL_NOT_FOUND",
    "QUEUE_FULL",
    "RESOURCE_NAME_INVALID",
    "REVISION_MISMATCH",
    "ROUTE_NOT_FOUND",
    "ROW_DAMAGED",
    "ROW_NOT_QUARANTINED",
    "RUN_ALREADY_ENDED",
    "RUN_HAS_NO_SUCH_TASK",
    "RUN_NOT_ENDED",
    "RUN_NOT_FOUND",
    "RUN_STATE_NOT_FORCIBLE",
    "SCHEDULE_INVALID",
    "SCHEDULE_NEVER_FIRES",
    "SCHEDULE_NOT_BACKFILLABLE",
    "SCHEDULE_NOT_FOUND",
    "SERVER_BUSY",
    "SEVERAL_APPROVALS_OPEN",
    "STATE_NOT_FORCIBLE",
    "STORE_BEHIND",
    "STORE_UNAVAILABLE",
    "TASK_ALREADY_ENDED",
    "TASK_ALREADY_RUNNING",
    "TASK_ALREADY_STARTED",
    "TASK_HAS_NO_ITEMS",
    "TASK_HAS_NO_SUCH_ITEM",
    "TASK_NOT_ENDED",
    "TASK_NOT_FOUND",
    "TASK_OF_RUN",
    "TIMING_DOES_NOT_FIT",
    "TOO_FAR_AHEAD",
    "TOO_MANY_BACKFILLS",
    "TOO_MANY_CORDONS",
    "TOO_MANY_ENTRIES",
    "TOO_MANY_FOLLOWERS",
    "TOO_MANY_JOBS",
    "TOO_MANY_LABELS",
    "TOO_MANY_LIMITS",
    "TOO_MANY_OPERATIONS",
    "TOO_MANY_RUNS",
    "TOO_MANY_SCHEDULES",
    "TOO_MANY_TASKS",
    "TOO_MANY_TRIGGERS",
    "TOO_MANY_WINDOWS",
    "TRIGGER_NOT_FOUND",
    "UNAUTHENTICATED",
    "UNKNOWN_EXECUTOR",
    "UNKNOWN_TIME_ZONE",
    "UNSUPPORTED_MEDIA_TYPE",
    "WAITS_FOR_APPROVAL",
    "WEBHOOK_NOT_FOUND",
    "WEBHOOK_SIGNATURE_INVALID",
    "WEBHOOK_TIMESTAMP_INVALID",
    "WORKER_IDENTITY_IN_USE",
    "WORKER_NOT_FOUND",
];

pub(super) fn page(code: &str) -> Option<&'static str> {
    PAGES.iter().find(|(known, _)| *known == code).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use mainspring_core::decision::Rejection;

    use super::*;
    use crate::problem::Problem;

    #[test]
    fn every_code_has_its_page() {
        let mut codes: Vec<&str> = Rejection::CODES.into_iter().chain(Problem::CODES).collect();
        codes.sort_unstable();
        assert_eq!(PAGES.map(|(code, _)| code).to_vec(), codes);
        let document: serde_json::Value = serde_json::from_str(crate::docs::OPENAPI).expect("JSON");
        let named = &document["components"]["schemas"]["Error"]["properties"]["error_code"]["enum"];
        assert_eq!(*named, serde_json::json!(codes), "the OpenAPI document names every code");
    }
}
