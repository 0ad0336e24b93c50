//! Backfills.

use super::{
    At, BODY, CHANGE, GET, GUARDED, JSON, KEYED, LIMIT, LIST, OF_JOB, OF_TENANT, Of, Operation, POST,
    Parameter, READ, SHARD, Shape, answer, cursor, needed, optional,
};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        id: "listBackfills",
        tag: "schedules",
        rest: (GET, "/v1/backfills"),
        grpc: At("BackfillService/List"),
        cli: At("backfill list"),
        summary: "Backfills, newest first",
        query: &[
            OF_TENANT,
            OF_JOB,
            Parameter::new(
                "state",
                Shape::Words(&["running", "paused", "cancelling", "ended", "cancelled"]),
                "Only in this state; a page may then be shorter than its limit",
            ),
            LIMIT,
            cursor("^backfill_[0-9a-f]{32}$"),
        ],
        answers: &[answer(200, "A page", Of("BackfillPage"))],
        errors: &[GUARDED, SHARD, LIST],
        ..READ
    },
    Operation {
        id: "createBackfill",
        tag: "schedules",
        rest: (POST, "/v1/backfills"),
        grpc: At("BackfillService/Create"),
        cli: At("backfill start"),
        summary: "Run windows of a schedule that lie behind",
        actor: true,
        body: Some(needed(&[(JSON, Of("BackfillBody"))])),
        answers: &[
            answer(200, "What would be run; or there is nothing to run", Of("BackfillPlan")),
            answer(201, "It goes on", Of("Backfill")),
        ],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            &[
                "JOB_NOT_FOUND",
                "SCHEDULE_NOT_FOUND",
                "SCHEDULE_NOT_BACKFILLABLE",
                "BACKFILL_ACTIVE",
                "BACKFILL_PLAN_OLD",
                "TOO_MANY_BACKFILLS",
                "TOO_MANY_WINDOWS",
                "PARAMETERS_INVALID",
            ],
        ],
        ..CHANGE
    },
    Operation {
        id: "getBackfill",
        tag: "schedules",
        rest: (GET, "/v1/backfills/{id}"),
        grpc: At("BackfillService/Get"),
        cli: At("backfill get"),
        summary: "One backfill, how far it has come",
        answers: &[answer(200, "The backfill", Of("Backfill"))],
        errors: &[GUARDED, SHARD, &["BACKFILL_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "pauseBackfill",
        tag: "schedules",
        rest: (POST, "/v1/backfills/{id}:pause"),
        grpc: At("BackfillService/Pause"),
        cli: At("backfill pause"),
        summary: "Begin no further window of a backfill until it is resumed",
        actor: true,
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Done", Of("BackfillDone"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, &["BACKFILL_NOT_FOUND", "BACKFILL_ALREADY_ENDED"]],
        ..CHANGE
    },
    Operation {
        id: "resumeBackfill",
        tag: "schedules",
        rest: (POST, "/v1/backfills/{id}:resume"),
        grpc: At("BackfillService/Resume"),
        cli: At("backfill resume"),
        summary: "Let a paused backfill go on",
        actor: true,
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Done", Of("BackfillDone"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, &["BACKFILL_NOT_FOUND", "BACKFILL_ALREADY_ENDED"]],
        ..CHANGE
    },
    Operation {
        id: "cancelBackfill",
        tag: "schedules",
        rest: (POST, "/v1/backfills/{id}:cancel"),
        grpc: At("BackfillService/Cancel"),
        cli: At("backfill cancel"),
        summary: "End a backfill, and cancel its runs",
        actor: true,
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Done", Of("BackfillDone"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, &["BACKFILL_NOT_FOUND", "BACKFILL_ALREADY_ENDED"]],
        ..CHANGE
    },
];
