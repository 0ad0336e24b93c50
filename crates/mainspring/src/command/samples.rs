//! What `mainspring dev` has to show at its first start: jobs with history, a failed run, a run that waits for approval, a
//! limit with tasks that wait for it, windows that were skipped.
//! - SJ-1 a second start of the same data adds nothing: tasks and runs have keys or logical times, and jobs that are there are left alone

use http::Method;
use mainspring_client::{Client, ClientError};
use serde_json::{Value, json};

use crate::token::Secret;

/// Days whose report is made by the first version of its job, and by the second.
const FIRST_DAYS: std::ops::Range<u32> = 21..27;
const SECOND_DAYS: std::ops::Range<u32> = 27..31;

pub(super) async fn submit(url: &str, secret: Option<&Secret>) -> anyhow::Result<()> {
    let mut client = Client::new(url)?;
    if let Some(secret) = secret {
        client = client.with_token(secret.text())?;
    }
    tasks(&client).await?;
    if is_new(&client, "sample-report").await? {
        report_with_history(&client).await?;
    }
    for job in [broken(), overlap(), limit(), items(), approval()] {
        let name = job["job"].as_str().unwrap_or_default().to_owned();
        if is_new(&client, &name).await? {
            apply(&client, &job).await?;
        }
        trigger(&client, &name, &json!({ "run_key": "dev-sample" })).await?;
    }
    Ok(())
}

/// One that succeeds, one that fails until its retries are spent, one for later.
async fn tasks(client: &Client) -> Result<(), ClientError> {
    let quick = json!({ "backoff": "fixed", "initial_delay_ms": 500, "max_retries": 2 });
    let process = |argv: &[&str]| json!({ "task_type": "process", "payload": { "argv": argv } });
    let (mut failing, mut later) = (process(&["false"]), process(&["date"]));
    failing["retry_policy"] = quick;
    later["delay_ms"] = json!(3_600_000);
    for (name, body) in
        [("hello", process(&["echo", "hello from mainspring"])), ("failing", failing), ("later", later)]
    {
        let key = format!("dev-sample-{name}");
        client.call(Method::POST, "/v1/tasks", Some(&body), &[("idempotency-key", &key)]).await?;
    }
    Ok(())
}

/// Its second version is slower: charts and comparisons show where that began.
async fn report_with_history(client: &Client) -> Result<(), ClientError> {
    for (days, forecast) in [(FIRST_DAYS, "0.3"), (SECOND_DAYS, "1.5")] {
        apply(client, &report(forecast)).await?;
        for day in days {
            let day = format!("2026-01-{day}");
            let run = json!({ "logical_time": format!("{day}T03:00:00Z"), "parameters": { "day": day } });
            trigger(client, "sample-report", &run).await?;
        }
    }
    Ok(())
}

async fn is_new(client: &Client, job: &str) -> Result<bool, ClientError> {
    match client.get(&format!("/v1/jobs/{job}")).await {
        Ok(_) => Ok(false),
        Err(refused) if refused.code() == Some("JOB_NOT_FOUND") => Ok(true),
        Err(error) => Err(error),
    }
}

async fn apply(client: &Client, job: &Value) -> Result<(), ClientError> {
    client.call(Method::POST, "/v1/jobs", Some(job), &[]).await.map(|_| ())
}

async fn trigger(client: &Client, job: &str, run: &Value) -> Result<(), ClientError> {
    client.call(Method::POST, &format!("/v1/jobs/{job}:trigger"), Some(run), &[]).await.map(|_| ())
}

/// A job with these tasks and, if there is one, this schedule.
fn sample(name: &str, description: &str, tasks: &Value, schedule: Option<Value>) -> Value {
    let mut job = json!({ "job": name, "description": description, "owner": "dev", "tags": ["sample"], "tasks": tasks });
    if let Some(schedule) = schedule {
        job["schedules"] = json!([schedule]);
    }
    job
}

fn report(forecast: &str) -> Value {
    let step = |seconds: &str, needs: &[&str]| json!({ "run": ["sleep", seconds], "needs": needs });
    let tasks = json!({
        "orders": { "run": ["echo", "orders of {{ params.day }}"] },
        "customers": step("0.4", &[]),
        "join": step("0.3", &["orders", "customers"]),
        "totals": step("0.2", &["join"]),
        "forecast": step(forecast, &["join"]),
        "publish": { "run": ["echo", "published"], "needs": ["totals", "forecast"] },
    });
    let schedule = json!({ "name": "every-ten-minutes", "every": "10m" });
    let what = "Loads two sources, joins them and publishes the result.";
    let mut job = sample("sample-report", what, &tasks, Some(schedule));
    job["parameters"] =
        json!({ "day": { "type": "string", "default": "2026-01-31", "description": "Which day" } });
    job
}

fn broken() -> Value {
    let tasks = json!({
        "fine": { "run": ["echo", "so far so good"] },
        "broken": { "shell": "echo 'the disk is full' >&2; exit 3", "needs": ["fine"], "retries": 0 },
        "after": { "run": ["echo", "never"], "needs": ["broken"] },
    });
    sample("sample-broken", "Fails, to show what that looks like.", &tasks, None)
}

/// Its windows come faster than it runs: some are skipped.
fn overlap() -> Value {
    let schedule = json!({ "name": "often", "every": "30s", "overlap": "forbid" });
    let tasks = json!({ "pause": { "wait": { "for": "50s" } } });
    sample("sample-overlap", "Takes longer than the time to its next window.", &tasks, Some(schedule))
}

/// There is always something that waits for the limit.
fn limit() -> Value {
    let task = json!({ "run": ["sleep", "60"], "limits": ["warehouse"] });
    let tasks = json!({ "load": task, "check": task, "report": task });
    let schedule = json!({ "name": "again", "every": "3m", "overlap": "forbid" });
    sample("sample-limit", "Three tasks that may only run one at a time.", &tasks, Some(schedule))
}

fn items() -> Value {
    let customers: Vec<u32> = (1..=40).collect();
    let tasks = json!({
        "invoice": {
            "for_each": { "items": customers, "tolerate": 3 },
            "env": { "CUSTOMER": "{{ item }}" },
            "shell": "case $CUSTOMER in 7|21|33) echo no address of customer $CUSTOMER >&2; exit 1;; esac",
            "retries": 0,
        },
        "send": { "run": ["echo", "sent"], "needs": ["invoice"] },
    });
    sample("sample-items", "An invoice for each of 40 customers; three have no address.", &tasks, None)
}

fn approval() -> Value {
    let tasks = json!({
        "plan": { "run": ["echo", "three tables change"] },
        "go": { "approve": { "message": "roll it out?", "timeout": "7d" }, "needs": ["plan"] },
        "rollout": { "run": ["echo", "rolled out"], "needs": ["go"] },
    });
    sample("sample-approval", "Waits until somebody approves it.", &tasks, None)
}
