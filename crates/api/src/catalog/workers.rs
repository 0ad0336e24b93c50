//! Workers and pools.

use super::{
    At, BODY, CHANGE, GET, GUARDED, JSON, KEYED, LIST, NAMED, Of, Operation, POST, Parameter, READ, SHARD,
    Shape, answer, optional,
};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        id: "listWorkers",
        tag: "workers",
        rest: (GET, "/v1/workers"),
        grpc: At("WorkerAdminService/List"),
        cli: At("worker list"),
        summary: "Who works, and how full they are",
        query: &[
            Parameter::new("pool", Shape::Name, "Only of this pool"),
            Parameter::new(
                "state",
                Shape::Words(&["healthy", "cordoned", "draining", "drained", "unhealthy", "disconnected"]),
                "Only in this state",
            ),
        ],
        answers: &[answer(200, "All workers", Of("WorkerPage"))],
        errors: &[GUARDED, SHARD, LIST],
        ..READ
    },
    Operation {
        id: "getWorker",
        tag: "workers",
        rest: (GET, "/v1/workers/{id}"),
        grpc: At("WorkerAdminService/Get"),
        cli: At("worker get"),
        summary: "One worker",
        answers: &[answer(200, "The worker", Of("Worker"))],
        errors: &[GUARDED, SHARD, &["WORKER_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "cordonWorker",
        tag: "workers",
        rest: (POST, "/v1/workers/{id}:cordon"),
        grpc: At("WorkerAdminService/Cordon"),
        cli: At("worker cordon"),
        summary: "Give it nothing new, over restarts of the worker and of the server",
        actor: true,
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Done", Of("Cordoned"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, &["TOO_MANY_CORDONS", "WORKER_NOT_FOUND"]],
        ..CHANGE
    },
    Operation {
        id: "drainWorker",
        tag: "workers",
        rest: (POST, "/v1/workers/{id}:drain"),
        grpc: At("WorkerAdminService/Drain"),
        cli: At("worker drain"),
        summary: "Let a worker become empty: it gets nothing new, what it runs goes on, and it is \
                told. `:uncordon` takes it back",
        actor: true,
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Done", Of("Cordoned"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, &["TOO_MANY_CORDONS", "WORKER_NOT_FOUND"]],
        ..CHANGE
    },
    Operation {
        id: "uncordonWorker",
        tag: "workers",
        rest: (POST, "/v1/workers/{id}:uncordon"),
        grpc: At("WorkerAdminService/Uncordon"),
        cli: At("worker uncordon"),
        summary: "Give it work again",
        actor: true,
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Done", Of("Cordoned"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, &["TOO_MANY_CORDONS", "WORKER_NOT_FOUND"]],
        ..CHANGE
    },
    Operation {
        id: "listPools",
        tag: "workers",
        rest: (GET, "/v1/pools"),
        grpc: At("PoolService/List"),
        cli: At("pool list"),
        summary: "Pools: workers, room, and what waits",
        answers: &[answer(200, "All that a worker or a task names", Of("PoolPage"))],
        errors: &[GUARDED, SHARD],
        ..READ
    },
    Operation {
        id: "getPool",
        tag: "workers",
        rest: (GET, "/v1/pools/{name}"),
        grpc: At("PoolService/Get"),
        cli: At("pool get"),
        summary: "One pool",
        answers: &[answer(200, "The pool", Of("Pool"))],
        errors: &[GUARDED, SHARD, NAMED, &["POOL_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "listLimits",
        tag: "workers",
        rest: (GET, "/v1/limits"),
        grpc: At("PoolService/ListLimits"),
        cli: At("limit list"),
        summary: "Named limits: who holds a place, and how many wait for one",
        details: "Those with the most waiting tasks first. A limit is listed while a task or the configuration names it.",
        answers: &[answer(200, "All of them, at most 1,000", Of("LimitPage"))],
        errors: &[GUARDED, SHARD],
        ..READ
    },
    Operation {
        id: "listWaiting",
        tag: "workers",
        rest: (GET, "/v1/waiting"),
        grpc: At("PoolService/ListWaiting"),
        cli: At("task waiting"),
        summary: "What queued tasks wait for, how many, since when, and how fast their queues are worked off",
        details: "Tasks of a pool, band and tenant that wait for the same are one row. `GET /v1/tasks?reason=` lists them.",
        answers: &[answer(200, "All of them, at most 1,000 rows of each list", Of("WaitingPage"))],
        errors: &[GUARDED, SHARD],
        ..READ
    },
];
