//! Jobs and their versions.

use super::{
    At, BODY, CHANGE, CURSOR_BY_NAME, DELETE, GET, GUARDED, JSON, KEYED, LIMIT, LIST, NAMED, OF_TENANT,
    Object, Of, Operation, POST, Parameter, READ, SHARD, Shape, TENANT, answer, needed, optional,
};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        id: "listJobs",
        tag: "jobs",
        rest: (GET, "/v1/jobs"),
        grpc: At("JobService/List"),
        cli: At("job list"),
        summary: "List jobs by tenant and name",
        query: &[
            OF_TENANT,
            LIMIT,
            CURSOR_BY_NAME,
            Parameter::new(
                "tag",
                Shape::Name,
                "Only jobs with this tag; a page may then be shorter than its limit",
            ),
            Parameter::new(
                "owner",
                Shape::Name,
                "Only jobs of this owner; a page may then be shorter than its limit",
            ),
        ],
        answers: &[answer(200, "A page", Of("JobPage"))],
        errors: &[GUARDED, SHARD, LIST],
        ..READ
    },
    Operation {
        id: "applyJobs",
        tag: "jobs",
        rest: (POST, "/v1/jobs"),
        grpc: At("JobService/Apply"),
        cli: At("apply"),
        summary: "Store the jobs of a job file (YAML or JSON); with a mistake nothing is stored",
        actor: true,
        query: &[
            TENANT,
            Parameter::new("dry_run", Shape::Flag, ""),
            Parameter::new("actor", Shape::Name, "Who does it; in the server's log"),
            Parameter::new("reason", Shape::Name, "Why; in the server's log"),
        ],
        body: Some(needed(&[(JSON, Object("A job file; its schema is at /schema/job.json"))])),
        answers: &[answer(200, "What became of each job", Of("Applied"))],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            NAMED,
            &[
                "JOB_FILE_INVALID",
                "TOO_MANY_JOBS",
                "TOO_MANY_SCHEDULES",
                "TOO_MANY_TRIGGERS",
                "SCHEDULE_NEVER_FIRES",
            ],
        ],
        ..CHANGE
    },
    Operation {
        id: "getJob",
        tag: "jobs",
        rest: (GET, "/v1/jobs/{name}"),
        grpc: At("JobService/Get"),
        cli: At("job get"),
        summary: "One job with its definition",
        query: &[TENANT],
        answers: &[answer(200, "The job", Of("Job"))],
        errors: &[GUARDED, SHARD, NAMED, &["JOB_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "deleteJob",
        tag: "jobs",
        rest: (DELETE, "/v1/jobs/{name}"),
        grpc: At("JobService/Delete"),
        cli: At("job delete"),
        summary: "Delete a job; its runs and versions stay",
        actor: true,
        query: &[
            TENANT,
            Parameter::new("actor", Shape::Name, "Who does it; in the server's log"),
            Parameter::new("reason", Shape::Name, "Why; in the server's log"),
        ],
        answers: &[answer(200, "Deleted", Of("JobDone"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, NAMED, &["JOB_NOT_FOUND"]],
        ..CHANGE
    },
    Operation {
        id: "triggerJob",
        tag: "jobs",
        rest: (POST, "/v1/jobs/{name}:trigger"),
        grpc: At("JobService/Trigger"),
        cli: At("job trigger"),
        summary: "Start a run of a job",
        actor: true,
        query: &[TENANT],
        body: Some(optional(&[(JSON, Of("TriggerBody"))])),
        answers: &[answer(202, "The run is made", Of("Triggered"))],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            NAMED,
            &[
                "JOB_NOT_FOUND",
                "PARAMETERS_INVALID",
                "TOO_MANY_RUNS",
                "TOO_MANY_LABELS",
                "TOO_MANY_ENTRIES",
                "PAYLOAD_TOO_LARGE",
                "MEMORY_FULL",
            ],
        ],
        ..CHANGE
    },
    Operation {
        id: "pauseJob",
        tag: "jobs",
        rest: (POST, "/v1/jobs/{name}:pause"),
        grpc: At("JobService/Pause"),
        cli: At("job pause"),
        summary: "Let no run of a job start",
        actor: true,
        query: &[TENANT],
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Done", Of("JobDone"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, NAMED, &["JOB_NOT_FOUND"]],
        ..CHANGE
    },
    Operation {
        id: "resumeJob",
        tag: "jobs",
        rest: (POST, "/v1/jobs/{name}:resume"),
        grpc: At("JobService/Resume"),
        cli: At("job resume"),
        summary: "Let runs of a job start again",
        actor: true,
        query: &[TENANT],
        body: Some(optional(&[(JSON, Of("OverrideBody"))])),
        answers: &[answer(200, "Done", Of("JobDone"))],
        errors: &[GUARDED, SHARD, BODY, KEYED, NAMED, &["JOB_NOT_FOUND"]],
        ..CHANGE
    },
    Operation {
        id: "listJobVersions",
        tag: "jobs",
        rest: (GET, "/v1/jobs/{name}/versions"),
        grpc: At("JobService/History"),
        cli: At("job history"),
        summary: "Versions of a job, newest first",
        query: &[
            TENANT,
            LIMIT,
            Parameter::new(
                "before",
                Shape::Number { min: 0, max: 4_294_967_295, default: None },
                "Only older ones",
            ),
        ],
        answers: &[answer(200, "A page", Of("VersionPage"))],
        errors: &[GUARDED, SHARD, LIST, &["JOB_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "getJobStats",
        tag: "jobs",
        rest: (GET, "/v1/jobs/{name}/stats"),
        grpc: At("JobService/Stats"),
        cli: At("job stats"),
        summary: "How its newest runs ended and how long they took, in all and by version",
        query: &[
            TENANT,
            Parameter::new(
                "last",
                Shape::Number { min: 1, max: 1000, default: Some(100) },
                "Of so many ended runs, the newest ones",
            ),
        ],
        answers: &[answer(200, "The figures, and how far back they go", Of("JobStats"))],
        errors: &[GUARDED, SHARD, NAMED, &["JOB_NOT_FOUND", "PAGE_TOO_LONG"]],
        ..READ
    },
    Operation {
        id: "getJobVersion",
        tag: "jobs",
        rest: (GET, "/v1/jobs/{name}/versions/{version}"),
        grpc: At("JobService/GetVersion"),
        cli: At("job history"),
        summary: "One version of a job",
        query: &[TENANT],
        answers: &[answer(200, "The version", Of("Version"))],
        errors: &[GUARDED, SHARD, NAMED, &["JOB_NOT_FOUND"]],
        ..READ
    },
];
