//! The server itself: health, figures, documents, damaged rows, bulk work.

use super::{
    Answer, At, BODY, CHANGE, GET, GUARDED, JSON, KEYED, LIMIT, LIST, Never, ONCE, OPEN, Object, Of,
    Operation, POST, READ, SHARD, Text, answer, cursor, needed, optional,
};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        id: "beginOperation",
        tag: "operations",
        rest: (POST, "/v1/operations"),
        grpc: At("OperationService/Begin"),
        cli: At("operation begin"),
        summary: "Do one thing with everything that matches; goes on in steps after the answer",
        details: "What a selector names must match; nothing named is refused unless `all` is said. What came, or changed its \
            state, after the call is not meant, and nothing is done twice, also if the server is killed in the middle. With \
            `dry_run` nothing is changed: the answer says how many match now. A dry run looks at 50,000 tasks or runs at most; \
            if there are more, `more` is true and at least `total` match.",
        actor: true,
        body: Some(needed(&[(JSON, Of("BulkBody"))])),
        answers: &[
            answer(202, "Begun; `GET /v1/operations/{id}` tells how far it is", Of("Operation")),
            answer(200, "A dry run: how many match now", Of("Operation")),
        ],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            LIST,
            &["TOO_MANY_OPERATIONS", "TOO_MANY_ENTRIES", "UNKNOWN_EXECUTOR"],
        ],
        ..CHANGE
    },
    Operation {
        id: "listOperations",
        tag: "operations",
        rest: (GET, "/v1/operations"),
        grpc: At("OperationService/List"),
        cli: At("operation list"),
        summary: "Bulk operations, newest first",
        query: &[LIMIT, cursor("^[0-9]{1,20}$")],
        answers: &[answer(200, "A page; it may be short although another follows", Of("OperationPage"))],
        errors: &[GUARDED, SHARD, LIST],
        ..READ
    },
    Operation {
        id: "cancelOperation",
        tag: "operations",
        rest: (POST, "/v1/operations/{id}:cancel"),
        grpc: At("OperationService/Cancel"),
        cli: At("operation cancel"),
        summary: "End a bulk operation before it is through; what it did stays done",
        actor: true,
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Done", Of("Operation"))],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            &["OPERATION_NOT_FOUND", "OPERATION_NOT_RUNNING", "ROUTE_NOT_FOUND"],
        ],
        ..CHANGE
    },
    Operation {
        id: "getOperation",
        tag: "operations",
        rest: (GET, "/v1/operations/{id}"),
        grpc: At("OperationService/Get"),
        cli: At("operation get"),
        summary: "How far a bulk operation has come",
        answers: &[answer(200, "The operation", Of("Operation"))],
        errors: &[GUARDED, SHARD, &["OPERATION_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "getStats",
        tag: "server",
        rest: (GET, "/v1/stats"),
        grpc: At("StatsService/Get"),
        cli: At("stats"),
        summary: "How much waits and runs, by pool, band and tenant",
        answers: &[answer(200, "Figures", Of("Stats"))],
        errors: &[GUARDED, SHARD],
        ..READ
    },
    Operation {
        id: "getAttention",
        tag: "server",
        rest: (GET, "/v1/attention"),
        grpc: At("StatsService/Attention"),
        cli: At("attention"),
        summary: "What needs a person, the most harmful first",
        details: "Each finding has a sentence, since when, how many, an example and, where there is one, the call that helps. \
            Failed runs are those of the last 24 hours.",
        answers: &[answer(200, "Findings and a few figures", Of("Attention"))],
        errors: &[GUARDED, SHARD],
        ..READ
    },
    Operation {
        id: "getSystem",
        tag: "server",
        rest: (GET, "/v1/system"),
        grpc: At("StatsService/System"),
        cli: At("system"),
        summary: "The server itself: version, journal, tables, what it holds, settings",
        answers: &[answer(200, "The server", Of("System"))],
        errors: &[GUARDED, SHARD],
        ..READ
    },
    Operation {
        id: "listQuarantinedRows",
        tag: "server",
        rest: (GET, "/v1/store/quarantine"),
        grpc: At("StoreService/ListQuarantined"),
        cli: At("store quarantine"),
        summary: "Rows of the tables that cannot be read",
        answers: &[answer(200, "The rows", Of("Quarantine"))],
        errors: &[GUARDED, SHARD],
        ..READ
    },
    Operation {
        id: "releaseQuarantinedRow",
        tag: "server",
        rest: (POST, "/v1/store/quarantine/{row}:release"),
        grpc: At("StoreService/Release"),
        cli: At("store release"),
        summary: "Read a quarantined row again after it was repaired",
        actor: true,
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "The rows that are still quarantined", Of("Quarantine"))],
        errors: &[GUARDED, SHARD, BODY, &["ROW_NOT_QUARANTINED", "ROUTE_NOT_FOUND"]],
        ..ONCE
    },
    Operation {
        id: "getHealth",
        tag: "server",
        rest: (GET, "/healthz"),
        grpc: Never,
        cli: Never,
        summary: "Whether the server makes progress",
        answers: &[
            answer(200, "It does. A slow or full disk does not change that", Of("Health")),
            answer(503, "A thread is stuck, and only a restart helps; `reasons` says which", Of("Health")),
        ],
        errors: &[OPEN],
        ..READ
    },
    Operation {
        id: "getReadiness",
        tag: "server",
        rest: (GET, "/readyz"),
        grpc: Never,
        cli: Never,
        summary: "It can take work",
        answers: &[
            answer(200, "It can", Of("Readiness")),
            answer(
                503,
                "It cannot; `status` and `reasons` say why: stopping, the shard has stopped or makes \
                no progress, a slow or full disk, failing tables, a data directory that is gone, a \
                clock that is held",
                Of("Readiness"),
            ),
        ],
        errors: &[OPEN],
        ..READ
    },
    Operation {
        id: "getMetrics",
        tag: "server",
        rest: (GET, "/metrics"),
        grpc: Never,
        cli: Never,
        summary: "Figures in OpenMetrics text",
        answers: &[Answer {
            status: 200,
            what: "Metrics",
            media_type: "application/openmetrics-text",
            schema: Text,
            headers: &[],
        }],
        errors: &[GUARDED],
        ..READ
    },
    Operation {
        id: "getOpenApi",
        tag: "documents",
        rest: (GET, "/openapi.json"),
        grpc: Never,
        cli: Never,
        summary: "This document",
        answers: &[answer(200, "OpenAPI", Object(""))],
        errors: &[GUARDED],
        ..READ
    },
    Operation {
        id: "getDocs",
        tag: "documents",
        rest: (GET, "/docs"),
        grpc: Never,
        cli: Never,
        summary: "This document, to read",
        answers: &[Answer {
            status: 200,
            what: "A page",
            media_type: "text/html",
            schema: Text,
            headers: &[],
        }],
        errors: &[GUARDED],
        ..READ
    },
    Operation {
        id: "getErrorPage",
        tag: "documents",
        rest: (GET, "/docs/errors/{code}"),
        grpc: Never,
        cli: Never,
        summary: "What an error means and what to do",
        answers: &[Answer {
            status: 200,
            what: "A page",
            media_type: "text/markdown",
            schema: Text,
            headers: &[],
        }],
        errors: &[GUARDED, &["ROUTE_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "getJobSchema",
        tag: "documents",
        rest: (GET, "/schema/job.json"),
        grpc: Never,
        cli: Never,
        summary: "JSON Schema of a job file",
        answers: &[answer(200, "The schema", Object(""))],
        errors: &[GUARDED],
        ..READ
    },
];
