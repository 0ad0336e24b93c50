//! `mainspring task cancel`: one task, or all that match.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use mainspring_client::{Client, ClientError};
use serde_json::{Map, Value, json};

use super::confirm::confirmed;
use super::connect::{Connect, Print};

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring task cancel task_019a88f0\n  \
    mainspring task cancel --tenant acme --label team=ops --force --yes")]
pub(super) struct Cancel {
    /// The task: its id or the beginning of it
    #[arg(conflicts_with_all = ["tenant", "job", "pool", "label", "all"],
          required_unless_present_any = ["tenant", "job", "pool", "label", "all"])]
    id: Option<String>,
    /// Stop it even if it runs: it gets its grace, then it is killed
    #[arg(long)]
    force: bool,
    /// All tasks of this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// All tasks of this job
    #[arg(long)]
    job: Option<String>,
    /// All tasks for this pool
    #[arg(long)]
    pool: Option<String>,
    /// All tasks with this label, as KEY=VALUE
    #[arg(long, value_name = "K=V")]
    label: Option<String>,
    /// Every task there is
    #[arg(long, conflicts_with_all = ["tenant", "job", "pool", "label"])]
    all: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    connect: Connect,
}

impl Cancel {
    pub(super) fn run(mut self) -> anyhow::Result<ExitCode> {
        let Some(text) = self.id.take() else { return self.many() };
        let force = self.force;
        self.connect.run(async |client, print| {
            let id = client.task_id(&text).await?;
            print.object(&client.delete(&format!("/v1/tasks/{id}?force={force}")).await?);
            Ok(ExitCode::SUCCESS)
        })
    }

    fn many(self) -> anyhow::Result<ExitCode> {
        let mut body = Map::new();
        for (field, value) in [("tenant", &self.tenant), ("job", &self.job), ("pool", &self.pool)] {
            body.extend(value.as_ref().map(|value| (field.to_owned(), json!(value))));
        }
        if let Some(label) = &self.label {
            let (key, value) = label
                .split_once('=')
                .ok_or_else(|| anyhow::anyhow!("`{label}` is not a label; write it as KEY=VALUE"))?;
            body.insert("labels".into(), json!({ key: value }));
        }
        if self.all {
            body.insert("all".into(), json!(true));
        }
        let which = Value::Object(body.clone());
        if !confirmed(&format!("cancel every task that matches {which}?"), self.yes) {
            return Ok(ExitCode::from(1));
        }
        body.insert("force".into(), json!(self.force));
        self.connect.run(async |client, print| follow(&client, print, &Value::Object(body)).await)
    }
}

/// Begins it and stays until it has ended.
async fn follow(client: &Client, print: Print, body: &Value) -> Result<ExitCode, ClientError> {
    let mut process = client.post("/v1/tasks:cancel", body).await?;
    let path = format!("/v1/processes/{}", process.get("process_id").unwrap_or(&Value::Null));
    let mut pause = Duration::from_millis(20);
    while process.get("status").and_then(Value::as_str) == Some("RUNNING") {
        tokio::time::sleep(pause).await;
        pause = (pause * 3 / 2).min(Duration::from_secs(1));
        process = client.get(&path).await?;
    }
    print.object(&process);
    Ok(ExitCode::SUCCESS)
}
