//! `mainspring schedule put`: store a schedule of a job from a file.

use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use bytes::Bytes;
use clap::Args;
use mainspring_client::operations::{self, PutScheduleQuery};
use mainspring_client::types::ScheduleBody;

use super::super::revision::IfRevision;
use super::super::scoped::{Key, Kind, key};
use super::named::One;

/// The file has the fields that a schedule has in a job file, as YAML or JSON. The same content changes nothing.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring schedule put nightly-report/morning -f morning.yaml\n  \
    echo '{cron: \"0 9 * * 1-5\", timezone: Europe/Berlin}' | mainspring schedule put nightly-report/morning -f -")]
pub(super) struct Put {
    #[command(flatten)]
    one: One,
    /// The file; - for stdin
    #[arg(short, long, value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    seen: IfRevision,
    /// Why; in the server's log
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl Put {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let text = self.text()?;
        let (name, tenant, connect) = self.one.parts()?;
        let (seen, reason) = (self.seen, self.reason);
        connect.run(async |client, print| {
            let Key { tenant, job, name } = key(&client, Kind::Schedule, &name, &tenant).await?;
            let query = PutScheduleQuery { tenant, ..PutScheduleQuery::default() };
            // As it was written: the server reads YAML and JSON.
            let call = operations::put_schedule(&job, &name, &query, &ScheduleBody::default());
            let call = call.with_body(Bytes::from(text)).if_revision(seen.number);
            print.object(client.with_reason(reason.as_deref()).send(call).await?.json());
            Ok(ExitCode::SUCCESS)
        })
    }

    fn text(&self) -> anyhow::Result<String> {
        let mut text = String::new();
        if self.file.as_os_str() == "-" {
            std::io::stdin().read_to_string(&mut text).context("cannot read stdin")?;
        } else {
            text = std::fs::read_to_string(&self.file)
                .with_context(|| format!("cannot read `{}`", self.file.display()))?;
        }
        Ok(text)
    }
}
