//! `mainspring task list`: tasks by state, tenant, label, time.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::query;

use super::list::{Between, Listing, Page, Rows};
use super::output::{age, error, id, run_task, text, took};
use super::tenant::OfTenant;
use super::words;

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring task list --state failed,quarantined --since 1d\n  \
    mainspring task list --label team=ops -o json\n  \
    mainspring task list --state running --watch")]
pub(super) struct List {
    /// Only in these states, separated by commas, as `failed,retry_wait`
    #[arg(long, value_name = "STATES", value_parser = words::task_states)]
    state: Option<String>,
    #[command(flatten)]
    tenant: OfTenant,
    /// Only of this job
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// Only with this label, as team=ops
    #[arg(long, value_name = "K=V")]
    label: Option<String>,
    /// Only on this worker: its id, the beginning of it, or its name
    #[arg(long, value_name = "WORKER")]
    worker: Option<String>,
    /// Only tasks of this run, in the order of its job; goes with --state, --limit and --cursor
    #[arg(long, value_name = "RUN", conflicts_with_all = ["tenant", "all_tenants", "job", "label", "worker", "pool", "reason", "limit_name", "since", "until", "older"])]
    run: Option<String>,
    /// Only unfinished tasks of this pool, as `gpu`
    #[arg(long, value_name = "POOL")]
    pool: Option<String>,
    /// Only queued tasks that wait for this, as `task waiting` calls it, as `no_room`
    #[arg(long, value_name = "REASON")]
    reason: Option<String>,
    /// Only queued tasks that wait for this named limit, as `warehouse`
    #[arg(long, value_name = "LIMIT")]
    limit_name: Option<String>,
    #[command(flatten)]
    made: Between,
    #[command(flatten)]
    page: Page,
    /// Take a list that lacks the newest changes if the server's tables are behind, instead of an error
    #[arg(long)]
    older: bool,
    #[command(flatten)]
    listing: Listing,
}

const TASKS: Rows = Rows {
    key: "tasks",
    columns: &[
        id("TASK", "task_id"),
        text("STATE", "state"),
        text("TYPE", "task_type"),
        text("TRIES", "attempt_count"),
        age("AGE", "created_at"),
        text("JOB", "job"),
        text("TENANT", "tenant").only_wide(),
        text("POOL", "pool").only_wide(),
        text("PRIORITY", "priority.band").only_wide(),
        id("RUN", "run_id").only_wide(),
        id("WORKER", "worker").only_wide(),
        age("ENDED", "ended_at").only_wide(),
    ],
};

const OF_RUN: Rows = Rows {
    key: "tasks",
    columns: &[
        id("TASK", "task_id"),
        run_task("NAME", "run_task"),
        text("ITEM", "item"),
        text("STATE", "state"),
        text("TRIES", "attempt_count"),
        took("TOOK", "started_at", "ended_at"),
        error("ERROR", "last_error.message"),
        id("WORKER", "worker").only_wide(),
        age("ENDED", "ended_at").only_wide(),
    ],
};

impl List {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let limit = self.page.limit();
        // A run has one tenant: that of the context does not matter.
        let tenant = match &self.run {
            Some(_) => None,
            None => self.tenant.filter(&self.listing.connect)?,
        };
        let Self {
            state, job, label, worker, run, pool, reason, limit_name, made, page, older, listing, ..
        } = self;
        let (since, until) = made.instants();
        let rows = if run.is_some() { OF_RUN } else { TASKS };
        listing.show_at(rows, async |client| {
            let worker = match &worker {
                Some(text) => Some(client.worker_id(text).await?),
                None => None,
            };
            let run = match &run {
                Some(text) => Some(client.run_id(text).await?),
                None => None,
            };
            let parameters = [
                ("run_id", run.as_deref()),
                ("limit", Some(limit.as_str())),
                ("state", state.as_deref()),
                ("tenant", tenant.as_deref()),
                ("job", job.as_deref()),
                ("label", label.as_deref()),
                ("worker", worker.as_deref()),
                ("pool", pool.as_deref()),
                ("reason", reason.as_deref()),
                ("limit_name", limit_name.as_deref()),
                ("created_from", since.as_deref()),
                ("created_before", until.as_deref()),
                ("cursor", page.cursor()),
                ("older", older.then_some("true")),
            ];
            Ok(query("/v1/tasks", &parameters))
        })
    }
}
