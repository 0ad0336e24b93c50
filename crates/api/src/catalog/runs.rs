//! Runs of jobs.

use super::{
    At, BODY, CHANGE, GET, GUARDED, JSON, KEYED, LIMIT, LIST, OF_JOB, OF_TENANT, OLDER, Of, Operation, POST,
    Parameter, READ, SHARD, Shape, WAIT, answer, cursor, needed, optional,
};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        id: "listRuns",
        tag: "runs",
        rest: (GET, "/v1/runs"),
        grpc: At("RunService/List"),
        cli: At("run list"),
        summary: "List runs, newest first",
        query: &[
            OF_TENANT,
            OF_JOB,
            Parameter::new("state", Shape::RunStates, "One or several with commas"),
            Parameter::new("trigger", Shape::StartedBy, "Only those that this began"),
            Parameter::new("label", Shape::Label, "`key=value`"),
            Parameter::new("created_from", Shape::Instant, "Made at or after: RFC 3339 or epoch seconds"),
            Parameter::new("created_before", Shape::Instant, "Made before"),
            LIMIT,
            cursor("^run_[0-9a-f]{32}$"),
            OLDER,
            Parameter::new(
                "id_prefix",
                Shape::Pattern("^(run_)?[0-9a-fA-F]{6,32}$"),
                "Only runs whose id begins so (6 to 32 hexadecimal digits, with or without `run_`); \
                goes with `tenant` and `limit` alone",
            ),
        ],
        answers: &[answer(200, "A page", Of("RunPage"))],
        errors: &[GUARDED, SHARD, LIST],
        ..READ
    },
    Operation {
        id: "cancelRuns",
        tag: "runs",
        rest: (POST, "/v1/runs:cancel"),
        grpc: At("RunService/CancelMany"),
        cli: At("run cancel"),
        summary: "Cancel all unfinished runs that match. Very many are cancelled in steps that go on \
                after the answer; `GET /v1/operations/{id}` says how far it is",
        actor: true,
        body: Some(needed(&[(JSON, Of("RunSelectorBody"))])),
        answers: &[answer(200, "Begun; `GET /v1/operations/{id}` tells how far it is", Of("Operation"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, &["TOO_MANY_OPERATIONS"]],
        ..CHANGE
    },
    Operation {
        id: "getRun",
        tag: "runs",
        rest: (GET, "/v1/runs/{id}"),
        grpc: At("RunService/Get"),
        cli: At("run get"),
        summary: "One run with a page of its tasks",
        query: &[
            Parameter::new("tasks_offset", Shape::Number { min: 0, max: 1_000_000, default: None }, ""),
            Parameter::new("tasks_limit", Shape::Number { min: 0, max: 10_000, default: None }, ""),
            Parameter::new("wait", Shape::Wait, WAIT),
        ],
        answers: &[answer(200, "The run", Of("Run"))],
        errors: &[GUARDED, SHARD, LIST, &["RUN_NOT_FOUND", "TOO_MANY_FOLLOWERS"]],
        ..READ
    },
    Operation {
        id: "diagnoseRun",
        tag: "runs",
        rest: (GET, "/v1/runs/{id}/diagnosis"),
        grpc: At("RunService/Diagnose"),
        cli: At("run diagnose"),
        summary: "Where does it stand, why has it not ended, and what can be done?",
        answers: &[answer(
            200,
            "The run, then its unfinished tasks, the most telling first",
            Of("RunDiagnosis"),
        )],
        errors: &[GUARDED, SHARD, &["RUN_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "listItems",
        tag: "runs",
        rest: (GET, "/v1/runs/{id}/tasks/{name}/items"),
        grpc: At("RunService/ListItems"),
        cli: At("run items"),
        summary: "Items of a mapped task, each with its value and state, and why it failed",
        details: "A page looks at no more than 20,000 items; one that is short although another follows says so with \
                `next_cursor`.",
        query: &[
            Parameter::new("state", Shape::TaskStates, "One state or several with commas"),
            LIMIT,
            cursor("^[0-9]{1,9}$"),
        ],
        answers: &[answer(
            200,
            "A page; empty if the task has no items, or does not know them yet",
            Of("ItemPage"),
        )],
        errors: &[GUARDED, SHARD, LIST, &["RUN_NOT_FOUND", "RUN_HAS_NO_SUCH_TASK"]],
        ..READ
    },
    Operation {
        id: "cancelRun",
        tag: "runs",
        rest: (POST, "/v1/runs/{id}:cancel"),
        grpc: At("RunService/Cancel"),
        cli: At("run cancel"),
        summary: "Stop a run",
        actor: true,
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Done", Of("RunDone"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, &["RUN_NOT_FOUND", "RUN_ALREADY_ENDED"]],
        ..CHANGE
    },
    Operation {
        id: "pauseRun",
        tag: "runs",
        rest: (POST, "/v1/runs/{id}:pause"),
        grpc: At("RunService/Pause"),
        cli: At("run pause"),
        summary: "Release nothing more of a run",
        actor: true,
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Done", Of("RunDone"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, &["RUN_NOT_FOUND", "RUN_ALREADY_ENDED"]],
        ..CHANGE
    },
    Operation {
        id: "resumeRun",
        tag: "runs",
        rest: (POST, "/v1/runs/{id}:resume"),
        grpc: At("RunService/Resume"),
        cli: At("run resume"),
        summary: "Let a paused run go on",
        actor: true,
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Done", Of("RunDone"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, &["RUN_NOT_FOUND", "RUN_ALREADY_ENDED"]],
        ..CHANGE
    },
    Operation {
        id: "clearRun",
        tag: "runs",
        rest: (POST, "/v1/runs/{id}:clear"),
        grpc: At("RunService/Clear"),
        cli: At("run clear"),
        summary: "Run tasks, or items of a mapped task, again, with all that follows; without names, all that failed",
        actor: true,
        body: Some(optional(&[(JSON, Of("ClearBody"))])),
        answers: &[answer(200, "Done", Of("RunDone"))],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            &["RUN_NOT_FOUND", "RUN_HAS_NO_SUCH_TASK", "TOO_MANY_ENTRIES", "TOO_MANY_RUNS", "RUN_NOT_ENDED"],
            &["NOTHING_FAILED", "TASK_HAS_NO_ITEMS", "TASK_HAS_NO_SUCH_ITEM"],
        ],
        ..CHANGE
    },
    Operation {
        id: "forceRunState",
        tag: "runs",
        rest: (POST, "/v1/runs/{id}:force-state"),
        grpc: At("RunService/ForceState"),
        cli: At("run force"),
        summary: "An operator says how a run ends; who and why is kept",
        actor: true,
        body: Some(needed(&[(JSON, Of("ForceRunBody"))])),
        answers: &[answer(200, "Done", Of("RunDone"))],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            &["RUN_NOT_FOUND", "RUN_STATE_NOT_FORCIBLE", "RUN_ALREADY_ENDED"],
        ],
        ..CHANGE
    },
    Operation {
        id: "reevaluateRun",
        tag: "runs",
        rest: (POST, "/v1/runs/{id}:reevaluate"),
        grpc: At("RunService/Reevaluate"),
        cli: At("run reevaluate"),
        summary: "Have what can be decided in a run looked for again; who and why is kept",
        actor: true,
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Done", Of("RunDone"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, &["RUN_NOT_FOUND", "RUN_ALREADY_ENDED"]],
        ..CHANGE
    },
    Operation {
        id: "rerunRun",
        tag: "runs",
        rest: (POST, "/v1/runs/{id}:rerun"),
        grpc: At("RunService/Rerun"),
        cli: At("run rerun"),
        summary: "Run it once more, as a new run",
        actor: true,
        body: Some(optional(&[(JSON, Of("RerunBody"))])),
        answers: &[answer(202, "The new run", Of("Rerun"))],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            &[
                "RUN_NOT_FOUND",
                "RUN_NOT_ENDED",
                "RUN_HAS_NO_SUCH_TASK",
                "PARAMETERS_INVALID",
                "JOB_NOT_FOUND",
                "TOO_MANY_RUNS",
                "MEMORY_FULL",
            ],
        ],
        ..CHANGE
    },
];
