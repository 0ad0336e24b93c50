//! `mainspring job trigger`: a run now, with parameters, and if wanted watched to its end.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value, json};

use super::super::connect::Connect;
use super::super::parameters;
use super::super::run::watch;
use super::super::submit::{parse_label, time as instant, warn};
use super::super::tenant::Tenant;
use super::super::words;

/// Exit: 0 started (with --wait: the run succeeded), 1 refused, 3 the run did not succeed, 4 there is no such job.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring job trigger hello\n  \
    mainspring job trigger etl -p day=2026-01-31 -p regions='[\"eu\",\"us\"]' --wait\n  \
    mainspring job trigger etl --run-key 2026-01-31\n  \
    mainspring job trigger etl --logical-time 2026-01-31T00:00:00Z")]
pub(super) struct Trigger {
    /// The job
    name: String,
    #[command(flatten)]
    tenant: Tenant,
    /// A parameter, as day=2026-01-31, with the type that the job declares; may be given more than once
    #[arg(short, long = "param", value_name = "NAME=VALUE", value_parser = parse_label)]
    parameters: Vec<(String, String)>,
    /// One run for each key: a second trigger with it gives the first one's run
    #[arg(long, value_name = "KEY")]
    run_key: Option<String>,
    /// The instant for which the run is, as 2026-01-31T00:00:00Z: there is one run of the job for each, and a second trigger
    /// with it gives the first one's run
    #[arg(long, value_name = "INSTANT", value_parser = words::instant, conflicts_with = "run_key")]
    logical_time: Option<String>,
    /// For all its tasks, as `P0` (urgent), `P1` or `P2`
    #[arg(long, value_name = "BAND", value_parser = words::priority)]
    priority: Option<String>,
    /// A label on the run and its tasks, as team=ops; may be given more than once
    #[arg(long = "label", value_name = "K=V", value_parser = parse_label)]
    labels: Vec<(String, String)>,
    /// Why; kept with the run
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Watch the run until it has ended; its outcome is the exit code
    #[arg(short, long)]
    wait: bool,
    #[command(flatten)]
    connect: Connect,
}

impl Trigger {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let tenant = self.tenant.name(&self.connect)?;
        let path = super::path(&self.name, ":trigger", &tenant);
        let job = super::path(&self.name, "", &tenant);
        let mut body = self.body();
        let wait = self.wait;
        let (reason, parameters) = (self.reason, self.parameters);
        self.connect.run(async |client, print| {
            let client = client.with_reason(reason.as_deref());
            body["parameters"] = parameters::typed(&client, &job, &parameters).await?.into();
            let answer = client.post(&path, &body).await?;
            warn(&answer);
            if !wait {
                print.object(&answer);
                return Ok(ExitCode::SUCCESS);
            }
            let id = answer.get("run_id").and_then(Value::as_str).unwrap_or_default();
            watch(&client, print, id).await
        })
    }

    fn body(&self) -> Value {
        let labels: Map<String, Value> =
            self.labels.iter().map(|(name, text)| (name.clone(), Value::from(text.as_str()))).collect();
        let mut body = json!({"labels": labels});
        if let Some(run_key) = &self.run_key {
            body["run_key"] = run_key.as_str().into();
        }
        if let Some(time) = &self.logical_time {
            body["logical_time"] = instant(time);
        }
        if let Some(priority) = &self.priority {
            body["priority"] = priority.as_str().into();
        }
        body
    }
}
