//! `mainspring task amend` and `mainspring task force`: change a task that has not started, or say how one ended.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use http::Method;
use serde_json::{Map, Value, json};

use super::connect::Connect;
use super::run::actor;
use super::submit::{parse_span, time};

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring task amend task_019a88f0 --in 2h\n  \
    mainspring task amend task_019a88f0 --priority P0 --payload '{\"argv\": [\"./report.sh\", \"--all\"]}'")]
pub(super) struct Amend {
    /// The task: its id or the beginning of it
    id: String,
    #[command(flatten)]
    change: Change,
    /// Why; in the server's log
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
#[group(required = true, multiple = true)]
struct Change {
    /// When to start: RFC 3339 or seconds since 1970
    #[arg(long, value_name = "TIME", conflicts_with = "delay")]
    at: Option<String>,
    /// Start after this long, as 30s, 5m, 2h
    #[arg(long = "in", value_name = "SPAN", value_parser = parse_span)]
    delay: Option<Duration>,
    /// P0 (urgent), P1 or P2
    #[arg(long)]
    priority: Option<String>,
    /// What its executor gets, as JSON
    #[arg(long, value_name = "JSON")]
    payload: Option<String>,
}

impl Change {
    fn body(&self) -> anyhow::Result<Value> {
        let mut body = Map::new();
        body.extend(self.at.as_ref().map(|at| ("scheduled_at".to_owned(), time(at))));
        body.extend(self.delay.map(|delay| ("delay_ms".to_owned(), json!(delay.as_millis() as u64))));
        body.extend(self.priority.as_ref().map(|priority| ("priority".to_owned(), json!(priority))));
        if let Some(text) = &self.payload {
            let payload: Value = serde_json::from_str(text).context("the payload is not JSON")?;
            body.insert("payload".to_owned(), payload);
        }
        Ok(body.into())
    }
}

impl Amend {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let body = self.change.body()?;
        self.connect.run(async |client, print| {
            let client = client.with_reason(self.reason.as_deref());
            let path = format!("/v1/tasks/{}", client.task_id(&self.id).await?);
            print.object(&client.call(Method::PATCH, &path, Some(&body), &[]).await?);
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// A task that runs is stopped first.
#[derive(Args)]
#[command(after_help = "Example:\n  mainspring task force task_019a88f0 failed --reason 'the host is gone'")]
pub(super) struct Force {
    /// The task: its id or the beginning of it
    id: String,
    /// succeeded, failed or skipped
    state: String,
    /// Why; kept with the task
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

impl Force {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let body = json!({"state": self.state, "reason": self.reason, "actor": actor()});
        self.connect.run(async |client, print| {
            let path = format!("/v1/tasks/{}:force-state", client.task_id(&self.id).await?);
            print.object(&client.post(&path, &body).await?);
            Ok(ExitCode::SUCCESS)
        })
    }
}
