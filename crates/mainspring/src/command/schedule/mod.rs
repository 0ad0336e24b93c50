//! `mainspring schedule`: look at schedules, at what became of their windows and at which come next, and act on them.

mod named;
mod put;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use mainspring_client::query;

use self::named::{Act, One};
use super::connect::Connect;
use super::run::{actor, by};

use crate::note::note;

/// A schedule is named JOB/NAME, or JOB alone if the job has one; recurring tasks are named @tasks/NAME.
/// Exit: 0 done, 1 refused, 4 there is no such schedule.
#[derive(Args)]
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
                      mainspring schedule history @tasks/backup --limit 20")]
    History(History),
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
    /// Only of this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Only of this job; `@tasks` for recurring tasks
    #[arg(long)]
    job: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 100)]
    limit: u32,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct History {
    #[command(flatten)]
    one: One,
    /// At most so many
    #[arg(long, default_value_t = 100)]
    limit: u32,
    /// Go on where a page before ended
    #[arg(long)]
    cursor: Option<String>,
}

#[derive(Args)]
struct Ahead {
    /// Only of this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// How far to look, as 30s, 10m, 2h, 1d
    #[arg(long, value_name = "SPAN", default_value = "1h")]
    within: String,
    /// At most so many
    #[arg(long, default_value_t = 100)]
    limit: u32,
    #[command(flatten)]
    connect: Connect,
}

pub(super) const COLUMNS: [&str; 9] =
    ["job", "name", "state", "description", "timezone", "next", "last", "fired", "missed"];
const OF_HISTORY: [&str; 7] = ["first", "last", "count", "outcome", "reason", "run_id", "task_id"];
const OF_UPCOMING: [&str; 6] = ["begins_at", "job", "name", "description", "tenant", "job_paused"];

impl Schedule {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::List(list) => {
                let limit = list.limit.to_string();
                let wanted = [
                    ("tenant", list.tenant.as_deref()),
                    ("job", list.job.as_deref()),
                    ("limit", Some(&*limit)),
                ];
                rows(list.connect, &query("/v1/schedules", &wanted), "schedules", &COLUMNS)
            }
            What::Get(one) => one.show("", &[], |answer, print| print.object(answer)),
            What::History(history) => {
                let limit = history.limit.to_string();
                let page = [("limit", Some(&*limit)), ("cursor", history.cursor.as_deref())];
                history.one.show("/history", &page, |answer, print| {
                    print.rows(answer, "windows", &OF_HISTORY);
                    if let Some(next) = answer.get("next_cursor").and_then(serde_json::Value::as_str) {
                        note!("older ones: --cursor {next}");
                    }
                })
            }
            What::Upcoming(ahead) => {
                let limit = ahead.limit.to_string();
                let wanted = [
                    ("tenant", ahead.tenant.as_deref()),
                    ("within", Some(&*ahead.within)),
                    ("limit", Some(&*limit)),
                ];
                rows(ahead.connect, &query("/v1/schedules:upcoming", &wanted), "windows", &OF_UPCOMING)
            }
            What::Put(put) => put.run(),
            What::Pause(act) => act.post(":pause"),
            What::Resume(act) => act.post(":resume"),
            What::Delete(act) => act.delete(),
        }
    }
}

fn rows(connect: Connect, path: &str, key: &str, columns: &[&str]) -> anyhow::Result<ExitCode> {
    connect.run(async |client, print| {
        print.rows(&client.get(path).await?, key, columns);
        Ok(ExitCode::SUCCESS)
    })
}
