//! `mainspring job stats`: how the newest runs of a job ended, and how long they took.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::{escaped, query};
use serde_json::{Value, json};

use super::super::connect::Connect;
use super::super::output::{Column, text};
use super::super::tenant::Tenant;
use crate::note::note;

const FIGURES: [Column; 8] = [
    text("VERSION", "version"),
    text("RUNS", "runs"),
    text("SUCCEEDED", "succeeded"),
    text("FAILED", "failed"),
    text("CANCELLED", "cancelled"),
    text("RATE", "success_rate"),
    text("P50 MS", "p50_ms"),
    text("P95 MS", "p95_ms"),
];

/// Of the newest ended runs; the durations are those of runs that succeeded, from being made to their end.
#[derive(Args)]
#[command(after_help = "Example:\n  mainspring job stats etl --last 500")]
pub(super) struct Stats {
    /// The job
    name: String,
    #[command(flatten)]
    tenant: Tenant,
    /// Of so many runs, at most 1000
    #[arg(long, value_name = "N", default_value_t = 100)]
    last: u32,
    #[command(flatten)]
    connect: Connect,
}

impl Stats {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let (tenant, last) = (self.tenant.name(&self.connect)?, self.last.to_string());
        let wanted = [("tenant", Some(tenant.as_str())), ("last", Some(last.as_str()))];
        let path = query(&format!("/v1/jobs/{}/stats", escaped(&self.name)), &wanted);
        self.connect.run(async |client, print| {
            let stats = client.get(&path).await?;
            if print.is_data() {
                print.object(&stats);
                return Ok(ExitCode::SUCCESS);
            }
            let mut all = stats["all"].clone();
            all["version"] = "all".into();
            let versions = stats["versions"].as_array().into_iter().flatten().cloned();
            let rows: Vec<Value> = std::iter::once(all).chain(versions).collect();
            print.rows(&json!({ "versions": rows }), "versions", &FIGURES);
            note!("({})", looked_at(&stats));
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// Of how many runs the figures are, and since when.
fn looked_at(stats: &Value) -> String {
    let oldest = stats["oldest_at"].as_str().unwrap_or("-");
    match stats["looked_at"].as_u64().unwrap_or(0) {
        0 => "no run has ended".to_owned(),
        1 => format!("the newest run, of {oldest}"),
        count => format!("the newest {count} runs, back to {oldest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_run_is_not_runs() {
        for (count, words) in
            [(0, "no run has ended"), (1, "the newest run, of T0"), (2, "the newest 2 runs, back to T0")]
        {
            assert_eq!(looked_at(&json!({"looked_at": count, "oldest_at": "T0"})), words);
        }
    }
}
