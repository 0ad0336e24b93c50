//! What attempts wrote.

use super::{
    Answer, At, GET, GUARDED, Header, LIST, Of, Operation, Parameter, READ, SHARD, Shape, Text, answer,
};

const LOG_HEADERS: &[Header] = &[
    Header::number("Mainspring-Log-Attempt", "The attempt; absent if none has a log"),
    Header::number("Mainspring-Log-Offset", "Offset of the first byte in the attempt's log"),
    Header::number("Mainspring-Log-Next", "Offset to go on from; not with `follow`"),
    Header::number("Mainspring-Log-Line", "Number of the line in which it begins, from 1; not with `follow`"),
    Header::number("Mainspring-Log-Size", "With `tail` and `line`: where the log ends by now"),
    Header::number("Mainspring-Log-Lines", "With `tail` and `line`: how many lines the log has by now"),
    Header::flag(
        "Mainspring-Log-Complete",
        "Whether this is the end and nothing will follow; not with `follow`",
    ),
];

const ATTEMPT: Parameter = Parameter::new(
    "attempt",
    Shape::Number { min: 1, max: 4_294_967_295, default: None },
    "Which attempt; by default the newest that has a log, or with `follow` the first and all after it",
);

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        id: "getTaskLogs",
        tag: "tasks",
        rest: (GET, "/v1/tasks/{id}/logs"),
        grpc: At("TaskService/Logs"),
        cli: At("task logs"),
        summary: "What an attempt wrote, in pieces or live",
        query: &[
            ATTEMPT,
            Parameter::new(
                "offset",
                Shape::Number { min: 0, max: u64::MAX, default: Some(0) },
                "Where to begin, in bytes of the attempt's log",
            ),
            Parameter::new(
                "limit",
                Shape::Number { min: 1, max: 8_388_608, default: None },
                "Bytes at most; a stream that follows ends after so many. 1048576 by default, without \
                bound when it follows",
            ),
            Parameter::new(
                "tail",
                Shape::Pattern("^[0-9]{1,7}(KiB|MiB)?$"),
                "The last bytes instead, up to 8 MiB, as `64KiB`: from the first line that begins there",
            ),
            Parameter::new(
                "line",
                Shape::Integer,
                "From this line on, counted from 1; `-100` is the last 100 lines. Notes about missing bytes are no \
                lines of the log",
            ),
            Parameter::new(
                "download",
                Shape::Flag,
                "The whole log of the attempt as it is now, as a file; goes with `attempt` and `offset` only",
            ),
            Parameter::new(
                "stream",
                Shape::Words(&["all", "stdout", "stderr", "marked"]),
                "`stdout` or `stderr`: only that; `marked`: both with marks between them, as they are stored and as offsets count; \
                `all` unless said: both without marks",
            ),
            Parameter::new(
                "follow",
                Shape::Flag,
                "Stay, and get what comes until the task has ended; with `attempt`, until that \
                attempt's log is whole. Later attempts begin with a line `── attempt 2 ──`",
            ),
        ],
        answers: &[Answer {
            status: 200,
            what: "Output of the attempt, stdout and stderr together unless `stream` says otherwise; empty if there is none. What is \
                missing is told in a line of its own, as `… 512 bytes missing …`",
            media_type: "text/plain",
            schema: Text,
            headers: LOG_HEADERS,
        }],
        errors: &[GUARDED, SHARD, LIST, &["TASK_NOT_FOUND", "TOO_MANY_FOLLOWERS"]],
        ..READ
    },
    Operation {
        id: "searchTaskLogs",
        tag: "tasks",
        rest: (GET, "/v1/tasks/{id}/logs/search"),
        grpc: At("TaskService/SearchLogs"),
        cli: At("task logs"),
        summary: "Lines of a log that contain a text",
        details: "One answer looks at 256 MiB at most and says how far it came; go on with `from` until it is `complete`. A line \
            longer than 64 KiB is searched in parts, each like a line of its own.",
        query: &[
            Parameter::new("q", Shape::SearchText, "The text, of one line; no pattern"),
            ATTEMPT,
            Parameter::new(
                "from",
                Shape::Number { min: 0, max: u64::MAX, default: Some(0) },
                "Where to begin, in bytes of the attempt's log: `next_offset` of the answer before",
            ),
            Parameter::new("limit", Shape::Number { min: 1, max: 1000, default: Some(100) }, "Lines at most"),
            Parameter::new("ignore_case", Shape::Flag, "Letters A to Z are the same as a to z"),
        ],
        answers: &[answer(200, "What was found", Of("LogHits"))],
        errors: &[GUARDED, SHARD, &["TASK_NOT_FOUND"]],
        ..READ
    },
];
