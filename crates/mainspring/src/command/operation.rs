//! `mainspring operation`: one verb for everything that matches, and how far it has come.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use mainspring_client::{escaped, query};
use serde_json::{Map, json};

use super::bulk::{Manner, add_labels, carry_out, instant};
use super::connect::{Connect, actor};
use super::list::{Between, Listing, Page, Rows};
use super::output::{age, text};
use super::submit::parse_label;
use super::words;

/// Exit: 0 done, 1 refused, 4 there is no such operation.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring operation get 17")]
pub(crate) struct Operation {
    #[command(subcommand)]
    what: OperationCommand,
}

#[derive(Subcommand)]
enum OperationCommand {
    /// Do one thing with everything that matches
    #[command(after_help = "Examples:\n  \
        mainspring operation begin retry_tasks --job report --since 1d --dry-run\n  \
        mainspring operation begin pause_schedules --tag nightly\n  \
        mainspring operation begin drain_workers --pool gpu --yes")]
    Begin(Box<Begin>),
    /// List operations, newest first
    #[command(after_help = "Example:\n  mainspring operation list --watch")]
    List(List),
    /// Show how far one has come
    #[command(after_help = "Example:\n  mainspring operation get 17")]
    Get(Get),
    /// End one before it is through; what it did stays done
    #[command(after_help = "Example:\n  mainspring operation cancel 17 --reason \"the wrong job\"")]
    Cancel(Cancel),
}

const VERBS: [&str; 17] = [
    "cancel_tasks",
    "run_tasks_now",
    "set_task_priority",
    "retry_tasks",
    "discard_tasks",
    "cancel_runs",
    "pause_runs",
    "resume_runs",
    "retry_runs",
    "pause_jobs",
    "resume_jobs",
    "delete_jobs",
    "pause_schedules",
    "resume_schedules",
    "cordon_workers",
    "drain_workers",
    "uncordon_workers",
];

#[derive(Args)]
struct Begin {
    /// What is done with each
    #[arg(value_parser = VERBS, hide_possible_values = false)]
    verb: String,
    /// Only of this tenant
    #[arg(long, value_name = "NAME")]
    tenant: Option<String>,
    /// Only of this job
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// Tasks and workers: only of this pool
    #[arg(long, value_name = "NAME")]
    pool: Option<String>,
    /// Tasks: only those that this executor runs
    #[arg(long = "type", value_name = "EXECUTOR")]
    task_type: Option<String>,
    /// Tasks, runs and workers: only with this label, as team=ops; all that are given must be there
    #[arg(long = "label", value_name = "K=V", value_parser = parse_label)]
    labels: Vec<(String, String)>,
    /// Tasks and runs: only in these states, separated by commas
    #[arg(long, value_delimiter = ',', value_parser = words::task_state)]
    state: Vec<String>,
    /// Failed tasks: only of this group of `dead-letter groups`
    #[arg(long, value_name = "FINGERPRINT")]
    group: Option<String>,
    /// Runs: only those started by this: manual, schedule, event, backfill, rerun or parent
    #[arg(long, value_name = "KIND", value_parser = words::trigger)]
    trigger: Option<String>,
    /// Jobs and schedules: only of jobs with this tag
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    /// Jobs: only of this owner
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Jobs and schedules: only those whose name begins so
    #[arg(long, value_name = "TEXT")]
    prefix: Option<String>,
    #[command(flatten)]
    made: Between,
    /// Everything there is
    #[arg(long)]
    all: bool,
    /// `cancel_tasks`: stop running ones too
    #[arg(long)]
    force: bool,
    /// `set_task_priority`: P0, P1 or P2
    #[arg(long, value_name = "BAND", value_parser = words::priority)]
    priority: Option<String>,
    #[command(flatten)]
    manner: Manner,
    /// Why; kept with the operation and what it changes
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct List {
    #[command(flatten)]
    page: Page,
    #[command(flatten)]
    listing: Listing,
}

#[derive(Args)]
struct Get {
    /// Its number, as the command that began it printed it
    id: String,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct Cancel {
    /// Its number, as `operation list` shows it
    id: String,
    /// Why; kept with the operation
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

const OPERATIONS: Rows = Rows {
    key: "operations",
    columns: &[
        text("OPERATION", "operation_id"),
        text("VERB", "verb"),
        text("STATE", "state"),
        text("HANDLED", "handled"),
        text("REFUSED", "refused"),
        text("TOTAL", "total"),
        age("STARTED", "started_at"),
        text("ACTOR", "actor"),
        text("REASON", "reason").only_wide(),
        age("ENDED", "ended_at").only_wide(),
        text("LAST REFUSAL", "last_refusal").only_wide(),
    ],
};

impl Operation {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            OperationCommand::Begin(begin) => begin.run(),
            OperationCommand::List(list) => list.run(),
            OperationCommand::Get(get) => get.run(),
            OperationCommand::Cancel(cancel) => cancel.run(),
        }
    }
}

impl Begin {
    fn run(self) -> anyhow::Result<ExitCode> {
        let mut body = Map::new();
        let named = [
            ("tenant", &self.tenant),
            ("job", &self.job),
            ("pool", &self.pool),
            ("task_type", &self.task_type),
            ("fingerprint", &self.group),
            ("trigger", &self.trigger),
            ("tag", &self.tag),
            ("owner", &self.owner),
            ("name_prefix", &self.prefix),
            ("priority", &self.priority),
        ];
        for (field, value) in named {
            body.extend(value.as_ref().map(|value| (field.to_owned(), json!(value))));
        }
        add_labels(&mut body, &self.labels)?;
        if !self.state.is_empty() {
            body.insert("state".into(), json!(self.state));
        }
        let (since, until) = self.made.instants();
        for (field, at) in [("since", since), ("until", until)] {
            body.extend(at.map(|at| (field.to_owned(), instant(&at))));
        }
        for (field, is_set) in [("all", self.all), ("force", self.force)] {
            body.extend(is_set.then(|| (field.to_owned(), json!(true))));
        }
        carry_out(self.connect, &self.verb, body, (&self.manner, self.reason.as_deref()))
    }
}

impl List {
    fn run(self) -> anyhow::Result<ExitCode> {
        let path =
            query("/v1/operations", &[("limit", Some(&*self.page.limit())), ("cursor", self.page.cursor())]);
        self.listing.show(&path, OPERATIONS)
    }
}

impl Get {
    fn run(self) -> anyhow::Result<ExitCode> {
        let path = format!("/v1/operations/{}", escaped(&self.id));
        self.connect.run(async |client, print| {
            print.object(&client.get(&path).await?);
            Ok(ExitCode::SUCCESS)
        })
    }
}

impl Cancel {
    fn run(self) -> anyhow::Result<ExitCode> {
        let path = format!("/v1/operations/{}:cancel", escaped(&self.id));
        let body = json!({"actor": actor(), "reason": self.reason});
        self.connect.run(async |client, print| {
            print.object(&client.post(&path, &body).await?);
            Ok(ExitCode::SUCCESS)
        })
    }
}
