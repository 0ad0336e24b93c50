//! Events, webhooks, triggers and the feed of news.

use super::{
    Answer, Any, At, BODY, CHANGE, CURSOR_BY_NAME, GET, GUARDED, JSON, KEYED, LIMIT, LIST, ListOf, NAMED,
    Never, OF_JOB, OF_TENANT, ONCE, OPEN, Of, Operation, POST, Parameter, READ, SHARD, Shape, TENANT, Text,
    answer, needed,
};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        id: "listenToEvents",
        tag: "events",
        rest: (GET, "/v1/events"),
        grpc: At("EventService/Listen"),
        cli: At("events"),
        summary: "News of tasks, runs, jobs, schedules, workers and bulk operations as they happen",
        details: "One CloudEvent a line, from now on; an empty line now and then shows that the \
                connection lives. News are for views and other programs: a caller that is too slow \
                is told by `mainspring.events.lost` how much it has missed. One that lost its connection goes on \
                with `after`: the newest 65,536 events are kept while somebody listens and for a minute after.",
        query: &[
            Parameter::new(
                "kind",
                Shape::Words(&["task", "run", "job", "schedule", "worker", "operation"]),
                "Only of these",
            ),
            Parameter::new("tenant", Shape::Name, "Only of this tenant"),
            OF_JOB,
            Parameter::new("run_id", Shape::Text, "Only of this run and its tasks"),
            Parameter::new(
                "for_ms",
                Shape::Number { min: 1, max: 86_400_000, default: None },
                "End after so long; without it the stream ends when the server stops",
            ),
            Parameter::new(
                "after",
                Shape::Pattern("^[0-9]{1,19}-[0-9]{1,19}$"),
                "The `id` of the last event that the caller had: begin behind it",
            ),
            Parameter::new(
                "digest",
                Shape::Pattern("^(([5-9][0-9]|[1-9][0-9]{2,3}|10000)ms|([1-9]|10)s)$"),
                "One event for all that happened in so long, 50 ms to 10 s, as `250ms`: `mainspring.events.digest` \
                counts tasks by job and state and names the runs that were touched, 200 at most",
            ),
        ],
        answers: &[Answer {
            status: 200,
            what: "`mainspring.task.` with the state it has now; `mainspring.run.created`, `.started`, \
                `.paused`, `.resumed`, `.stopping`, `.cleared`, and `.succeeded`, `.failed` or `.cancelled` at \
                its end; `mainspring.run.task.` with how a task ended that was never released; `mainspring.job.` and \
                `mainspring.schedule.stored`, `.paused`, `.resumed`, `.deleted`, `mainspring.schedule.passed` for windows \
                that began nothing; `mainspring.worker.joined`, `.left`, `.cordon`. `data.record` is the newest record of \
                the journal by then: an answer with that `Mainspring-Record-Seen` has seen it. Workers that come and go are in no record",
            media_type: "application/x-ndjson",
            schema: Text,
            headers: &[],
        }],
        errors: &[GUARDED, SHARD, NAMED, &["FEED_GONE", "TOO_MANY_FOLLOWERS", "RUN_NOT_FOUND"]],
        ..READ
    },
    Operation {
        id: "publishEvents",
        tag: "events",
        rest: (POST, "/v1/events"),
        grpc: At("EventService/Publish"),
        cli: At("event send"),
        summary: "Tell that something happened",
        actor: true,
        details: "CloudEvents 1.0: one as JSON, a batch of at most 100, or binary with the attributes \
                in `ce-` headers. An event is taken once by its source and id, and begins runs of \
                the jobs of its tenant that have a trigger for it.",
        query: &[Parameter::new("tenant", Shape::Name, "Whose event it is; `default` unless said")],
        body: Some(needed(&[
            ("application/cloudevents+json", Of("Event")),
            ("application/cloudevents-batch+json", ListOf("Event", 100)),
            (JSON, Of("Event")),
        ])),
        answers: &[answer(202, "Taken, in the order of the events", Of("Published"))],
        errors: &[
            GUARDED,
            SHARD,
            BODY,
            KEYED,
            NAMED,
            &["EVENT_INVALID", "EVENT_RESERVED", "EVENT_MEDIA_TYPE", "EVENT_BATCH_TOO_LONG", "TOO_MANY_RUNS"],
        ],
        ..CHANGE
    },
    Operation {
        id: "receiveWebhook",
        tag: "events",
        rest: (POST, "/v1/webhooks/{name}"),
        grpc: Never,
        cli: Never,
        summary: "Take a signed call as an event",
        actor: true,
        details: "The settings of the server name webhooks, how each is signed, and with which secrets. Standard \
                Webhooks: `webhook-signature` is over `id.timestamp.body`. GitHub: `X-Hub-Signature-256`. GitLab: \
                `X-Gitlab-Token`. Others: HMAC-SHA256 over the body in a header of their own.",
        headers: &[
            Parameter::new("webhook-id", Shape::Pattern("^[A-Za-z0-9_.-]{1,256}$"), "Standard Webhooks"),
            Parameter::new(
                "webhook-timestamp",
                Shape::Pattern("^[0-9]{10}$"),
                "Standard Webhooks: seconds since 1970; at most five minutes from now",
            ),
            Parameter::new(
                "webhook-signature",
                Shape::Pattern("^v1,[A-Za-z0-9+/]{43}=$"),
                "Standard Webhooks",
            ),
        ],
        body: Some(needed(&[(JSON, Any)])),
        answers: &[answer(202, "Taken", Of("Published"))],
        errors: &[
            OPEN,
            SHARD,
            BODY,
            NAMED,
            &[
                "WEBHOOK_NOT_FOUND",
                "WEBHOOK_SIGNATURE_INVALID",
                "WEBHOOK_TIMESTAMP_INVALID",
                "EVENT_INVALID",
                "TOO_MANY_RUNS",
            ],
        ],
        ..ONCE
    },
    Operation {
        id: "listTriggers",
        tag: "events",
        rest: (GET, "/v1/triggers"),
        grpc: At("TriggerService/List"),
        cli: At("trigger list"),
        summary: "List triggers by tenant, job and name",
        query: &[OF_TENANT, OF_JOB, LIMIT, CURSOR_BY_NAME],
        answers: &[answer(200, "A page", Of("TriggerPage"))],
        errors: &[GUARDED, SHARD, LIST],
        ..READ
    },
    Operation {
        id: "getTrigger",
        tag: "events",
        rest: (GET, "/v1/triggers/{job}/{name}"),
        grpc: At("TriggerService/Get"),
        cli: At("trigger get"),
        summary: "One trigger",
        query: &[TENANT],
        answers: &[answer(200, "The trigger", Of("Trigger"))],
        errors: &[GUARDED, SHARD, NAMED, &["TRIGGER_NOT_FOUND"]],
        ..READ
    },
];
