//! `mainspring events`: news of tasks and runs, as they happen.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use mainspring_client::query;
use serde_json::Value;

use super::connect::Connect;
use super::output::say;
use super::tenant::OfTenant;

/// Prints what happens to tasks and runs from now on, until Ctrl-C. With -o json each line is a `CloudEvent`. A listener that
/// is too slow is told how much it has missed. One that lost its connection goes on with --after and the `id` of the last
/// event that it had; the newest 65,536 are kept while somebody listens and for a minute after. Exit: 0 done, 1 refused.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring events --kind run\n  \
    mainspring events --kind operation\n  \
    mainspring events --after 3-1042\n  \
    mainspring events --digest 1s\n  \
    mainspring events --job nightly-report -o json | jq .data.state")]
pub(crate) struct Events {
    #[command(flatten)]
    connect: Connect,
    /// Only of these
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Only of this job
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    #[command(flatten)]
    tenant: OfTenant,
    /// Only of this run and its tasks
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    /// Begin behind the event with this id
    #[arg(long, value_name = "ID")]
    after: Option<String>,
    /// One line for all that happened in so long, `50ms` to `10s`
    #[arg(long, value_name = "TIME")]
    digest: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Task,
    Run,
    Job,
    Schedule,
    Worker,
    Operation,
}

impl Events {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let tenant = self.tenant.filter(&self.connect)?;
        let Self { connect, kind, job, run, after, digest, .. } = self;
        connect.run(async |client, print| {
            let run = match run {
                Some(text) => Some(client.run_id(&text).await?),
                None => None,
            };
            let kind = kind.map(|kind| match kind {
                Kind::Task => "task",
                Kind::Run => "run",
                Kind::Job => "job",
                Kind::Schedule => "schedule",
                Kind::Worker => "worker",
                Kind::Operation => "operation",
            });
            let wanted = [
                ("kind", kind),
                ("job", job.as_deref()),
                ("tenant", tenant.as_deref()),
                ("run_id", run.as_deref()),
                ("after", after.as_deref()),
                ("digest", digest.as_deref()),
            ];
            let mut stream = client.stream(&query("/v1/events", &wanted)).await?;
            let mut rest = Vec::new();
            while let Some(bytes) = stream.next().await? {
                rest.extend_from_slice(&bytes);
                while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                    let line: Vec<u8> = rest.drain(..=end).collect();
                    let text = String::from_utf8_lossy(&line[..end]).into_owned();
                    if text.is_empty() {
                        continue;
                    }
                    say(&if print.is_data() { text } else { plain(&text) });
                }
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// One event as people read it.
fn plain(line: &str) -> String {
    let event: Value = serde_json::from_str(line).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (data, kind) = (&event["data"], text(&event["type"]));
    let kind = kind.strip_prefix("mainspring.").unwrap_or(&kind);
    if kind == "events.lost" {
        return format!("… {} events missed: this listener is too slow …", data["count"]);
    }
    if kind == "events.closed" {
        return format!("… the server has ended this: {} …", text(&data["reason"]));
    }
    if kind == "events.digest" {
        return digest_line(&event);
    }
    let words = [text(&data["state"]), text(&data["job"]), text(&data["task"])];
    let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
    format!("{}  {kind:<16}  {}  {}", text(&event["time"]), text(&event["subject"]), words.join("  "))
}

/// How many tasks came into each state, over all jobs.
fn digest_line(event: &Value) -> String {
    let (data, mut states) = (&event["data"], std::collections::BTreeMap::<&str, u64>::new());
    for row in data["counts"].as_array().into_iter().flatten() {
        *states.entry(row["state"].as_str().unwrap_or_default()).or_default() +=
            row["count"].as_u64().unwrap_or(0);
    }
    let states: Vec<String> = states.iter().map(|(state, count)| format!("{count} {state}")).collect();
    let runs = data["run_ids"].as_array().map_or(0, Vec::len);
    let more = if data["many_runs"] == true { "+" } else { "" };
    format!(
        "{}  {}  runs touched: {runs}{more}",
        event["time"].as_str().unwrap_or_default(),
        states.join("  ")
    )
}
