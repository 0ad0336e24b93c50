//! Pictures of jobs and runs, in columns: for screens. What they show, other callers read as runs and versions.

use super::{At, GET, GUARDED, NAMED, Of, Operation, Parameter, READ, SHARD, Shape, TENANT, answer};

/// The tag of operations that exist for a screen only.
pub(super) const TAG: &str = "pictures";

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        id: "getJobGraph",
        tag: TAG,
        rest: (GET, "/v1/jobs/{name}/versions/{version}/graph"),
        grpc: At("PictureService/JobGraph"),
        summary: "The graph of one version of a job, with where each task is drawn",
        details: "It never changes, so the answer may be kept for ever.",
        query: &[
            TENANT,
            Parameter::new(
                "created",
                Shape::Text,
                "When the job was made, as the job says it. Not looked at: it tells jobs of one name on different servers apart \
                 where answers are kept",
            ),
        ],
        answers: &[answer(200, "The graph", Of("Graph"))],
        errors: &[GUARDED, SHARD, NAMED, &["JOB_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "getJobGrid",
        tag: TAG,
        rest: (GET, "/v1/jobs/{name}/grid"),
        grpc: At("PictureService/JobGrid"),
        summary: "The newest runs of a job against its tasks",
        query: &[
            TENANT,
            Parameter::new("runs", Shape::Number { min: 1, max: 100, default: Some(25) }, "How many runs"),
        ],
        answers: &[answer(200, "The grid", Of("Grid"))],
        errors: &[GUARDED, SHARD, NAMED, &["JOB_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "getRunGraph",
        tag: TAG,
        rest: (GET, "/v1/runs/{id}/graph"),
        grpc: At("PictureService/RunGraph"),
        summary: "The graph of a run, with the tasks that it was given on its way",
        details: "The graph of a run that has ended may be kept for ever.",
        answers: &[answer(200, "The graph", Of("Graph"))],
        errors: &[GUARDED, SHARD, &["RUN_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "getRunStates",
        tag: TAG,
        rest: (GET, "/v1/runs/{id}/states"),
        grpc: At("PictureService/RunStates"),
        summary: "The states and times of all tasks of a run, in columns, in the order of its graph",
        answers: &[answer(200, "The states", Of("RunStates"))],
        errors: &[GUARDED, SHARD, &["RUN_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "getSeries",
        tag: TAG,
        rest: (GET, "/v1/stats/series"),
        grpc: At("StatsService/Series"),
        summary: "How much waited, ran and ended over time",
        details: "An hour in steps of 1 s, a day in steps of 10 s, 90 days in steps of 5 min; in memory, so a server that starts \
            anew begins with none. Other programs have the counters of `/metrics`.",
        query: &[
            Parameter::new(
                "step",
                Shape::Words(&["1s", "10s", "5m"]),
                "The length of a step; `10s` unless said",
            ),
            Parameter::new(
                "points",
                Shape::Number { min: 1, max: 8640, default: Some(360) },
                "How many steps, the newest",
            ),
        ],
        answers: &[answer(200, "Columns of equal length", Of("Series"))],
        errors: &[GUARDED],
        ..READ
    },
];
