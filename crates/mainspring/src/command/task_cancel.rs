//! `mainspring task cancel`: one task, or all that match.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use mainspring_client::{Client, ClientError};
use serde_json::{Map, Value, json};

use super::confirm::confirmed;
use super::connect::{Connect, Print};
use super::submit::parse_label;

const SELECTORS: [&str; 7] = ["tenant", "job", "pool", "task_type", "labels", "state", "all"];

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring task cancel task_019a88f0\n  \
    mainspring task cancel --tenant acme --label team=ops --force --yes\n  \
    mainspring task cancel --all --state queued,retry_wait --type http")]
pub(super) struct Cancel {
    /// The task: its id or the beginning of it
    #[arg(conflicts_with_all = SELECTORS, required_unless_present_any = SELECTORS)]
    id: Option<String>,
    /// Stop it even if it runs: it gets its grace, then it is killed
    #[arg(long)]
    force: bool,
    /// All tasks of this tenant
    #[arg(long, value_name = "NAME")]
    tenant: Option<String>,
    /// All tasks of this job
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// All tasks for this pool
    #[arg(long, value_name = "NAME")]
    pool: Option<String>,
    /// All tasks that this executor runs: process, http, …
    #[arg(long = "type", value_name = "EXECUTOR")]
    task_type: Option<String>,
    /// All tasks with this label, as team=ops; given more than once, all of them must be there
    #[arg(long = "label", value_name = "K=V", value_parser = parse_label)]
    labels: Vec<(String, String)>,
    /// All tasks in these states, separated by commas
    #[arg(long, value_delimiter = ',')]
    state: Vec<String>,
    /// Every task there is, or that the others name
    #[arg(long)]
    all: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    /// Why; in the server's log
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

impl Cancel {
    pub(super) fn run(mut self) -> anyhow::Result<ExitCode> {
        let Some(text) = self.id.take() else { return self.many() };
        let (force, reason) = (self.force, self.reason);
        self.connect.run(async |client, print| {
            let client = client.with_reason(reason.as_deref());
            let id = client.task_id(&text).await?;
            print.object(&client.delete(&format!("/v1/tasks/{id}?force={force}")).await?);
            Ok(ExitCode::SUCCESS)
        })
    }

    fn many(self) -> anyhow::Result<ExitCode> {
        let mut body = Map::new();
        let named = [
            ("tenant", &self.tenant),
            ("job", &self.job),
            ("pool", &self.pool),
            ("task_type", &self.task_type),
        ];
        for (field, value) in named {
            body.extend(value.as_ref().map(|value| (field.to_owned(), json!(value))));
        }
        if !self.labels.is_empty() {
            let labels: Map<_, _> =
                self.labels.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
            anyhow::ensure!(
                labels.len() == self.labels.len(),
                "a label is given twice, and a task has one value of it"
            );
            body.insert("labels".into(), labels.into());
        }
        if !self.state.is_empty() {
            body.insert("state".into(), json!(self.state));
        }
        if self.all && body.is_empty() {
            body.insert("all".into(), json!(true));
        }
        let which = Value::Object(body.clone());
        if !confirmed(&format!("cancel every task that matches {which}?"), self.yes) {
            return Ok(ExitCode::from(1));
        }
        body.insert("force".into(), json!(self.force));
        let (body, reason) = (Value::Object(body), self.reason);
        self.connect.run(async |client, print| {
            let client = client.with_reason(reason.as_deref());
            follow(&client, print, "/v1/tasks:cancel", &body).await
        })
    }
}

/// Begins a bulk operation and stays until it has ended.
pub(super) async fn follow(
    client: &Client,
    print: Print,
    verb: &str,
    body: &Value,
) -> Result<ExitCode, ClientError> {
    let mut operation = client.post(verb, body).await?;
    let path = format!("/v1/operations/{}", operation.get("operation_id").unwrap_or(&Value::Null));
    let mut pause = Duration::from_millis(20);
    while operation.get("state").and_then(Value::as_str) == Some("running") {
        tokio::time::sleep(pause).await;
        pause = (pause * 3 / 2).min(Duration::from_secs(1));
        operation = client.get(&path).await?;
    }
    print.object(&operation);
    Ok(ExitCode::SUCCESS)
}
