//! `mainspring dead-letter`: tasks that failed for good, and what becomes of them.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use mainspring_client::{Client, ClientError, query};
use serde_json::{Map, Value, json};

use super::bulk::{Manner, add_labels, carry_out, instant};
use super::connect::{Connect, NOT_FOUND, Print, actor};
use super::list::{Between, Listing, Page, Rows};
use super::output::{Column, age, error, id, text};
use super::progress::Bar;
use super::submit::parse_label;
use super::tenant::OfTenant;

/// A dead letter is a task that failed with its retries used up, or was quarantined. Exit: 0 done, 1 refused, or at
/// least one was; 4 there is no such task.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring dead-letter list --job etl\n  \
    mainspring dead-letter groups\n  \
    mainspring dead-letter requeue task_019a88f0")]
pub(crate) struct DeadLetter {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// List dead letters, newest first
    #[command(after_help = "Examples:\n  mainspring dead-letter list --tenant acme --since 1d\n  \
        mainspring dead-letter list --job etl --state quarantined")]
    List(List),
    /// Show what went wrong, the most frequent first, each with the group for `requeue` and `discard`
    #[command(after_help = "Examples:\n  \
        mainspring dead-letter groups\n  \
        mainspring dead-letter requeue --group 0f3a91c27b5de846")]
    Groups(Groups),
    /// Queue them again, with a fresh budget of retries
    #[command(after_help = "Examples:\n  \
        mainspring dead-letter requeue task_019a88f0\n  \
        mainspring dead-letter requeue --all --tenant acme --yes")]
    Requeue(Act),
    /// Take them off the list: they become `skipped` and keep their attempts
    #[command(after_help = "Examples:\n  \
        mainspring dead-letter discard task_019a88f0 --reason \"known bug\"\n  \
        mainspring dead-letter discard --all")]
    Discard(Act),
}

#[derive(Args)]
struct Which {
    #[command(flatten)]
    tenant: OfTenant,
    /// Only of this job
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// Only with this label, as team=ops
    #[arg(long, value_name = "K=V")]
    label: Option<String>,
    #[command(flatten)]
    ended: Between,
}

#[derive(Args)]
struct List {
    #[command(flatten)]
    which: Which,
    /// Only in this state: failed or quarantined
    #[arg(long, value_name = "STATE", value_parser = ["failed", "quarantined"], hide_possible_values = true)]
    state: Option<String>,
    /// Only those whose last attempt was on this worker: its id, the beginning of it, or its name
    #[arg(long, value_name = "WORKER")]
    worker: Option<String>,
    #[command(flatten)]
    page: Page,
    #[command(flatten)]
    listing: Listing,
}

#[derive(Args)]
struct Groups {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    listing: Listing,
}

#[derive(Args)]
struct Act {
    /// The tasks: ids, or the beginnings of them
    #[arg(required_unless_present_any = ["all", "group"], conflicts_with_all = ["all", "group"])]
    ids: Vec<String>,
    /// All of a group, as `dead-letter groups` shows it
    #[arg(long, value_name = "FINGERPRINT", conflicts_with = "all")]
    group: Option<String>,
    /// All dead letters that the filters leave
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    manner: Manner,
    /// Why; kept with the task
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

const DEAD_LETTERS: Rows = Rows {
    key: "tasks",
    columns: &[
        id("TASK", "task_id"),
        text("JOB", "job"),
        text("OWNER", "owner"),
        text("TRIES", "attempt_count"),
        age("ENDED", "ended_at"),
        error("ERROR", "last_error.message"),
        text("STATE", "state").only_wide(),
        text("TYPE", "task_type").only_wide(),
        text("TENANT", "tenant").only_wide(),
        id("RUN", "run_id").only_wide(),
    ],
};

const SETTLED: [Column; 4] =
    [id("TASK", "task_id"), text("STATE", "state"), text("ERROR", "error_code"), text("MESSAGE", "message")];

const GROUPS: Rows = Rows {
    key: "groups",
    columns: &[
        text("GROUP", "fingerprint"),
        text("COUNT", "count"),
        text("JOB", "job"),
        text("OWNER", "owner"),
        age("LAST", "last_at"),
        error("ERROR", "message"),
        age("FIRST", "first_at").only_wide(),
        text("CLASS", "class").only_wide(),
        text("CODE", "code").only_wide(),
        text("IN RUNS", "in_runs").only_wide(),
        text("TENANT", "tenant").only_wide(),
        id("NEWEST", "sample_task_id").only_wide(),
    ],
};

/// Ids sent with one request.
const AT_ONCE: usize = 500;

impl DeadLetter {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::List(list) => list.run(),
            What::Groups(groups) => groups.run(),
            What::Requeue(act) => act.run("requeue"),
            What::Discard(act) => act.run("discard"),
        }
    }
}

impl Which {
    fn path(&self, tenant: Option<&str>, limit: &str, cursor: Option<&str>) -> String {
        let (since, until) = self.ended.instants();
        query(
            "/v1/dead-letters",
            &[
                ("limit", Some(limit)),
                ("tenant", tenant),
                ("job", self.job.as_deref()),
                ("label", self.label.as_deref()),
                ("ended_from", since.as_deref()),
                ("ended_before", until.as_deref()),
                ("cursor", cursor),
            ],
        )
    }
}

impl List {
    fn run(self) -> anyhow::Result<ExitCode> {
        let tenant = self.which.tenant.filter(&self.listing.connect)?;
        let path = self.which.path(tenant.as_deref(), &self.page.limit(), self.page.cursor());
        self.listing.show_at(DEAD_LETTERS, async |client| {
            let worker = match &self.worker {
                Some(text) => Some(client.worker_id(text).await?),
                None => None,
            };
            let more = query("", &[("state", self.state.as_deref()), ("worker", worker.as_deref())]);
            Ok(format!("{path}{}", more.replacen('?', "&", 1)))
        })
    }
}

impl Groups {
    fn run(self) -> anyhow::Result<ExitCode> {
        let tenant = self.which.tenant.filter(&self.listing.connect)?;
        let (since, until) = self.which.ended.instants();
        let narrowed = [
            ("tenant", tenant.as_deref()),
            ("job", self.which.job.as_deref()),
            ("label", self.which.label.as_deref()),
            ("ended_from", since.as_deref()),
            ("ended_before", until.as_deref()),
        ];
        self.listing.show(&query("/v1/dead-letters/groups", &narrowed), GROUPS)
    }
}

impl Act {
    fn run(self, verb: &'static str) -> anyhow::Result<ExitCode> {
        let Self { ids: texts, group, all, which, manner, reason, connect } = self;
        if all || group.is_some() {
            let tenant = which.tenant.filter(&connect)?;
            let body = selector(&which, tenant, group)?;
            let verb = if verb == "requeue" { "retry_tasks" } else { "discard_tasks" };
            return carry_out(connect, verb, body, (&manner, reason.as_deref()));
        }
        connect.run(async |client, print| {
            let mut ids = Vec::new();
            for text in &texts {
                ids.push(client.task_id(text).await?);
            }
            act(&client, print, verb, &ids, reason.as_deref()).await
        })
    }
}

fn selector(
    which: &Which,
    tenant: Option<String>,
    group: Option<String>,
) -> anyhow::Result<Map<String, Value>> {
    let mut body = Map::new();
    for (field, value) in [("tenant", tenant), ("job", which.job.clone()), ("fingerprint", group)] {
        body.extend(value.map(|value| (field.to_owned(), json!(value))));
    }
    if let Some(label) = &which.label {
        let pair = parse_label(label).map_err(anyhow::Error::msg)?;
        add_labels(&mut body, &[pair])?;
    }
    let (since, until) = which.ended.instants();
    for (field, at) in [("since", since), ("until", until)] {
        body.extend(at.map(|at| (field.to_owned(), instant(&at))));
    }
    if body.is_empty() {
        body.insert("all".into(), json!(true));
    }
    Ok(body)
}

async fn act(
    client: &Client,
    print: Print,
    verb: &'static str,
    ids: &[String],
    reason: Option<&str>,
) -> Result<ExitCode, ClientError> {
    let mut bar = Bar::new(verb, ids.len() as u64);
    let (mut results, mut refused) = (Vec::new(), 0);
    for some in ids.chunks(AT_ONCE) {
        let body = json!({ "ids": some, "actor": actor(), "reason": reason });
        let answer = client.post(&format!("/v1/dead-letters:{verb}"), &body).await?;
        refused += answer.get("refused").and_then(Value::as_u64).unwrap_or(0);
        results.extend(answer.get("results").and_then(Value::as_array).cloned().unwrap_or_default());
        bar.advance(some.len() as u64);
    }
    drop(bar);
    let done = ids.len() as u64 - refused;
    let whole = json!({ "results": results, "done": done, "refused": refused });
    print.rows(&whole, "results", &SETTLED);
    let unknown = |row: &Value| row["error_code"].as_str().is_some_and(|code| code.ends_with("_NOT_FOUND"));
    let none_is_there = refused == ids.len() as u64 && results.iter().all(unknown) && refused > 0;
    Ok(ExitCode::from(if none_is_there { NOT_FOUND } else { u8::from(refused > 0) }))
}
