//! Tasks that failed for good.

use super::{
    At, BODY, CHANGE, GET, GUARDED, JSON, KEYED, LIST, OF_GROUPS, OF_TASKS, Of, Operation, POST, READ, SHARD,
    answer, needed, optional,
};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        id: "listDeadLetters",
        tag: "tasks",
        rest: (GET, "/v1/dead-letters"),
        grpc: At("DeadLetterService/List"),
        cli: At("dead-letter list"),
        summary: "Tasks that failed for good or were quarantined",
        query: &OF_TASKS,
        answers: &[answer(200, "A page", Of("TaskPage"))],
        errors: &[GUARDED, SHARD, LIST, &["CURSOR_EXPIRED"]],
        ..READ
    },
    Operation {
        id: "listDeadLetterGroups",
        tag: "tasks",
        rest: (GET, "/v1/dead-letters/groups"),
        grpc: At("DeadLetterService/Groups"),
        cli: At("dead-letter groups"),
        summary: "Dead letters by what went wrong, the largest group first",
        details: "Of the newest 5,000. Last errors of one job that differ only in numbers, ids and quoted parts are one group. \
            `:requeue` and `:discard` take its `fingerprint`.",
        query: &OF_GROUPS,
        answers: &[answer(200, "The groups", Of("DeadLetterGroups"))],
        errors: &[GUARDED, SHARD, LIST],
        ..READ
    },
    Operation {
        id: "requeueDeadLetter",
        tag: "tasks",
        rest: (POST, "/v1/dead-letters/{id}:requeue"),
        grpc: At("DeadLetterService/Requeue"),
        cli: At("dead-letter requeue"),
        summary: "Queue a dead letter again, with a fresh budget of retries",
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
                "NOT_A_DEAD_LETTER",
                "TASK_OF_RUN",
                "QUEUE_FULL",
                "TOO_MANY_TASKS",
                "MEMORY_FULL",
            ],
        ],
        ..CHANGE
    },
    Operation {
        id: "discardDeadLetter",
        tag: "tasks",
        rest: (POST, "/v1/dead-letters/{id}:discard"),
        grpc: At("DeadLetterService/Discard"),
        cli: At("dead-letter discard"),
        summary: "Take a dead letter off the list: it becomes `skipped` and keeps its attempts",
        actor: true,
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Done", Of("Changed"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, &["TASK_NOT_FOUND", "NOT_A_DEAD_LETTER", "TASK_OF_RUN"]],
        ..CHANGE
    },
    Operation {
        id: "requeueDeadLetters",
        tag: "tasks",
        rest: (POST, "/v1/dead-letters:requeue"),
        grpc: At("DeadLetterService/Requeue"),
        cli: At("dead-letter requeue"),
        summary: "Queue many dead letters again; a result for each",
        actor: true,
        body: Some(needed(&[(JSON, Of("DeadLettersBody"))])),
        answers: &[answer(200, "Done", Of("ManyResult")), answer(207, "Some were refused", Of("ManyResult"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, &["TOO_MANY_ENTRIES"]],
        ..CHANGE
    },
    Operation {
        id: "discardDeadLetters",
        tag: "tasks",
        rest: (POST, "/v1/dead-letters:discard"),
        grpc: At("DeadLetterService/Discard"),
        cli: At("dead-letter discard"),
        summary: "Discard many dead letters; a result for each",
        actor: true,
        body: Some(needed(&[(JSON, Of("DeadLettersBody"))])),
        answers: &[answer(200, "Done", Of("ManyResult")), answer(207, "Some were refused", Of("ManyResult"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, &["TOO_MANY_ENTRIES"]],
        ..CHANGE
    },
];
