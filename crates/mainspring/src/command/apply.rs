//! `mainspring apply` and `mainspring diff`: job files on disk against the jobs a server has.

use std::process::ExitCode;

use bytes::Bytes;
use clap::Args;
use mainspring_client::{Client, ClientError, escaped, query};
use mainspring_definition::Definition;
use serde_json::{Value, json};
use similar::TextDiff;

use super::connect::{Connect, Print};
use super::output::{Column, say, text};
use super::run::actor;
use super::tenant::Tenant;
use super::validate::{Findings, Paths};

use crate::note::note;

/// Stores the jobs of files. Content that the server has already makes no new version. With any mistake in any file,
/// nothing is stored. Exit: 0 stored, 1 mistakes or refused.
#[derive(Args)]
#[command(after_help = "Examples:\n  mainspring apply nightly.yaml\n  mainspring apply -f jobs/ --dry-run")]
pub(crate) struct Apply {
    #[command(flatten)]
    files: Files,
    /// Only say what would change
    #[arg(long)]
    dry_run: bool,
    /// Why; kept with the job
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

/// Shows how files differ from the jobs that the server has. Exit: 0 alike, 1 mistakes or refused, 3 different.
#[derive(Args)]
#[command(after_help = "Example:\n  mainspring diff -f jobs/")]
pub(crate) struct Diff {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct Files {
    #[command(flatten)]
    paths: Paths,
    #[command(flatten)]
    tenant: Tenant,
    /// Most tasks of one job; the server has a bound of its own
    #[arg(long, value_name = "COUNT")]
    max_tasks: Option<u32>,
}

const COLUMNS: [Column; 4] =
    [text("JOB", "job"), text("VERSION", "version"), text("CHANGE", "change"), text("TENANT", "tenant")];

impl Files {
    /// `None`: there were mistakes, and they were told.
    fn read(&self, tenant: &str) -> anyhow::Result<Option<Findings>> {
        let findings = Findings::of(&self.paths.all(), tenant, self.max_tasks)?;
        if findings.has_mistakes() {
            findings.print();
            return Ok(None);
        }
        Ok(Some(findings))
    }
}

impl Apply {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let tenant = self.files.tenant.name(&self.connect)?;
        let Some(findings) = self.files.read(&tenant)? else { return Ok(ExitCode::from(1)) };
        let dry_run = self.dry_run.then_some("true");
        let (actor, reason) = (actor(), self.reason.as_deref());
        let wanted =
            [("tenant", Some(&*tenant)), ("dry_run", dry_run), ("actor", Some(&*actor)), ("reason", reason)];
        let path = query("/v1/jobs", &wanted);
        self.connect.run(async |client, print| {
            let mut jobs = Vec::new();
            for job in findings.definitions() {
                // The canonical text: what was read here is what is stored there.
                let answer = client.post_bytes(&path, Bytes::copy_from_slice(&job.source), &[]).await?;
                jobs.extend(answer.get("jobs").and_then(Value::as_array).cloned().unwrap_or_default());
            }
            print.rows(&json!({"jobs": jobs}), "jobs", &COLUMNS);
            Ok(ExitCode::SUCCESS)
        })
    }
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
