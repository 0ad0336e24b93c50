//! `mainspring event`: tell the server that something happened.

use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Subcommand};
use mainspring_client::query;
use serde_json::{Value, json};

use super::connect::Connect;
use super::output::{Column, text};
use super::tenant::Tenant;

/// Events begin runs of jobs that have a trigger for them. Exit: 0 taken, 1 refused.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring event send --type com.example.order.created --source /shop")]
pub(crate) struct Event {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Send one event, and say what it began
    #[command(after_help = "Examples:\n  \
        mainspring event send --type com.example.order.created --source /shop --data '{\"amount\": 12}'\n  \
        mainspring event send --type com.example.file.arrived --source /ftp --id report-2026-11-16 --data @meta.json")]
    Send(Send),
}

#[derive(Args)]
struct Send {
    /// Its type, which triggers are matched with, as com.example.order.created
    #[arg(long = "type", value_name = "TYPE")]
    kind: String,
    /// Where it happened, as /shop
    #[arg(long, value_name = "URI")]
    source: String,
    /// What it is about
    #[arg(long, value_name = "TEXT")]
    subject: Option<String>,
    /// Its id: an event of the same source and id is taken once [default: a new one]
    #[arg(long)]
    id: Option<String>,
    /// JSON, or @FILE with JSON
    #[arg(long, value_name = "JSON|@FILE")]
    data: Option<String>,
    #[command(flatten)]
    tenant: Tenant,
    /// Why; in the server's log
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

const COLUMNS: [Column; 6] = [
    text("ID", "id"),
    text("SOURCE", "source"),
    text("DUPLICATE", "duplicate"),
    text("RUNS", "runs"),
    text("SKIPPED", "skipped"),
    text("ERRORS", "errors"),
];

impl Event {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let What::Send(send) = self.what;
        let tenant = send.tenant.given(&send.connect)?;
        let Send { kind, source, subject, id, data, reason, connect, .. } = send;
        let mut event = json!({
            "specversion": "1.0",
            "id": id.unwrap_or_else(new_id),
            "source": source,
            "type": kind,
        });
        if let Some(subject) = subject {
            event["subject"] = subject.into();
        }
        if let Some(data) = data {
            event["data"] = read(&data)?;
        }
        connect.run(async |client, print| {
            let client = client.with_reason(reason.as_deref());
            let path = query("/v1/events", &[("tenant", tenant.as_deref())]);
            print.rows(&client.post(&path, &event).await?, "results", &COLUMNS);
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// Never the same twice: the time in nanoseconds, and this process.
fn new_id() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("cli-{:x}-{:x}", since.as_nanos(), std::process::id())
}

fn read(data: &str) -> anyhow::Result<Value> {
    let text = match data.strip_prefix('@') {
        Some(path) => std::fs::read_to_string(path).with_context(|| format!("cannot read `{path}`"))?,
        None => data.to_owned(),
    };
    serde_json::from_str(&text).context("the data is not JSON; put quotes around a text: '\"text\"'")
}
