//! Examples of the document: a body for each operation that takes one, and an answer for each schema that is answered.
//! The tests below read the bodies as the server does, and hold the answers against their schemas.

use serde_json::{Value, json};

use crate::catalog::{Answer, Schema};

const TASK: &str = "task_019a88f04c007d3e8b5f6a7c8d9e0f10";
const RUN: &str = "run_019a88f04c007d3e8b5f6a7c8d9e0f11";
const AT: &str = "2026-11-18T03:00:00.000Z";

pub(super) fn request(operation: &str, media_type: &str) -> Value {
    if media_type == "application/x-ndjson" {
        return format!("{}\n{}\n", task(), json!({"task_type": "noop"})).into();
    }
    let who = json!({"actor": "ana", "reason": "the disk is full"});
    let event = json!({
        "specversion": "1.0", "id": "order-77", "source": "/shop", "type": "com.example.order.placed",
        "data": {"amount": 12},
    });
    match operation {
        "submitTask" => task(),
        "submitTasks" => json!([task(), {"task_type": "noop"}]),
        "cancelTasks" => json!({"tenant": "acme", "labels": {"team": "ops"}}),
        "amendTask" => json!({"delay_ms": 60_000, "priority": "P0"}),
        "forceTaskState" => json!({"state": "succeeded", "actor": "ana", "reason": "done by hand"}),
        "requeueDeadLetters" | "discardDeadLetters" => json!({"ids": [TASK], "actor": "ana"}),
        "applyJobs" => {
            json!({"job": "report", "schedule": "0 3 * * *", "tasks": {"make": {"run": ["./report.sh"]}}})
        }
        "triggerJob" => json!({"parameters": {}, "run_key": "2026-11-18"}),
        "cancelRuns" => json!({"job": "report", "actor": "ana"}),
        "clearRun" => {
            json!({"tasks": ["load"], "items": [7, 14], "actor": "ana", "reason": "the disk was full"})
        }
        "forceRunState" => json!({"state": "failed", "actor": "ana", "reason": "no longer needed"}),
        "rerunRun" => json!({"from": "failure", "version": "same"}),
        "publishEvents" if media_type.contains("batch") => json!([event]),
        "publishEvents" => event,
        "receiveWebhook" => json!({"order": 77}),
        "previewCron" => json!({"expr": "0 9 * * MON-FRI", "timezone": "America/New_York", "count": 3}),
        "putSchedule" => json!({"cron": "0 3 * * *", "timezone": "Europe/Berlin", "catch_up": 1}),
        "createBackfill" => json!({
            "job": "report", "from": "2026-11-01T00:00:00Z", "to": "2026-11-08T00:00:00Z", "only": "missing",
            "dry_run": true,
        }),
        _ => who,
    }
}

fn task() -> Value {
    json!({
        "task_type": "http",
        "payload": {"url": "https://example.com/hook", "method": "POST"},
        "retry_policy": {"max_retries": 3, "backoff": "exponential"},
        "labels": {"team": "ops"},
    })
}

/// Of the feed.
const LINE: &str = concat!(
    r#"{"specversion":"1.0","id":"3-48211","source":"/mainspring","type":"mainspring.run.succeeded","#,
    r#""subject":"run_019a88f04c007d3e8b5f6a7c8d9e0f12","time":"2026-11-18T09:30:00Z","#,
    r#""datacontenttype":"application/json","data":{"tenant":"default","job":"report","state":"succeeded","record":48211}}"#,
    "\n"
);

pub(super) fn answer(operation: &str, answer: &Answer) -> Option<Value> {
    match (operation, answer.schema, answer.status) {
        ("getHealth" | "getReadiness", _, 503) => None,
        ("getTaskLogs", ..) => Some(json!("orders of 2026-01-31\nthe disk is full\n")),
        ("listenToEvents", ..) => Some(json!(LINE)),
        ("getMetrics", ..) => {
            Some(json!("mainspring_attempts_ended_total{outcome=\"succeeded\"} 17\n# EOF\n"))
        }
        ("getErrorPage", ..) => Some(json!("# TASK_NOT_FOUND\n\nThere is no task with this id.\n")),
        (_, Schema::Of(name), _) => of(name),
        (_, Schema::OneOf([name, ..]), _) => of(name),
        _ => None,
    }
}

pub(super) fn refusal() -> Value {
    json!({
        "error_code": "TASK_NOT_FOUND", "message": format!("there is no task `{TASK}`"),
        "advice": "check the id; ended tasks are kept as long as history is", "request_id": "req_7f3a",
        "docs": "/docs/errors/TASK_NOT_FOUND",
    })
}

fn of(schema: &str) -> Option<Value> {
    tasks(schema)
        .or_else(|| flows(schema))
        .or_else(|| schedules(schema))
        .or_else(|| server(schema))
        .or_else(|| queues(schema))
        .or_else(|| views_of_runs(schema))
}

fn tasks(schema: &str) -> Option<Value> {
    let done = json!({"task_id": TASK, "state": "queued", "status": "QUEUED", "message": "the task is queued again"});
    let accepted = json!({"task_id": TASK, "state": "queued", "status": "QUEUED", "created_at": AT});
    let brief = json!({
        "task_id": TASK, "state": "succeeded", "status": "COMPLETED", "tenant": "default", "task_type": "process", "pool": "default",
        "priority": {"band": "P1", "level": 5}, "delivery": "at_least_once", "created_at": AT, "updated_at": AT,
        "started_at": AT, "ended_at": AT, "attempt_count": 1, "retry_count": 0, "max_retries": 3,
        "cancel_requested": false, "attempts": [],
    });
    let mut whole = brief.clone();
    whole["payload"] = json!({"argv": ["./report.sh"]});
    whole["output"] = json!({"rows": 12});
    Some(match schema {
        "Accepted" => accepted,
        "BatchResult" => json!({"results": [accepted], "accepted": 1, "refused": 0}),
        "Task" => whole,
        "TaskPage" => json!({"tasks": [brief], "next_cursor": "m0.3.12"}),
        "Changed" => done,
        "TaskHistory" => json!({
            "task_id": TASK, "attempts_dropped": 0,
            "changes": [
                {"at": AT, "state": "queued", "cause": "submitted"},
                {"at": AT, "state": "assigned", "cause": "assigned", "attempt": 1, "worker": "worker_019a88f04c007d3e8b5f6a7c8d9e0f14"},
                {"at": AT, "state": "succeeded", "cause": "attempt_succeeded", "attempt": 1},
            ],
        }),
        "LogHits" => json!({
            "attempt": 1, "from": 0, "next_offset": 1_048_576, "looked_at": 1_048_576, "complete": true,
            "hits": [{"line": 812, "offset": 40_961, "before": "[load] ", "match": "error", "after": ": no such table",
                "cut": false}],
        }),
        "DeadLetterGroups" => json!({"groups": [{
            "fingerprint": "0f3a91c27b5de846", "tenant": "default", "job": "report", "class": "transient", "code": 3,
            "message": "exit code 3", "count": 12, "in_runs": 0, "first_at": AT, "last_at": AT, "sample_task_id": TASK,
        }], "more": false}),
        "ManyResult" => json!({"results": [done], "done": 1, "refused": 0}),
        "Diagnosis" => json!({
            "task_id": TASK, "state": "queued", "reason": "no_workers",
            "message": "no worker of pool `gpu` is connected", "advice": "start a worker of pool `gpu`",
        }),
        "Operation" => operation(),
        "OperationPage" => json!({"operations": [operation()]}),
        _ => return None,
    })
}

fn flows(schema: &str) -> Option<Value> {
    let job = json!({
        "tenant": "default", "job": "report", "version": 2, "state": "active", "tasks": 1, "created_at": AT,
        "updated_at": AT, "revision": 1_767_225_600_000_u64, "active_runs": 0, "waiting_runs": 0,
    });
    let run = json!({
        "run_id": RUN, "tenant": "default", "job": "report", "version": 2, "state": "succeeded",
        "trigger": "schedule", "created_at": AT, "started_at": AT, "ended_at": AT, "counts": {"succeeded": 1},
        "tasks_total": 1,
    });
    Some(match schema {
        "Job" => job,
        "JobPage" => json!({"jobs": [job]}),
        "Applied" => json!({
            "jobs": [{"tenant": "default", "job": "report", "version": 2, "change": "updated",
                "revision": 1_767_225_600_000_u64}], "dry_run": false,
        }),
        "JobDone" => json!({"tenant": "default", "job": "report", "message": "the job goes on"}),
        "Triggered" => json!({"run_id": RUN, "tenant": "default", "job": "report", "duplicate": false}),
        "VersionPage" => json!({"versions": [{"version": 2, "applied_at": AT}]}),
        "Version" => json!({
            "tenant": "default", "job": "report", "version": 2, "applied_at": AT,
            "definition": {"job": "report", "tasks": {"make": {"run": ["./report.sh"]}}},
        }),
        "Run" => run,
        "RunPage" => json!({"runs": [run]}),
        "RunDone" => json!({"run_id": RUN, "state": "running", "message": "the run goes on"}),
        "JobStats" => json!({
            "tenant": "default", "job": "report", "looked_at": 100, "is_all": false, "oldest_at": AT, "newest_at": AT,
            "all": {
                "runs": 100, "succeeded": 97, "failed": 3, "cancelled": 0, "success_rate": 0.97, "p50_ms": 41_000,
                "p95_ms": 66_000,
            },
            "versions": [{
                "version": 3, "runs": 100, "succeeded": 97, "failed": 3, "cancelled": 0, "success_rate": 0.97,
                "p50_ms": 41_000, "p95_ms": 66_000,
            }],
        }),
        "ItemPage" => json!({
            "items": [{
                "index": 7, "state": "failed", "task_id": TASK, "value": "part-7.csv",
                "error": {"class": "permanent", "code": 1, "message": "ended with code 1"},
            }],
            "count": 20_000, "looked_at": 20_000,
        }),
        "Rerun" => json!({"run_id": RUN, "rerun_of": "run_019a88f04c007d3e8b5f6a7c8d9e0f12"}),
        "Graph" => json!({
            "names": ["fetch", "make"], "edges": [0, 1], "layer": [0, 1], "y": [0, 0], "layers": 2, "height": 100, "bends": [],
            "mapped": [], "runs": [],
        }),
        "RunStates" => json!({
            "run_id": RUN, "state": "running", "created_at": AT, "states": "sr", "started": [5, 120], "ended": [118, -1],
            "items": [],
        }),
        "Grid" => json!({
            "tasks": ["fetch", "make"],
            "runs": [{"run_id": RUN, "version": 2, "state": "running", "created_at": AT, "started_at": AT, "states": "sr"}],
        }),
        _ => return None,
    })
}

fn schedules(schema: &str) -> Option<Value> {
    let named = json!({"tenant": "default", "job": "report", "name": "default"});
    let with = |fields: Value| {
        let mut all = named.clone();
        if let (Some(all), Value::Object(fields)) = (all.as_object_mut(), fields) {
            all.extend(fields);
        }
        all
    };
    let schedule = with(json!({
        "state": "on", "description": "at 03:00", "cron": "0 3 * * *", "timezone": "UTC", "next": AT, "fired": 17,
        "skipped": 0, "missed": 0, "active": 0, "waiting": 0, "overlap": "forbid", "max_active": 1, "catch_up": 0,
        "misfire_grace": "5m", "in_file": true, "created_at": AT, "updated_at": AT,
        "revision": 1_767_225_600_000_u64,
    }));
    let range = json!({
        "tenant": "default", "job": "report", "schedule": "default", "from": AT, "to": AT, "only": "missing",
        "order": "oldest", "version": 2, "windows": 7,
    });
    let also = |fields: Value| {
        let mut all = range.clone();
        if let (Some(all), Value::Object(fields)) = (all.as_object_mut(), fields) {
            all.extend(fields);
        }
        all
    };
    let backfill = also(json!({
        "backfill_id": "backfill_019a88f04c007d3e8b5f6a7c8d9e0f13", "state": "running", "max_active": 4,
        "started": 4, "active": 2, "succeeded": 2, "failed": 0, "oldest": AT, "newest": AT, "created_at": AT,
        "updated_at": AT,
    }));
    let trigger = with(json!({"max_active": 16, "active": 0, "fired": 3, "skipped": 0, "errors": 0}));
    Some(match schema {
        "Schedule" => schedule,
        "SchedulePage" => json!({"schedules": [schedule]}),
        "ScheduleStored" => with(json!({"changed": true, "next": AT, "revision": 1_767_225_600_000_u64})),
        "ScheduleDone" => with(json!({"message": "the schedule goes on"})),
        "WindowPage" => json!({"windows": [
            {"first": AT, "last": AT, "count": 1, "outcome": "ran", "run_id": RUN, "decided_at": AT},
        ]}),
        "UpcomingPage" => json!({"windows": [with(json!({
            "at": AT, "begins_at": AT, "description": "at 03:00",
        }))]}),
        "Recurring" => {
            json!({
                "task_id": "schedule_0000000000000007", "created_at": AT, "schedule": "@tasks/backup", "tenant": "default", "next": AT, "state": "pending", "status": "PENDING",
            })
        }
        "Backfill" => backfill,
        "BackfillPage" => json!({"backfills": [backfill]}),
        "BackfillPlan" => also(json!({"in_range": 7, "ran": 0})),
        "BackfillDone" => json!({
            "backfill_id": "backfill_019a88f04c007d3e8b5f6a7c8d9e0f13", "state": "paused",
            "message": "no further window begins",
        }),
        "Trigger" => trigger,
        "TriggerPage" => json!({"triggers": [trigger]}),
        "Published" => json!({"results": [{
            "id": "order-77", "source": "/shop", "duplicate": false,
            "runs": [{"run_id": RUN, "job": "orders", "trigger": "placed"}], "skipped": [], "errors": [],
        }]}),
        "CronPreview" => json!({
            "expr": "0 9 * * MON-FRI", "timezone": "America/New_York", "description": "at 09:00 on weekdays",
            "runs_through": false, "skipped": 0,
            "next": [{"at": "2026-11-18T14:00:00Z", "local": "2026-11-18T09:00:00-05:00", "skipped": 0}],
        }),
        _ => return None,
    })
}

fn server(schema: &str) -> Option<Value> {
    let worker = json!({
        "worker_id": "worker_019a88f04c007d3e8b5f6a7c8d9e0f14", "name": "build-1", "version": "0.1.0",
        "state": "healthy", "pool": "default", "zone": "", "slots": 8, "running": 2, "utilisation_percent": 25,
        "cordoned": false, "cordon": null, "connected": true, "silent_ms": 120, "labels": {}, "cpu_milli": 8000,
        "memory_bytes": 17_179_869_184_u64, "disk_bytes": 107_374_182_400_u64, "gpus": 0, "custom": {},
        "executors": ["process", "http"],
    });
    Some(match schema {
        "Worker" => worker,
        "WorkerPage" => json!({"workers": [worker]}),
        "Cordoned" => json!({
            "worker_id": worker["worker_id"], "state": "cordoned", "cordoned": true,
            "cordon": {"draining": false, "actor": "ada", "reason": "new kernel", "since": AT}, "running": 2,
        }),
        "System" => json!({
            "version": "0.1.0", "started_at": AT, "at": AT, "epoch": 3, "records": 48_211, "tables_through": 48_200,
            "events_behind": 22, "bytes_behind": 4_096, "journal_bytes": 9_437_184, "tasks_in_memory": 12, "keys_in_memory": 4,
            "schedules_armed": 7, "workers": 2, "sessions": 2, "listeners": 1, "reasons": [],
            "settings": {"lease_ms": 30_000, "heartbeat_ms": 10_000, "log_days": 7, "history_days": 90, "key_life_ms": 86_400_000,
                "job_tasks_max": 10_000, "body_bytes_max": 2_097_152, "connections_max": 20_000, "insecure": false},
        }),
        "LedgerPage" => json!({"windows": [{
            "tenant": "default", "job": "report", "name": "morning", "first": AT, "last": AT, "count": 1, "outcome": "skipped",
            "reason": "paused", "decided_at": AT,
        }], "more": false}),
        "Stats" => json!({
            "depths": [{"pool": "default", "band": "P1", "tenant": "default", "queued": 0, "running": 2}],
            "tasks_in_memory": {"running": 2}, "queued": 0, "running": 2, "workers": 1, "sessions": 1,
            "stale_reports": 0, "workers_lost": 0,
        }),
        "Attention" => json!({
            "record": 120, "at": AT, "findings": [{
                "kind": "runs_failed", "harm": 3, "message": "2 runs of `report` failed in the last 24 hours",
                "advice": "look at the newest one, repair the cause, then clear what failed in it", "count": 2, "since": AT,
                "tenant": "default", "job": "report", "example": {"id": RUN, "text": "`make` failed"},
                "action": {
                    "title": "Clear failed", "effect": "Runs what failed in the newest of these runs again.",
                    "method": "POST", "path": format!("/v1/runs/{RUN}:clear"), "body": {}, "command": ["run", "clear", RUN],
                },
            }],
            "figures": {
                "runs_active": 3, "runs_failed": 2, "tasks_running": 2, "tasks_queued": 0, "workers": 1, "slots": 8,
            },
        }),
        "Series" => json!({
            "step_ms": 10_000, "from": AT, "queued": [4, 0], "running": [2, 2], "submitted": [6, 0], "started": [2, 4],
            "succeeded": [2, 3], "failed": [0, 1], "retried": [0, 0],
        }),
        "Quarantine" => json!({"rows": [{"row": TASK, "why": "its checksum is wrong", "since": AT}]}),
        "Health" => json!({"status": "ok"}),
        "Readiness" => json!({"status": "ready", "records": 120, "checkpointed": 118, "tasks_in_memory": 2}),
        _ => return None,
    })
}

fn views_of_runs(schema: &str) -> Option<Value> {
    Some(match schema {
        "Timeline" => json!({
            "run_id": RUN, "state": "succeeded", "created_at": AT, "started_at": AT, "ended_at": AT, "at": AT,
            "totals": [{"cause": "run", "ms": 5200}, {"cause": "limit", "ms": 1400}],
            "tasks": [{
                "name": "load", "state": "succeeded", "task_id": TASK, "critical": true, "spans": [
                    {"cause": "limit", "from_ms": 2, "to_ms": 1402, "limit": "warehouse"},
                    {"cause": "run", "from_ms": 1402, "to_ms": 6602},
                ],
            }],
            "more": false,
        }),
        "RunDiagnosis" => json!({
            "run_id": RUN, "tenant": "default", "job": "report", "state": "running", "reason": "working",
            "message": "1 task is queued or running", "advice": "wait", "since": AT, "tasks": [], "tasks_more": 0,
        }),
        _ => return None,
    })
}

fn queues(schema: &str) -> Option<Value> {
    let pool = json!({
        "pool": "default", "workers": 1, "workers_away": 0, "slots": 8, "used": 2, "utilisation_percent": 25,
        "queued": 0, "queued_by_band": {}, "running_by_band": {"P1": 2}, "tenants": 1,
    });
    Some(match schema {
        "Pool" => pool,
        "PoolPage" => json!({"pools": [pool]}),
        "WaitingPage" => json!({
            "waiting": [{
                "reason": "limit", "limit": "warehouse", "pool": "default", "band": "P1", "tenant": "default", "queued": 8000,
                "oldest_since": AT, "example": TASK, "message": "limit `warehouse` has 4 of at most 4 holders",
                "advice": "wait until one of the holders ends, or raise `max` of limit `warehouse`",
            }],
            "queues": [{
                "pool": "default", "band": "P1", "tenant": "default", "queued": 8000, "running": 4, "oldest_since": AT,
                "started_per_minute": 400, "drained_in_ms": 1_200_000,
            }],
            "more": false,
        }),
        "LimitPage" => json!({
            "limits": [{
                "limit": "warehouse", "tenant": "default", "max": 4, "configured": true, "keys": 1, "full": 1, "used": 4,
                "queued": 8000, "holders": [TASK], "busiest": [{"key": "", "max": 4, "used": 4, "queued": 8000}],
            }],
            "more": false,
        }),
        _ => return None,
    })
}

fn operation() -> Value {
    json!({
        "operation_id": 7, "state": "ended", "verb": "retry_tasks", "selector": {"job": "report"}, "actor": "anna",
        "reason": "the mail server is back", "started_at": AT, "ended_at": AT, "total": 120, "looked_at": 120,
        "handled": 118, "refused": 2,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde::de::DeserializeOwned;
    use serde_json::Map;

    use super::super::schemas;
    use super::*;
    use crate::catalog::operations;
    use crate::wire;

    #[test]
    fn every_answer_in_json_has_an_example() {
        for operation in operations() {
            for one in operation.answers.iter().filter(|answer| matches!(answer.schema, Schema::Of(_))) {
                assert!(
                    answer(operation.id, one).is_some() || one.status == 503,
                    "{} {}",
                    operation.id,
                    one.status
                );
            }
        }
    }

    /// Read as the server reads it.
    fn reads<T: DeserializeOwned>(operation: &str) {
        let body = request(operation, "application/json");
        let read = serde_json::from_value::<T>(body);
        assert!(read.is_ok(), "{operation}: {:?}", read.err());
    }

    #[test]
    fn examples_of_bodies_can_be_read() {
        let task = request("submitTask", "application/json").to_string();
        assert!(serde_json::from_str::<wire::TaskBody<'_>>(&task).is_ok());
        let amend = request("amendTask", "application/json").to_string();
        assert!(serde_json::from_str::<wire::AmendBody<'_>>(&amend).is_ok());
        reads::<wire::SelectorBody>("cancelTasks");
        reads::<wire::ForceTaskBody>("forceTaskState");
        reads::<wire::DeadLettersBody>("requeueDeadLetters");
        reads::<wire::RunSelectorBody>("cancelRuns");
        reads::<wire::ClearBody>("clearRun");
        reads::<wire::ForceRunBody>("forceRunState");
        reads::<wire::CronPreviewBody>("previewCron");
        reads::<wire::OverrideBody>("pauseJob");
        let job = request("applyJobs", "application/json").to_string();
        let limits = mainspring_definition::limits::Limits::default();
        let options = mainspring_definition::Options { tenant: "default", limits };
        let read = mainspring_definition::read("", &job, &options);
        assert!(read.is_ok(), "{:?}", read.err());
    }

    /// An answer has what its schema requires, and nothing that its schema does not know.
    #[test]
    fn examples_of_answers_fit_their_schemas() {
        let schemas = schemas::all();
        let mut seen = BTreeSet::new();
        for name in schemas.keys() {
            if let Some(example) = of(name) {
                seen.insert(name.clone());
                fits(&schemas, &schemas[name], &example, name);
            }
        }
        fits(&schemas, &schemas["Error"], &refusal(), "Error");
        assert!(seen.len() > 35, "{seen:?}");
    }

    fn fits(schemas: &Map<String, Value>, schema: &Value, value: &Value, place: &str) {
        if let Some(name) = schema["$ref"].as_str().and_then(|target| target.rsplit('/').next()) {
            return fits(schemas, &schemas[name], value, place);
        }
        if let (Some(properties), Some(fields)) = (schema["properties"].as_object(), value.as_object()) {
            for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                assert!(fields.contains_key(name), "{place} lacks `{name}`");
            }
            for (name, field) in fields {
                let property = properties.get(name).unwrap_or_else(|| panic!("{place} has no `{name}`"));
                fits(schemas, property, field, &format!("{place}.{name}"));
            }
        }
        if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
            for value in values {
                fits(schemas, items, value, place);
            }
        }
        if let Some(words) = schema["enum"].as_array() {
            assert!(words.contains(value), "{place} cannot be {value}");
        }
    }
}
