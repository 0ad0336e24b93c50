//! Beginning a backfill.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use mainspring_client::operations;
use mainspring_client::types::{BackfillBody, CreateBackfillAnswer};
use mainspring_client::{escaped, query};

use super::super::connect::Connect;
use super::super::parameters;
use super::super::run::actor;
use super::super::submit::parse_label;
use super::super::tenant::Tenant;
use super::watch;

use crate::note::note;

#[derive(Args)]
#[command(
    after_help = "A window is run once: --only missing (the default) takes those for which nothing ever ran, \
                  --only failed those whose\nnewest run did not succeed, --only all every one.\n\nExamples:\n  \
                  mainspring backfill nightly-report --from 2026-01-01 --to 2026-02-01 --dry-run\n  \
                  mainspring backfill nightly-report --from 2026-01-01 --to 2026-02-01 --max-active 8 --order newest\n  \
                  mainspring backfill nightly-report --schedule morning --from 2026-01-01 --to 2026-02-01 --only failed --detach"
)]
pub(super) struct Start {
    /// The job
    job: String,
    /// The first instant of the range: RFC 3339, or a date, which begins at midnight in UTC
    #[arg(long, value_name = "TIME")]
    from: String,
    /// The end of the range, as --from has its begin; it is not part of it
    #[arg(long, value_name = "TIME")]
    to: String,
    /// Which of its schedules, if the job has several
    #[arg(long, value_name = "NAME")]
    schedule: Option<String>,
    /// Only tell what would be run
    #[arg(long)]
    dry_run: bool,
    /// Runs at once (default: 4)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    max_active: Option<u32>,
    /// Which windows come first
    #[arg(long, value_enum, default_value_t = Order::Oldest)]
    order: Order,
    /// Run this version of the job, as `3`, instead of its newest
    #[arg(long, value_name = "V")]
    version: Option<u32>,
    /// Which windows of the range are run
    #[arg(long, value_enum, default_value_t = Only::Missing)]
    only: Only,
    /// A parameter in place of the one that the schedule gives, as region=eu, with the type that the job declares
    #[arg(short, long = "param", value_name = "NAME=VALUE", value_parser = parse_label)]
    parameters: Vec<(String, String)>,
    /// Do not wait until it has ended
    #[arg(long)]
    detach: bool,
    /// Why; in the server's log
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    tenant: Tenant,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Clone, Copy, ValueEnum)]
enum Order {
    Oldest,
    Newest,
}

#[derive(Clone, Copy, ValueEnum)]
enum Only {
    Missing,
    Failed,
    All,
}

/// A date is its midnight in UTC; the server reads all else.
fn instant(text: &str) -> String {
    match text.parse::<jiff::civil::Date>() {
        Ok(date) if !text.contains('T') => format!("{date}T00:00:00Z"),
        _ => text.to_owned(),
    }
}

impl Start {
    fn body(&self, tenant: &str) -> BackfillBody {
        let order = match self.order {
            Order::Oldest => "oldest",
            Order::Newest => "newest",
        };
        let only = match self.only {
            Only::Missing => "missing",
            Only::Failed => "failed",
            Only::All => "all",
        };
        BackfillBody {
            tenant: Some(tenant.to_owned()),
            job: self.job.clone(),
            from: instant(&self.from).into(),
            to: instant(&self.to).into(),
            only: Some(only.to_owned()),
            order: Some(order.to_owned()),
            dry_run: Some(self.dry_run),
            schedule: self.schedule.clone(),
            max_active: self.max_active.map(u64::from),
            version: self.version.map(u64::from),
            actor: Some(actor()),
            reason: self.reason.clone(),
            parameters: None,
        }
    }

    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let tenant = self.tenant.name(&self.connect)?;
        let mut body = self.body(&tenant);
        let job = query(&format!("/v1/jobs/{}", escaped(&self.job)), &[("tenant", Some(&*tenant))]);
        let detach = self.detach;
        self.connect.run(async |client, print| {
            let given = parameters::typed(&client, &job, &self.parameters).await?;
            body.parameters = Some(given.into());
            let answer = client.send(operations::create_backfill(&body)).await?;
            let CreateBackfillAnswer::Backfill(started) = &*answer else {
                print.object(answer.json());
                if !self.dry_run {
                    note!("there is nothing to run");
                }
                return Ok(ExitCode::SUCCESS);
            };
            if detach {
                print.object(answer.json());
                return Ok(ExitCode::SUCCESS);
            }
            let id = &started.backfill_id;
            note!("backfill {id}: {} windows", started.windows);
            watch::watch(&client, print, id).await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_its_midnight() {
        for (text, sent) in [
            ("2026-01-01", "2026-01-01T00:00:00Z"),
            ("2026-01-01T05:00:00Z", "2026-01-01T05:00:00Z"),
            ("1767225600", "1767225600"),
            ("soon", "soon"),
        ] {
            assert_eq!(instant(text), sent);
        }
    }
}
