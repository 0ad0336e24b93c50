//! Every place that mints an id, with tenants in three groups: the id lies in its tenant's group and in the sub of its
//! kind (BK-1, BK-2). `mainspring sim` checks the same of every id and row of its worlds.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use mainspring_api::ApiConfig;
use mainspring_core::values::{Bucket, Group, Groups, RunId, TaskId};
use mainspring_runtime::ShardConfig;
use serde_json::{Value, json};

use crate::rig::Rig;

const TENANTS: [&str; 3] = ["acme", "beta", "corp"];
/// Everything that begins a run, as runs say it.
const BEGUN_BY: [&str; 6] = ["backfill", "event", "manual", "parent", "rerun", "schedule"];

const FILE: &str = r#"
job: small
tenant: TENANT
tasks: { x: { noop: {} } }
---
job: flow
tenant: TENANT
schedules: [{ name: beat, every: 1s }]
triggers: [{ name: told, event: { type: "order.*" } }]
tasks: { x: { noop: {} }, inner: { job: small } }
"#;

fn groups() -> Groups {
    Groups::assigned_by(|tenant| {
        let place = TENANTS.iter().position(|known| *known == tenant);
        Group::new([3, 77, 255, 9][place.unwrap_or(3)])
    })
}

#[track_caller]
fn id(answer: &Value, field: &str) -> String {
    answer[field].as_str().unwrap_or_else(|| panic!("no {field}: {answer}")).to_owned()
}

/// All that begins something, once for the tenant. Gives back the tasks that have a key, and those that have none.
async fn begin_all(rig: &Rig, tenant: &str) -> (Vec<String>, Vec<String>) {
    let task = |more: Value| {
        let mut body = json!({"task_type": "noop", "tenant": tenant});
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        body.to_string()
    };
    let plain = rig.submit(&task(json!({}))).await.task_id();
    let late = rig.submit(&task(json!({"delay_ms": 3_600_000}))).await.task_id();
    let keyed = rig.submit(&task(json!({"idempotency_key": "one"}))).await.task_id();
    let batch = format!("[{},{}]", task(json!({})), task(json!({"idempotency_key": "two"})));
    let batch = rig.call("POST", "/v1/tasks:batch", &batch).await.json();
    let (loose, second) = (id(&batch["results"][0], "task_id"), id(&batch["results"][1], "task_id"));
    let under = task(json!({}));
    let under = rig.call_with("POST", "/v1/tasks", &under, &[("idempotency-key", "three")]).await.task_id();
    let recurring = rig.submit(&task(json!({"every": 1, "name": "beat"}))).await;
    assert_eq!(recurring.status, 202, "{}", recurring.text);

    let applied = rig.call("POST", "/v1/jobs", &FILE.replace("TENANT", tenant)).await;
    assert_eq!(applied.status, 200, "{}", applied.text);
    let run = rig.call("POST", &format!("/v1/jobs/flow:trigger?tenant={tenant}"), "{}").await;
    let run = id(&run.json(), "run_id");
    assert_eq!(rig.call("POST", &format!("/v1/runs/{run}:cancel"), "{}").await.status, 200);
    let ended = rig.get(&format!("/v1/runs/{run}?wait=30s")).await.json();
    assert_eq!(ended["state"], "cancelled", "{ended}");
    let again = rig.call("POST", &format!("/v1/runs/{run}:rerun"), "{}").await;
    assert_eq!(again.status, 202, "{}", again.text);
    let event = json!({"specversion": "1.0", "id": "1", "source": "/shop", "type": "order.new"});
    let headers = [("content-type", "application/cloudevents+json"), ("x-mainspring-tenant", tenant)];
    let told = rig.call_with("POST", "/v1/events", &event.to_string(), &headers).await;
    assert_eq!(told.status, 202, "{}", told.text);
    let past = json!({
        "tenant": tenant, "job": "flow", "schedule": "beat",
        "from": "2024-01-01T00:00:00Z", "to": "2024-01-01T00:00:02Z",
    });
    let backfill = rig.call("POST", "/v1/backfills", &past.to_string()).await;
    let backfill = id(&backfill.json(), "backfill_id");
    assert_eq!(bucket(&backfill.replace("backfill_", "task_")), home(tenant), "{backfill}");
    (vec![keyed, second, under], vec![plain, late, loose])
}

fn bucket(id: &str) -> Bucket {
    id.parse::<TaskId>().map(TaskId::bucket).expect("the id of a task")
}

fn home(tenant: &str) -> Bucket {
    Bucket::home(groups().of(tenant))
}

async fn all(rig: &Rig, what: &str, tenant: &str) -> Vec<Value> {
    let page = rig.get(&format!("/v1/{what}?tenant={tenant}&limit=999")).await.json();
    page[what].as_array().unwrap_or_else(|| panic!("no {what}: {page}")).clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_id_lies_in_the_group_of_its_tenant() {
    let config = ApiConfig { groups: groups(), ..ApiConfig::default() };
    let shard = ShardConfig { groups: groups(), ..ShardConfig::default() };
    let rig = Rig::start_with(config, shard).await;
    for tenant in TENANTS {
        let (keyed, anonymous) = begin_all(&rig, tenant).await;
        for id in keyed {
            assert_eq!(bucket(&id), home(tenant), "{id} of {tenant}");
        }
        for id in anonymous {
            let bucket = bucket(&id);
            assert_eq!(bucket.group(), groups().of(tenant), "{id} of {tenant}");
            assert_ne!(bucket.sub(), 0, "{id} of {tenant}");
        }
    }
    for tenant in TENANTS {
        // Windows come by themselves; everything else has begun.
        let deadline = Instant::now() + Duration::from_mins(1);
        let runs = loop {
            let runs = all(&rig, "runs", tenant).await;
            let tasks = all(&rig, "tasks", tenant).await;
            let begun: BTreeSet<&str> = runs.iter().filter_map(|run| run["trigger"].as_str()).collect();
            if begun == BTreeSet::from(BEGUN_BY) && tasks.iter().any(|task| !task["window"].is_null()) {
                break runs;
            }
            assert!(Instant::now() < deadline, "{tenant}: runs were begun only by {begun:?}");
            tokio::task::yield_now().await;
        };
        for run in runs {
            let id: RunId = id(&run, "run_id").parse().expect("the id of a run");
            assert_eq!(id.bucket(), home(tenant), "{run:#}");
        }
        for task in all(&rig, "tasks", tenant).await {
            let named = !task["run_id"].is_null() || !task["window"].is_null();
            let bucket = bucket(&id(&task, "task_id"));
            assert_eq!(bucket.group(), groups().of(tenant), "{task:#}");
            assert!(!named || bucket.sub() == 0, "{task:#}");
        }
    }
    rig.stop().await;
}
