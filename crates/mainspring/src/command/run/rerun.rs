//! `mainspring run rerun`.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::{escaped, query};
use serde_json::{Map, Value, json};

use super::super::connect::Connect;
use super::super::parameters;
use super::super::submit::{parse_label, warn};
use super::{actor, watch};

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring run rerun run_019a88f0\n  \
    mainspring run rerun run_019a88f0 --from-failure --newest --wait\n  \
    mainspring run rerun run_019a88f0 --from-task load -p day=2026-01-31")]
pub(super) struct Rerun {
    /// The run: its id or the beginning of it
    id: String,
    /// Only what failed and what follows from it; the rest is taken over
    #[arg(long, conflicts_with = "from_task")]
    from_failure: bool,
    /// Only this task and what follows from it; the rest is taken over
    #[arg(long, value_name = "NAME")]
    from_task: Option<String>,
    /// On the job's newest version instead of the run's own
    #[arg(long)]
    newest: bool,
    /// A parameter to change, as day=2026-01-31, with the type that the job declares; the others stay
    #[arg(short, long = "param", value_name = "NAME=VALUE", value_parser = parse_label)]
    parameters: Vec<(String, String)>,
    /// Why; kept with the run
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Watch the new run until it has ended; its outcome is the exit code
    #[arg(short, long)]
    wait: bool,
    #[command(flatten)]
    connect: Connect,
}

impl Rerun {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let from = match (&self.from_task, self.from_failure) {
            (Some(task), _) => format!("task:{task}"),
            (None, true) => "failure".to_owned(),
            (None, false) => "start".to_owned(),
        };
        let version = if self.newest { "newest" } else { "same" };
        let mut body = json!({"from": from, "version": version, "reason": self.reason, "actor": actor()});
        self.connect.run(async |client, print| {
            let id = client.run_id(&self.id).await?;
            if !self.parameters.is_empty() {
                let old = client.get(&format!("/v1/runs/{id}?tasks_limit=0")).await?;
                let changes =
                    parameters::typed(&client, &job_of(&old, self.newest), &self.parameters).await?;
                body["parameters"] = edited(&old, changes);
            }
            let answer = client.post(&format!("/v1/runs/{id}:rerun"), &body).await?;
            warn(&answer);
            if !self.wait {
                print.object(&answer);
                return Ok(ExitCode::SUCCESS);
            }
            let id = answer.get("run_id").and_then(Value::as_str).unwrap_or_default();
            watch(&client, print, id).await
        })
    }
}

/// The definition that the new run will have.
fn job_of(run: &Value, newest: bool) -> String {
    let text = |field: &str| run.get(field).and_then(Value::as_str).unwrap_or_default();
    let version = run.get("version").filter(|_| !newest).map(|version| format!("/versions/{version}"));
    let path = format!("/v1/jobs/{}{}", escaped(text("job")), version.unwrap_or_default());
    query(&path, &[("tenant", Some(text("tenant")))])
}

fn edited(old: &Value, changes: Map<String, Value>) -> Value {
    let mut parameters: Map<String, Value> =
        old.get("parameters").and_then(Value::as_object).cloned().unwrap_or_default();
    parameters.extend(changes);
    Value::Object(parameters)
}
