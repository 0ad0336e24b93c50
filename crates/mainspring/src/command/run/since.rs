//! What is not as it was when the job last succeeded before a run that failed.

use std::collections::BTreeSet;

use mainspring_client::{Client, ClientError, query};
use serde_json::Value;

use super::super::output::moment;
use super::text;

/// Failed tasks whose worker is compared.
const TASKS_MAX: usize = 3;

/// Empty if the run has not failed.
pub(super) async fn lines(client: &Client, id: &str) -> Result<Vec<String>, ClientError> {
    let run = client.get(&format!("/v1/runs/{id}")).await?;
    if run["state"] != "failed" {
        return Ok(Vec::new());
    }
    let wanted = [
        ("job", run["job"].as_str()),
        ("tenant", run["tenant"].as_str()),
        ("state", Some("succeeded")),
        ("created_before", run["created_at"].as_str()),
        ("limit", Some("1")),
    ];
    let earlier = client.get(&query("/v1/runs", &wanted)).await?;
    let Some(before) = earlier.pointer("/runs/0/run_id").and_then(Value::as_str) else {
        return Ok(vec![String::new(), "no earlier run of this job succeeded".to_owned()]);
    };
    let before = client.get(&format!("/v1/runs/{before}")).await?;
    let (mut changed, mut same) = compared(&run, &before);
    for name in failed(&run).into_iter().take(TASKS_MAX) {
        let (now, then) = (worker(client, &run, &name).await?, worker(client, &before, &name).await?);
        note(&format!("worker of `{name}`"), (now, then), &mut changed, &mut same);
    }
    let mut lines = vec![String::new()];
    lines.push(format!(
        "since the last success, {} at {}",
        text(&before, "run_id"),
        moment(text(&before, "created_at"))
    ));
    lines.extend(changed.iter().map(|what| format!("  changed: {what}")));
    if !same.is_empty() {
        lines.push(format!("  same: {}", same.join(", ")));
    }
    Ok(lines)
}

/// What is shown as changed, and what as the same.
fn compared(run: &Value, before: &Value) -> (Vec<String>, Vec<String>) {
    let (mut changed, mut same) = (Vec::new(), Vec::new());
    let mut field = |name: &str, path: &str| {
        let shown = |run: &Value| run.pointer(path).map(shown).unwrap_or_default();
        note(name, (shown(run), shown(before)), &mut changed, &mut same);
    };
    field("version", "/version");
    field("trigger", "/trigger");
    field("window", "/window/at");
    let keys = |run: &Value| {
        run["parameters"].as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
    };
    let keys: BTreeSet<String> = BTreeSet::union(&keys(run), &keys(before)).cloned().collect();
    for key in keys {
        let value = |run: &Value| run["parameters"].get(&key).map(shown).unwrap_or_default();
        note(&format!("parameter `{key}`"), (value(run), value(before)), &mut changed, &mut same);
    }
    (changed, same)
}

fn note(name: &str, (now, then): (String, String), changed: &mut Vec<String>, same: &mut Vec<String>) {
    match (now, then) {
        (now, then) if now.is_empty() && then.is_empty() => {}
        (now, then) if now == then => same.push(format!("{name} {now}")),
        (now, then) if then.is_empty() => changed.push(format!("{name} is {now}, and was not given")),
        (now, then) if now.is_empty() => changed.push(format!("{name} is not given, and was {then}")),
        (now, then) => changed.push(format!("{name} is {now}, and was {then}")),
    }
}

fn shown(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(60).collect()
}

fn failed(run: &Value) -> Vec<String> {
    let tasks = run["tasks"].as_array().into_iter().flatten();
    let failed = tasks.filter(|task| matches!(text(task, "state"), "failed" | "quarantined"));
    failed.map(|task| text(task, "name").to_owned()).collect()
}

/// Empty if the task did not run there, or is no longer kept.
async fn worker(client: &Client, run: &Value, name: &str) -> Result<String, ClientError> {
    let mut tasks = run["tasks"].as_array().into_iter().flatten();
    let task = tasks.find(|task| task["name"] == *name).and_then(|task| task["task_id"].as_str());
    let Some(id) = task else { return Ok(String::new()) };
    match client.get(&format!("/v1/tasks/{id}")).await {
        Ok(task) => Ok(text(&task, "worker").chars().take(19).collect()),
        Err(error) if error.is_not_found() => Ok(String::new()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_changed_is_told_apart_from_what_did_not() {
        let run = json!({"version": 2, "trigger": "schedule", "window": {"at": "T2"}, "parameters": {"a": 1, "b": "x"}});
        let before = json!({"version": 1, "trigger": "schedule", "window": {"at": "T1"}, "parameters": {"a": 1, "c": true}});
        let (changed, same) = compared(&run, &before);
        assert_eq!(
            changed,
            [
                "version is 2, and was 1",
                "window is T2, and was T1",
                "parameter `b` is x, and was not given",
                "parameter `c` is not given, and was true",
            ]
        );
        assert_eq!(same, ["trigger schedule", "parameter `a` 1"]);
    }
}
