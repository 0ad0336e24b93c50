//! Tasks: submit, read, change and follow them.

use super::{
    At, BODY, CHANGE, DELETE, GET, GUARDED, JSON, KEYED, LIST, ListOf, NAMED, OF_TASKS, Of, OneOf, Operation,
    PATCH, POST, Parameter, READ, SHARD, Shape, Text, WAIT, and, answer, needed, optional,
};
use crate::wire::WAIT_REASONS;

const WITH_RUN: [Parameter; 14] = and(
    OF_TASKS,
    Parameter::new(
        "run_id",
        Shape::Pattern("^run_[0-9a-f]{32}$"),
        "Only tasks of this run, in the order of its job; goes with `state`, `limit` and `cursor` alone",
    ),
);
const WITH_POOL: [Parameter; 15] =
    and(WITH_RUN, Parameter::new("pool", Shape::FilledName, "Only tasks of this pool that have not ended"));
const WITH_REASON: [Parameter; 16] = and(
    WITH_POOL,
    Parameter::new(
        "reason",
        Shape::Words(&WAIT_REASONS),
        "Only queued tasks that wait for this, as `GET /v1/waiting` calls it",
    ),
);
const WITH_LIMIT: [Parameter; 17] = and(
    WITH_REASON,
    Parameter::new(
        "limit_name",
        Shape::FilledName,
        "Only queued tasks that wait for this named limit; with `reason` only beside `limit`",
    ),
);
const LISTED: [Parameter; 18] = and(
    WITH_LIMIT,
    Parameter::new(
        "id_prefix",
        Shape::Pattern("^(task_)?[0-9a-fA-F]{6,32}$"),
        "Only tasks whose id begins so (6 to 32 hexadecimal digits, with or without `task_`); goes with \
        `tenant` and `limit` alone",
    ),
);

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        id: "listTasks",
        tag: "tasks",
        rest: (GET, "/v1/tasks"),
        grpc: At("TaskService/List"),
        cli: At("task list"),
        summary: "List tasks: unfinished ones from memory, then those waiting for a far time, then \
                ended ones, newest first",
        query: &LISTED,
        answers: &[answer(200, "A page; it may be short although another follows", Of("TaskPage"))],
        errors: &[GUARDED, SHARD, LIST, &["CURSOR_EXPIRED", "RUN_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "submitTask",
        tag: "tasks",
        rest: (POST, "/v1/tasks"),
        grpc: At("TaskService/Submit"),
        cli: At("submit"),
        summary: "Submit one task; the answer leaves when it is durable",
        actor: true,
        headers: &[Parameter::new(
            "X-Mainspring-Tenant",
            Shape::HeaderName,
            "Tenant of tasks that name none",
        )],
        body: Some(needed(&[(JSON, Of("TaskBody"))])),
        answers: &[answer(202, "Accepted", OneOf(&["Accepted", "Recurring"]))],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            NAMED,
            &[
                "UNKNOWN_EXECUTOR",
                "QUEUE_FULL",
                "TOO_MANY_TASKS",
                "MEMORY_FULL",
                "PAYLOAD_TOO_LARGE",
                "TOO_MANY_LABELS",
                "TOO_MANY_LIMITS",
                "TOO_FAR_AHEAD",
                "TOO_MANY_ENTRIES",
                "RESOURCE_NAME_INVALID",
                "SCHEDULE_INVALID",
                "SCHEDULE_NEVER_FIRES",
                "TOO_MANY_SCHEDULES",
            ],
        ],
        ..CHANGE
    },
    Operation {
        id: "submitTasks",
        tag: "tasks",
        rest: (POST, "/v1/tasks:batch"),
        grpc: At("TaskService/SubmitBatch"),
        cli: At("submit"),
        summary: "Submit up to 10,000 tasks, each with its own result",
        actor: true,
        headers: &[Parameter::new(
            "X-Mainspring-Tenant",
            Shape::HeaderName,
            "Tenant of tasks that name none",
        )],
        body: Some(needed(&[(JSON, ListOf("TaskBody", 10_000)), ("application/x-ndjson", Text)])),
        answers: &[
            answer(202, "All accepted", Of("BatchResult")),
            answer(207, "Some were refused", Of("BatchResult")),
        ],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            NAMED,
            &[
                "UNKNOWN_EXECUTOR",
                "QUEUE_FULL",
                "TOO_MANY_TASKS",
                "MEMORY_FULL",
                "PAYLOAD_TOO_LARGE",
                "TOO_MANY_LABELS",
                "TOO_MANY_LIMITS",
                "TOO_FAR_AHEAD",
                "TOO_MANY_ENTRIES",
                "RESOURCE_NAME_INVALID",
                "BATCH_TOO_LONG",
            ],
        ],
        ..CHANGE
    },
    Operation {
        id: "cancelTasks",
        tag: "tasks",
        rest: (POST, "/v1/tasks:cancel"),
        grpc: At("TaskService/CancelMany"),
        cli: At("task cancel"),
        summary: "Cancel everything that matches and is there now; goes on in steps after the answer",
        actor: true,
        body: Some(needed(&[(JSON, Of("SelectorBody"))])),
        answers: &[
            answer(202, "Begun; `GET /v1/operations/{id}` tells how far it is", Of("Operation")),
            answer(200, "A dry run: how many match now", Of("Operation")),
        ],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            &["TOO_MANY_OPERATIONS", "TOO_MANY_ENTRIES", "UNKNOWN_EXECUTOR"],
        ],
        ..CHANGE
    },
    Operation {
        id: "getTask",
        tag: "tasks",
        rest: (GET, "/v1/tasks/{id}"),
        grpc: At("TaskService/Get"),
        cli: At("task get"),
        summary: "Read one task with its attempts and output",
        query: &[Parameter::new("wait", Shape::Wait, WAIT)],
        answers: &[answer(200, "The task", Of("Task"))],
        errors: &[GUARDED, SHARD, &["TASK_NOT_FOUND", "TOO_MANY_FOLLOWERS"]],
        ..READ
    },
    Operation {
        id: "deleteTask",
        tag: "tasks",
        rest: (DELETE, "/v1/tasks/{id}"),
        grpc: At("TaskService/Cancel"),
        cli: At("task cancel"),
        summary: "Cancel: 409 `TASK_ALREADY_RUNNING` if it runs, unless forced",
        actor: true,
        query: &[Parameter::new("force", Shape::Flag, "Stop it if it runs")],
        answers: &[answer(200, "Cancelled, or asked to stop", Of("Changed"))],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            NAMED,
            &["TASK_NOT_FOUND", "TASK_ALREADY_RUNNING", "TASK_ALREADY_ENDED", "TASK_OF_RUN"],
        ],
        ..CHANGE
    },
    Operation {
        id: "amendTask",
        tag: "tasks",
        rest: (PATCH, "/v1/tasks/{id}"),
        grpc: At("TaskService/Amend"),
        cli: At("task amend"),
        summary: "Change time, payload or priority until it starts",
        actor: true,
        body: Some(needed(&[(JSON, Of("AmendBody"))])),
        answers: &[answer(200, "Done", Of("Changed"))],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            &[
                "TASK_NOT_FOUND",
                "TASK_ALREADY_STARTED",
                "TASK_ALREADY_ENDED",
                "TASK_ALREADY_RUNNING",
                "PAYLOAD_TOO_LARGE",
                "MEMORY_FULL",
                "TOO_FAR_AHEAD",
                "TASK_OF_RUN",
                "WAITS_FOR_APPROVAL",
                "TIMING_DOES_NOT_FIT",
                "SCHEDULE_INVALID",
                "SCHEDULE_NEVER_FIRES",
            ],
        ],
        ..CHANGE
    },
    Operation {
        id: "cancelTask",
        tag: "tasks",
        rest: (POST, "/v1/tasks/{id}:cancel"),
        grpc: At("TaskService/Cancel"),
        cli: At("task cancel"),
        summary: "The same as DELETE",
        actor: true,
        query: &[Parameter::new("force", Shape::Flag, "Stop it if it runs")],
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Done", Of("Changed"))],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            NAMED,
            &["TASK_NOT_FOUND", "TASK_ALREADY_RUNNING", "TASK_ALREADY_ENDED", "TASK_OF_RUN"],
        ],
        ..CHANGE
    },
    Operation {
        id: "retryTask",
        tag: "tasks",
        rest: (POST, "/v1/tasks/{id}:retry"),
        grpc: At("TaskService/Retry"),
        cli: At("task retry"),
        summary: "Queue an ended task again",
        actor: true,
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Done", Of("Changed"))],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            &[
                "TASK_NOT_FOUND",
                "TASK_ALREADY_ENDED",
                "TASK_NOT_ENDED",
                "TASK_OF_RUN",
                "QUEUE_FULL",
                "TOO_MANY_TASKS",
                "MEMORY_FULL",
            ],
        ],
        ..CHANGE
    },
    Operation {
        id: "runTaskNow",
        tag: "tasks",
        rest: (POST, "/v1/tasks/{id}:run-now"),
        grpc: At("TaskService/RunNow"),
        cli: At("task run-now"),
        summary: "End a wait for time, retry or something outside",
        actor: true,
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Done", Of("Changed"))],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            &[
                "TASK_NOT_FOUND",
                "TASK_ALREADY_STARTED",
                "TASK_ALREADY_ENDED",
                "TASK_ALREADY_RUNNING",
                "TASK_OF_RUN",
                "WAITS_FOR_APPROVAL",
            ],
        ],
        ..CHANGE
    },
    Operation {
        id: "forceTaskState",
        tag: "tasks",
        rest: (POST, "/v1/tasks/{id}:force-state"),
        grpc: At("TaskService/ForceState"),
        cli: At("task force"),
        summary: "An operator says how it ended; who and why is kept",
        actor: true,
        body: Some(needed(&[(JSON, Of("ForceTaskBody"))])),
        answers: &[answer(200, "Done", Of("Changed"))],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            &[
                "TASK_NOT_FOUND",
                "STATE_NOT_FORCIBLE",
                "TASK_ALREADY_ENDED",
                "TASK_OF_RUN",
                "WAITS_FOR_APPROVAL",
            ],
        ],
        ..CHANGE
    },
    Operation {
        id: "diagnoseTask",
        tag: "tasks",
        rest: (GET, "/v1/tasks/{id}/diagnosis"),
        grpc: At("TaskService/Diagnose"),
        cli: At("task diagnose"),
        summary: "Why is it not running, and what can be done?",
        answers: &[answer(200, "The reason", Of("Diagnosis"))],
        errors: &[GUARDED, SHARD, &["TASK_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "getTaskHistory",
        tag: "tasks",
        rest: (GET, "/v1/tasks/{id}/history"),
        grpc: At("TaskService/History"),
        cli: At("task history"),
        summary: "Each change of state with its time and cause, oldest first",
        details: "Made from the record of the task: the first and the newest attempts are in it, with who forced or requeued it.",
        answers: &[answer(200, "The changes", Of("TaskHistory"))],
        errors: &[GUARDED, SHARD, &["TASK_NOT_FOUND"]],
        ..READ
    },
];
