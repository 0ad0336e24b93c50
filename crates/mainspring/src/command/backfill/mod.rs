//! `mainspring backfill`: run windows of a schedule that lie behind, and look after what does.

mod start;
mod watch;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use mainspring_client::Call;
use mainspring_client::operations::{self, ListBackfillsQuery};
use mainspring_client::types::{BackfillDone, OverrideBody};

use self::start::Start;
use super::connect::{Connect, actor};
use super::list::{Listing, Page, Rows};
use super::output::{age, id, instant, pair, text};
use super::tenant::OfTenant;
use super::words;

/// Run past windows of a job's schedule, at the lowest priority
///
/// `mainspring backfill JOB` is short for `mainspring backfill start JOB`; a job that is named like one of the commands
/// below needs the long form.
/// Exit: 0 every window succeeded, 1 refused, 3 some did not, 4 there is no such thing.
#[derive(Args)]
#[command(
    after_help = "`mainspring backfill JOB …` is short for `mainspring backfill start JOB …`; `start --help` tells its \
                  options.\n\nExamples:\n  \
                  mainspring backfill nightly-report --from 2026-01-01 --to 2026-02-01 --dry-run\n  \
                  mainspring backfill list"
)]
pub(crate) struct Backfill {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Begin a backfill, and wait until it has ended
    Start(Start),
    /// List backfills, newest first
    #[command(
        after_help = "Examples:\n  mainspring backfill list\n  mainspring backfill list --job nightly-report --state running"
    )]
    List(List),
    /// Show one backfill, how far it has come
    #[command(after_help = "Example:\n  mainspring backfill get backfill_019a88f0 -o json")]
    Get(One),
    /// Wait until it has ended; exit 3 if some windows did not succeed
    #[command(after_help = "Example:\n  mainspring backfill watch backfill_019a88f0")]
    Watch(One),
    /// Begin no further window until it is resumed; what runs goes on
    #[command(after_help = "Example:\n  mainspring backfill pause backfill_019a88f0")]
    Pause(Act),
    /// Let a paused backfill go on
    #[command(after_help = "Example:\n  mainspring backfill resume backfill_019a88f0")]
    Resume(Act),
    /// End it, and cancel what runs of it
    #[command(after_help = "Example:\n  mainspring backfill cancel backfill_019a88f0 --reason 'wrong range'")]
    Cancel(Act),
    /// A job: short for `start`.
    #[command(external_subcommand)]
    Job(Vec<OsString>),
}

/// What follows a job's name, read as `start` reads it.
#[derive(Parser)]
#[command(name = "mainspring backfill start")]
struct Short {
    #[command(flatten)]
    start: Start,
}

#[derive(Args)]
struct List {
    #[command(flatten)]
    tenant: OfTenant,
    /// Only of this job
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// Only in this state: running, paused, cancelling, ended or cancelled
    #[arg(long, value_name = "STATE", value_parser = words::backfill_state)]
    state: Option<String>,
    #[command(flatten)]
    page: Page,
    #[command(flatten)]
    listing: Listing,
}

#[derive(Args)]
struct One {
    /// The backfill, or the beginning of its id
    id: String,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct Act {
    #[command(flatten)]
    one: One,
    /// Why; in the server's log
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

const BACKFILLS: Rows = Rows {
    key: "backfills",
    columns: &[
        id("BACKFILL", "backfill_id"),
        pair("SCHEDULE", "job", "schedule"),
        text("STATE", "state"),
        text("WINDOWS", "windows"),
        text("DONE", "succeeded"),
        text("FAILED", "failed"),
        age("AGE", "created_at"),
        text("STARTED", "started").only_wide(),
        text("ACTIVE", "active").only_wide(),
        instant("FROM", "from").only_wide(),
        instant("TO", "to").only_wide(),
        text("TENANT", "tenant").only_wide(),
    ],
};

impl Backfill {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::Start(start) => start.run(),
            What::Job(words) => {
                let name = OsString::from("mainspring backfill start");
                Short::parse_from(std::iter::once(name).chain(words)).start.run()
            }
            What::List(list) => list.run(),
            What::Get(one) => one.connect.run(async |client, print| {
                let id = client.backfill_id(&one.id).await?;
                print.object(client.send(operations::get_backfill(&id)).await?.json());
                Ok(ExitCode::SUCCESS)
            }),
            What::Watch(one) => one.connect.run(async |client, print| {
                let id = client.backfill_id(&one.id).await?;
                watch::watch(&client, print, &id).await
            }),
            What::Pause(act) => act.send(|id, by| operations::pause_backfill(id, Some(by))),
            What::Resume(act) => act.send(|id, by| operations::resume_backfill(id, Some(by))),
            What::Cancel(act) => act.send(|id, by| operations::cancel_backfill(id, Some(by))),
        }
    }
}

impl List {
    fn run(self) -> anyhow::Result<ExitCode> {
        let query = ListBackfillsQuery {
            tenant: self.tenant.filter(&self.listing.connect)?,
            limit: Some(self.page.rows()),
            cursor: self.page.cursor().map(str::to_owned),
            job: self.job,
            state: self.state,
        };
        self.listing.show(operations::list_backfills(&query).path(), BACKFILLS)
    }
}

impl Act {
    fn send(self, call: impl FnOnce(&str, &OverrideBody) -> Call<BackfillDone>) -> anyhow::Result<ExitCode> {
        let by = OverrideBody { actor: Some(actor()), reason: self.reason };
        let One { id, connect } = self.one;
        connect.run(async |client, print| {
            let id = client.backfill_id(&id).await?;
            print.object(client.send(call(&id, &by)).await?.json());
            Ok(ExitCode::SUCCESS)
        })
    }
}
