//! Schedules, their windows, and cron expressions.

use super::{
    At, BODY, CHANGE, DELETE, GET, GUARDED, JSON, KEYED, LIST, Missing, NAMED, Of, Operation, POST, PUT,
    Parameter, READ, SHARD, Shape, answer, needed, optional,
};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        id: "previewCron",
        tag: "operation",
        rest: (POST, "/v1/cron:preview"),
        grpc: Missing,
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
        grpc: Missing,
        cli: At("schedule list"),
        summary: "List schedules by tenant, job and name",
        query: &[
            Parameter::new("tenant", Shape::Name, ""),
            Parameter::new("job", Shape::Name, "Only of this job"),
            Parameter::new("limit", Shape::Number { min: 1, max: 1000, default: None }, ""),
            Parameter::new(
                "cursor",
                Shape::Pattern(
                    "^[^/\\u0000-\\u001f\\u007f-\\u009f]{1,200}/[^\\u0000-\\u001f\\u007f-\\u009f]{1,200}$",
                ),
                "",
            ),
        ],
        answers: &[answer(200, "A page", Of("SchedulePage"))],
        errors: &[GUARDED, SHARD, LIST],
        ..READ
    },
    Operation {
        id: "listUpcomingWindows",
        tag: "schedules",
        rest: (GET, "/v1/schedules:upcoming"),
        grpc: Missing,
        cli: At("schedule upcoming"),
        summary: "The windows of all schedules that come next, in the order of time",
        query: &[
            Parameter::new("tenant", Shape::Name, ""),
            Parameter::new(
                "within",
                Shape::Pattern("^[0-9]{1,9}(ms|s|m|h|d)$"),
                "How far to look, as `30s`, `10m`, `2h`, `1d`; an hour unless set",
            ),
            Parameter::new("limit", Shape::Number { min: 1, max: 1000, default: None }, ""),
        ],
        answers: &[answer(200, "The windows", Of("UpcomingPage"))],
        errors: &[GUARDED, SHARD, LIST],
        ..READ
    },
    Operation {
        id: "getSchedule",
        tag: "schedules",
        rest: (GET, "/v1/schedules/{job}/{name}"),
        grpc: Missing,
        cli: At("schedule get"),
        summary: "One schedule",
        query: &[Parameter::new("tenant", Shape::FilledName, "Whose schedule it is; `default` unless said")],
        answers: &[answer(200, "The schedule", Of("Schedule"))],
        errors: &[GUARDED, SHARD, NAMED, &["SCHEDULE_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "putSchedule",
        tag: "schedules",
        rest: (PUT, "/v1/schedules/{job}/{name}"),
        grpc: Missing,
        cli: Missing,
        summary: "Store a schedule of a job, or new content of it",
        actor: true,
        query: &[
            Parameter::new("tenant", Shape::FilledName, "Whose schedule it is; `default` unless said"),
            Parameter::new("actor", Shape::Name, "Who does it; in the server's log"),
            Parameter::new("reason", Shape::Name, "Why; in the server's log"),
        ],
        body: Some(needed(&[(JSON, Of("ScheduleBody"))])),
        answers: &[answer(200, "Stored", Of("ScheduleStored"))],
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
        grpc: Missing,
        cli: At("schedule delete"),
        summary: "Delete a schedule; what it began goes on, and its history stays",
        actor: true,
        query: &[
            Parameter::new("tenant", Shape::FilledName, "Whose schedule it is; `default` unless said"),
            Parameter::new("actor", Shape::Name, "Who does it; in the server's log"),
            Parameter::new("reason", Shape::Name, "Why; in the server's log"),
        ],
        answers: &[answer(200, "Deleted", Of("ScheduleDone"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, NAMED, &["SCHEDULE_NOT_FOUND"]],
        ..CHANGE
    },
    Operation {
        id: "pauseSchedule",
        tag: "schedules",
        rest: (POST, "/v1/schedules/{job}/{name}:pause"),
        grpc: Missing,
        cli: At("schedule pause"),
        summary: "Skip the windows of a schedule until it is resumed",
        actor: true,
        query: &[Parameter::new("tenant", Shape::FilledName, "Whose schedule it is; `default` unless said")],
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Paused", Of("ScheduleDone"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, NAMED, &["SCHEDULE_NOT_FOUND"]],
        ..CHANGE
    },
    Operation {
        id: "resumeSchedule",
        tag: "schedules",
        rest: (POST, "/v1/schedules/{job}/{name}:resume"),
        grpc: Missing,
        cli: At("schedule resume"),
        summary: "Let the windows of a schedule begin something again",
        actor: true,
        query: &[Parameter::new("tenant", Shape::FilledName, "Whose schedule it is; `default` unless said")],
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "It goes on", Of("ScheduleDone"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, NAMED, &["SCHEDULE_NOT_FOUND"]],
        ..CHANGE
    },
    Operation {
        id: "listScheduleWindows",
        tag: "schedules",
        rest: (GET, "/v1/schedules/{job}/{name}/history"),
        grpc: Missing,
        cli: At("schedule history"),
        summary: "What became of the windows of a schedule, newest first",
        query: &[
            Parameter::new("tenant", Shape::FilledName, "Whose schedule it is; `default` unless said"),
            Parameter::new("limit", Shape::Number { min: 1, max: 1000, default: None }, ""),
            Parameter::new(
                "cursor",
                Shape::Pattern(
                    "^[^/\\u0000-\\u001f\\u007f-\\u009f]{1,200}/[^\\u0000-\\u001f\\u007f-\\u009f]{1,200}$",
                ),
                "",
            ),
        ],
        answers: &[answer(200, "A page", Of("WindowPage"))],
        errors: &[GUARDED, SHARD, LIST, &["SCHEDULE_NOT_FOUND"]],
        ..READ
    },
];
