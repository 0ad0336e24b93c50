//! `mainspring schedule`: look at schedules, at what became of their windows and at which come next, and act on them.

mod named;
mod put;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use mainspring_client::{escaped, query};

use self::named::{Act, Named, One};
use super::list::{Between, Listing, Page, Rows};
use super::output::{age, id, instant, pair, text};
use super::scoped::{Key, Kind, key};
use super::tenant::OfTenant;
use super::words;

/// A schedule is named JOB/NAME, or JOB alone if the job has one; recurring tasks are named @tasks/NAME.
/// Exit: 0 done, 1 refused, 4 there is no such schedule.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring schedule list\n  \
    mainspring schedule history nightly-report\n  \
    mainspring schedule windows --outcome missed")]
pub(crate) struct Schedule {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// List schedules with their next window
    #[command(
        after_help = "Examples:\n  mainspring schedule list\n  mainspring schedule list --job nightly-report"
    )]
    List(List),
    /// Show one schedule
    #[command(after_help = "Example:\n  mainspring schedule get nightly-report/morning -o json")]
    Get(One),
    /// What became of its windows, newest first
    #[command(after_help = "Examples:\n  mainspring schedule history nightly-report\n  \
                      mainspring schedule history nightly-report --outcome missed --since 30d\n  \
                      mainspring schedule history @tasks/backup --limit 20")]
    History(History),
    /// What became of the windows of all schedules, the oldest first; of the last 24 hours unless --since says otherwise
    #[command(after_help = "Examples:\n  mainspring schedule windows --outcome missed\n  \
                      mainspring schedule windows --since 7d --job nightly-report")]
    Windows(Ledger),
    /// The windows of all schedules that come next
    #[command(
        after_help = "Examples:\n  mainspring schedule upcoming\n  mainspring schedule upcoming --within 1d --limit 20"
    )]
    Upcoming(Ahead),
    /// Store a schedule of a job from a file
    Put(put::Put),
    /// Skip its windows until it is resumed
    #[command(
        after_help = "Example:\n  mainspring schedule pause nightly-report/morning --reason 'the source is down'"
    )]
    Pause(Act),
    /// Let its windows begin runs again; those that passed are skipped
    #[command(after_help = "Example:\n  mainspring schedule resume nightly-report/morning")]
    Resume(Act),
    /// Delete it; what it began goes on, and its history stays
    #[command(after_help = "Example:\n  mainspring schedule delete @tasks/backup")]
    Delete(Act),
}

#[derive(Args)]
struct List {
    #[command(flatten)]
    tenant: OfTenant,
    /// Only of this job; `@tasks` for recurring tasks
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    #[command(flatten)]
    page: Page,
    #[command(flatten)]
    listing: Listing,
}

#[derive(Args)]
struct History {
    #[command(flatten)]
    named: Named,
    /// Only those of which this became: ran, late, `catch_up`, `no_event`, backfill, skipped, missed
    #[arg(long, value_name = "OUTCOME", value_parser = words::outcome)]
    outcome: Option<String>,
    #[command(flatten)]
    passed: Between,
    #[command(flatten)]
    page: Page,
    #[command(flatten)]
    listing: Listing,
}

#[derive(Args)]
struct Ledger {
    #[command(flatten)]
    tenant: OfTenant,
    /// Only of this job; `@tasks` for recurring tasks
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// Only those of which this became: ran, late, `catch_up`, `no_event`, backfill, skipped, missed
    #[arg(long, value_name = "OUTCOME", value_parser = words::outcome)]
    outcome: Option<String>,
    #[command(flatten)]
    passed: Between,
    #[command(flatten)]
    listing: Listing,
}

#[derive(Args)]
struct Ahead {
    #[command(flatten)]
    tenant: OfTenant,
    /// How far to look, as 30s, 10m, 2h, 1d
    #[arg(long, value_name = "SPAN", default_value = "1h")]
    within: String,
    /// At most so many rows
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: u32,
    #[command(flatten)]
    listing: Listing,
}

pub(super) const SCHEDULES: Rows = Rows {
    key: "schedules",
    columns: &[
        pair("SCHEDULE", "job", "name"),
        text("STATE", "state"),
        age("NEXT", "next"),
        age("LAST", "last"),
        text("MISSED", "missed"),
        text("WHEN", "description"),
        text("TENANT", "tenant").only_wide(),
        text("TIMEZONE", "timezone").only_wide(),
        text("FIRED", "fired").only_wide(),
        text("SKIPPED", "skipped").only_wide(),
        text("ACTIVE", "active").only_wide(),
    ],
};
const WINDOWS: Rows = Rows {
    key: "windows",
    columns: &[
        instant("WINDOW", "first"),
        text("COUNT", "count"),
        text("OUTCOME", "outcome"),
        text("STATE", "run_state"),
        id("RUN", "run_id"),
        text("REASON", "reason"),
        instant("LAST", "last").only_wide(),
        id("TASK", "task_id").only_wide(),
        age("DECIDED", "decided_at").only_wide(),
    ],
};
const LEDGER: Rows = Rows {
    key: "windows",
    columns: &[
        pair("SCHEDULE", "job", "name"),
        instant("WINDOW", "first"),
        text("COUNT", "count"),
        text("OUTCOME", "outcome"),
        text("STATE", "run_state"),
        id("RUN", "run_id"),
        text("REASON", "reason"),
        instant("LAST", "last").only_wide(),
        id("TASK", "task_id").only_wide(),
        age("DECIDED", "decided_at").only_wide(),
        text("TENANT", "tenant").only_wide(),
    ],
};
const UPCOMING: Rows = Rows {
    key: "windows",
    columns: &[
        pair("SCHEDULE", "job", "name"),
        age("BEGINS", "begins_at"),
        instant("AT", "begins_at"),
        text("WHEN", "description"),
        text("JOB PAUSED", "job_paused").only_wide(),
        text("TENANT", "tenant").only_wide(),
    ],
};

impl Schedule {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::List(list) => list.run(),
            What::Get(one) => one.show(),
            What::History(history) => history.run(),
            What::Windows(ledger) => ledger.run(),
            What::Upcoming(ahead) => ahead.run(),
            What::Put(put) => put.run(),
            What::Pause(act) => act.pause(),
            What::Resume(act) => act.resume(),
            What::Delete(act) => act.delete(),
        }
    }
}

impl List {
    fn run(self) -> anyhow::Result<ExitCode> {
        let (limit, tenant) = (self.page.limit(), self.tenant.filter(&self.listing.connect)?);
        let wanted = [
            ("tenant", tenant.as_deref()),
            ("job", self.job.as_deref()),
            ("limit", Some(&*limit)),
            ("cursor", self.page.cursor()),
        ];
        self.listing.show(&query("/v1/schedules", &wanted), SCHEDULES)
    }
}

impl History {
    fn run(self) -> anyhow::Result<ExitCode> {
        let (limit, tenant) = (self.page.limit(), self.named.tenant.name(&self.listing.connect)?);
        let Self { named, page, listing, outcome, passed } = self;
        let (from, to) = passed.instants();
        listing.show_at(WINDOWS, async |client| {
            let Key { job, name, .. } = key(client, Kind::Schedule, &named.name, &tenant).await?;
            let wanted = [
                ("tenant", Some(&*tenant)),
                ("limit", Some(&*limit)),
                ("cursor", page.cursor()),
                ("outcome", outcome.as_deref()),
                ("from", from.as_deref()),
                ("to", to.as_deref()),
            ];
            let path = format!("/v1/schedules/{}/{}/history", escaped(&job), escaped(&name));
            Ok(query(&path, &wanted))
        })
    }
}

impl Ledger {
    fn run(self) -> anyhow::Result<ExitCode> {
        let (from, to) = self.passed.instants();
        let tenant = self.tenant.filter(&self.listing.connect)?;
        let wanted = [
            ("tenant", tenant.as_deref()),
            ("job", self.job.as_deref()),
            ("outcome", self.outcome.as_deref()),
            ("from", from.as_deref()),
            ("to", to.as_deref()),
        ];
        self.listing.show(&query("/v1/windows", &wanted), LEDGER)
    }
}

impl Ahead {
    fn run(self) -> anyhow::Result<ExitCode> {
        let (limit, tenant) = (self.limit.to_string(), self.tenant.filter(&self.listing.connect)?);
        let wanted =
            [("tenant", tenant.as_deref()), ("within", Some(&*self.within)), ("limit", Some(&*limit))];
        self.listing.show(&query("/v1/schedules:upcoming", &wanted), UPCOMING)
    }
}
