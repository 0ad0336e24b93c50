//! Schedules, their windows, and cron expressions.

use super::{
    At, BODY, CHANGE, CURSOR_BY_NAME, DELETE, GET, GUARDED, IF_MATCH, JSON, KEYED, LIMIT, LIST, NAMED,
    OF_JOB, OF_TENANT, Of, Operation, POST, PUT, Parameter, READ, SHARD, Shape, TENANT, answer, cursor,
    needed, optional, tagged,
};

const OUTCOME: Parameter = Parameter::new(
    "outcome",
    Shape::Words(&["ran", "late", "catch_up", "no_event", "backfill", "skipped", "missed"]),
    "Only windows of which this became",
);

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        id: "previewCron",
        tag: "schedules",
        rest: (POST, "/v1/cron:preview"),
        grpc: At("ScheduleService/PreviewCron"),
        cli: At("cron next"),
        summary: "What a cron expression means and when it fires",
        body: Some(needed(&[(JSON, Of("CronPreviewBody"))])),
        answers: &[answer(
            200,
            "The description and the next times; fewer than asked for if it never fires again",
            Of("CronPreview"),
        )],
        errors: &[GUARDED, BODY, &["BAD_CRON", "UNKNOWN_TIME_ZONE"]],
        ..READ
    },
    Operation {
        id: "listSchedules",
        tag: "schedules",
        rest: (GET, "/v1/schedules"),
        grpc: At("ScheduleService/List"),
        cli: At("schedule list"),
        summary: "List schedules by tenant, job and name",
        query: &[OF_TENANT, OF_JOB, LIMIT, CURSOR_BY_NAME],
        answers: &[answer(200, "A page", Of("SchedulePage"))],
        errors: &[GUARDED, SHARD, LIST],
        ..READ
    },
    Operation {
        id: "listUpcomingWindows",
        tag: "schedules",
        rest: (GET, "/v1/schedules:upcoming"),
        grpc: At("ScheduleService/Upcoming"),
        cli: At("schedule upcoming"),
        summary: "The windows of all schedules that come next, in the order of time",
        query: &[
            OF_TENANT,
            Parameter::new(
                "within",
                Shape::Pattern("^[0-9]{1,9}(ms|s|m|h|d)$"),
                "How far to look, as `30s`, `10m`, `2h`, `1d`; an hour unless set",
            ),
            LIMIT,
        ],
        answers: &[answer(200, "The windows", Of("UpcomingPage"))],
        errors: &[GUARDED, SHARD, LIST],
        ..READ
    },
    Operation {
        id: "getSchedule",
        tag: "schedules",
        rest: (GET, "/v1/schedules/{job}/{name}"),
        grpc: At("ScheduleService/Get"),
        cli: At("schedule get"),
        summary: "One schedule",
        query: &[TENANT],
        answers: &[tagged("The schedule", Of("Schedule"))],
        errors: &[GUARDED, SHARD, NAMED, &["SCHEDULE_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "putSchedule",
        tag: "schedules",
        rest: (PUT, "/v1/schedules/{job}/{name}"),
        grpc: At("ScheduleService/Put"),
        cli: At("schedule put"),
        summary: "Store a schedule of a job, or new content of it",
        actor: true,
        headers: &[IF_MATCH],
        query: &[
            TENANT,
            Parameter::new("actor", Shape::Name, "Who does it; in the server's log"),
            Parameter::new("reason", Shape::Name, "Why; in the server's log"),
        ],
        body: Some(needed(&[(JSON, Of("ScheduleBody"))])),
        answers: &[tagged("Stored", Of("ScheduleStored"))],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            NAMED,
            &[
                "SCHEDULE_NOT_FOUND",
                "SCHEDULE_INVALID",
                "SCHEDULE_NEVER_FIRES",
                "REVISION_MISMATCH",
                "TOO_MANY_SCHEDULES",
                "JOB_NOT_FOUND",
                "PARAMETERS_INVALID",
            ],
        ],
        ..CHANGE
    },
    Operation {
        id: "deleteSchedule",
        tag: "schedules",
        rest: (DELETE, "/v1/schedules/{job}/{name}"),
        grpc: At("ScheduleService/Delete"),
        cli: At("schedule delete"),
        summary: "Delete a schedule; what it began goes on, and its history stays",
        actor: true,
        headers: &[IF_MATCH],
        query: &[
            TENANT,
            Parameter::new("actor", Shape::Name, "Who does it; in the server's log"),
            Parameter::new("reason", Shape::Name, "Why; in the server's log"),
        ],
        answers: &[answer(200, "Deleted", Of("ScheduleDone"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, NAMED, &["SCHEDULE_NOT_FOUND", "REVISION_MISMATCH"]],
        ..CHANGE
    },
    Operation {
        id: "pauseSchedule",
        tag: "schedules",
        rest: (POST, "/v1/schedules/{job}/{name}:pause"),
        grpc: At("ScheduleService/Pause"),
        cli: At("schedule pause"),
        summary: "Skip the windows of a schedule until it is resumed",
        actor: true,
        headers: &[IF_MATCH],
        query: &[TENANT],
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Paused", Of("ScheduleDone"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, NAMED, &["SCHEDULE_NOT_FOUND", "REVISION_MISMATCH"]],
        ..CHANGE
    },
    Operation {
        id: "resumeSchedule",
        tag: "schedules",
        rest: (POST, "/v1/schedules/{job}/{name}:resume"),
        grpc: At("ScheduleService/Resume"),
        cli: At("schedule resume"),
        summary: "Let the windows of a schedule begin something again",
        actor: true,
        headers: &[IF_MATCH],
        query: &[TENANT],
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "It goes on", Of("ScheduleDone"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, NAMED, &["SCHEDULE_NOT_FOUND", "REVISION_MISMATCH"]],
        ..CHANGE
    },
    Operation {
        id: "listScheduleWindows",
        tag: "schedules",
        rest: (GET, "/v1/schedules/{job}/{name}/history"),
        grpc: At("ScheduleService/History"),
        cli: At("schedule history"),
        summary: "What became of the windows of a schedule, newest first",
        query: &[
            TENANT,
            LIMIT,
            cursor("^[0-9]{1,15}\\.[0-9]{1,3}$"),
            OUTCOME,
            Parameter::new(
                "from",
                Shape::Instant,
                "Windows at or after; a page may then be shorter than its limit",
            ),
            Parameter::new("to", Shape::Instant, "Windows before"),
        ],
        answers: &[answer(200, "A page", Of("WindowPage"))],
        errors: &[GUARDED, SHARD, LIST, &["SCHEDULE_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "listWindows",
        tag: "schedules",
        rest: (GET, "/v1/windows"),
        grpc: At("ScheduleService/Windows"),
        cli: At("schedule windows"),
        summary: "What became of the windows of all schedules in a span of time, the oldest first",
        details: "The last 24 hours unless `from` and `to` say otherwise. At most 1,000 schedules, 500 windows of each and 5,000 in \
            all; `more` says that there are others. Deleted schedules are left out.",
        query: &[
            OF_TENANT,
            OF_JOB,
            OUTCOME,
            Parameter::new("from", Shape::Instant, "Windows at or after: RFC 3339 or epoch seconds"),
            Parameter::new("to", Shape::Instant, "Windows before"),
        ],
        answers: &[answer(200, "The windows", Of("LedgerPage"))],
        errors: &[GUARDED, SHARD, LIST],
        ..READ
    },
];
