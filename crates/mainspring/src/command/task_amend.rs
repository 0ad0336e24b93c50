//! `mainspring task amend` and `mainspring task force`: change a task that has not started, or say how one ended.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use mainspring_client::operations;
use mainspring_client::types::{AmendBody, ForceTaskBody};
use serde_json::json;

use super::connect::Connect;
use super::run::actor;
use super::submit::{parse_span, time};
use super::words;

#[derive(Args)]
#[command(override_usage = "mainspring task amend <ID> <CHANGES> [OPTIONS]")]
#[command(after_help = "Examples:\n  \
    mainspring task amend task_019a88f0 --in 2h\n  \
    mainspring task amend schedule_0000000000000004 --cron '30 4 * * *'\n  \
    mainspring task amend task_019a88f0 --priority P0 --payload '{\"argv\": [\"./report.sh\", \"--all\"]}'")]
pub(super) struct Amend {
    /// The task: its id or the beginning of it, or the id of one that recurs
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
    #[arg(long, value_name = "TIME", value_parser = words::instant, conflicts_with = "delay")]
    at: Option<String>,
    /// Start after this long, as 30s, 5m, 2h
    #[arg(long = "in", value_name = "SPAN", value_parser = parse_span)]
    delay: Option<Duration>,
    /// As `P0` (urgent), `P1` or `P2`
    #[arg(long, value_name = "BAND", value_parser = words::priority)]
    priority: Option<String>,
    /// Of a task that recurs: another cron expression, as '0 3 * * *'
    #[arg(long, value_name = "EXPR", conflicts_with_all = ["at", "delay", "every"])]
    cron: Option<String>,
    /// Of a task that recurs: another rate, as 30s, 5m, 2h
    #[arg(long, value_name = "SPAN", conflicts_with_all = ["at", "delay"])]
    every: Option<String>,
    /// Of a task that recurs: the IANA time zone of its cron expression, as Europe/Berlin
    #[arg(long, value_name = "ZONE", conflicts_with = "every")]
    tz: Option<String>,
    /// What its executor gets, as JSON
    #[arg(long, value_name = "JSON")]
    payload: Option<String>,
}

impl Change {
    fn body(&self) -> anyhow::Result<AmendBody> {
        let payload = self.payload.as_ref().map(|text| serde_json::from_str(text));
        Ok(AmendBody {
            scheduled_at: self.at.as_ref().map(|at| time(at)),
            delay_ms: self.delay.map(|delay| delay.as_millis() as u64),
            priority: self.priority.as_ref().map(|priority| json!(priority)),
            cron: self.cron.clone(),
            every: self.every.as_ref().map(|every| json!(every)),
            timezone: self.tz.clone(),
            payload: payload.transpose().context("the payload is not JSON")?,
            ..AmendBody::default()
        })
    }
}

impl Amend {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let body = self.change.body()?;
        self.connect.run(async |client, print| {
            let client = client.with_reason(self.reason.as_deref());
            let id = client.timer_id(&self.id).await?;
            print.object(client.send(operations::amend_task(&id, &body)).await?.json());
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
    #[arg(value_parser = words::task_end)]
    state: String,
    /// Why; kept with the task
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

impl Force {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let body = ForceTaskBody { state: self.state, reason: self.reason, actor: Some(actor()) };
        self.connect.run(async |client, print| {
            let id = client.task_id(&self.id).await?;
            print.object(client.send(operations::force_task_state(&id, &body)).await?.json());
            Ok(ExitCode::SUCCESS)
        })
    }
}
