//! `mainspring diff`: how job files differ from what the server has.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::{Client, ClientError, escaped, query};
use mainspring_definition::Definition;
use serde_json::{Value, json};
use similar::TextDiff;

use super::super::connect::{Connect, Print};
use super::super::output::say;
use super::Files;

use crate::note::note;

/// Shows how files differ from the jobs that the server has. Exit: 0 alike, 1 mistakes or refused, 3 different.
#[derive(Args)]
#[command(after_help = "Example:\n  mainspring diff -f jobs/")]
pub(crate) struct Diff {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    connect: Connect,
}

impl Diff {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let tenant = self.files.tenant.name(&self.connect)?;
        let Some(findings) = self.files.read(&tenant)? else { return Ok(ExitCode::from(1)) };
        self.connect.run(async |client, print| {
            let mut differences = Vec::new();
            for job in findings.definitions() {
                differences.extend(difference(&client, job).await?);
            }
            show(print, &differences);
            Ok(if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(3) })
        })
    }
}

/// `None`: the server has the same.
async fn difference(client: &Client, job: &Definition) -> Result<Option<Value>, ClientError> {
    let path = query(&format!("/v1/jobs/{}", escaped(&job.name)), &[("tenant", Some(&job.tenant))]);
    let stored = match client.get(&path).await {
        Ok(stored) if stored.get("deleted_at").is_none() => stored.get("definition").cloned(),
        Ok(_) => None,
        Err(error) if error.is_not_found() => None,
        Err(error) => return Err(error),
    };
    let written = |value: &Value| format!("{value:#}\n");
    let ours = serde_json::from_slice(&job.source).map(|value: Value| written(&value)).unwrap_or_default();
    let theirs = stored.as_ref().map(written).unwrap_or_default();
    if ours == theirs {
        return Ok(None);
    }
    let diff = TextDiff::from_lines(&theirs, &ours).unified_diff().context_radius(3).to_string();
    let change = if stored.is_some() { "updated" } else { "created" };
    Ok(Some(json!({"tenant": &*job.tenant, "job": &*job.name, "change": change, "diff": diff})))
}

fn show(print: Print, differences: &[Value]) {
    if print.is_data() {
        return print.object(&json!({"differences": differences}));
    }
    for difference in differences {
        let told = |field: &str| difference.get(field).and_then(Value::as_str).unwrap_or_default();
        say(&format!("{} would be {}", told("job"), told("change")));
        for line in told("diff").lines() {
            say(&print.change(line));
        }
    }
    if differences.is_empty() {
        note!("no differences");
    }
}
