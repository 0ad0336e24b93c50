//! `mainspring worker`: runs what a server gives it.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use mainspring_client::{Client, ClientError, query};
use serde_json::json;

use super::config::Given;
use super::connect::Connect;
use super::list::{Listing, Rows};
use super::offered::Offered;
use super::output::{id, text};
use super::run::actor;
use super::submit::parse_span;
use super::words;
use crate::note::note;
use crate::serve::{self, Stop};

/// Connects out to a server and runs its tasks: processes and HTTP calls. Without a subcommand it works until SIGTERM,
/// then it finishes what runs; results wait on its disk until the server has them.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(
    after_help = "Examples:\n  mainspring worker --pool gpu --slots 4 --label disk=ssd\n  mainspring worker --gpus 2 --disk 200GiB --resource license=5\n  mainspring worker --config /etc/mainspring.toml"
)]
pub(crate) struct Worker {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    start: Start,
}

#[derive(Subcommand)]
enum What {
    /// Show the workers that the server knows
    #[command(
        after_help = "Examples:\n  mainspring worker list\n  mainspring worker list --pool gpu --state healthy -o json"
    )]
    List(List),
    /// Show one worker, with who cordoned it, why, and since when
    #[command(after_help = "Example:\n  mainspring worker get build-7")]
    Get(Which),
    /// Give a worker nothing new; what it runs goes on. It holds until `uncordon`, over restarts of the worker and of the
    /// server
    #[command(after_help = "Example:\n  mainspring worker cordon build-7 --reason \"disk is failing\"")]
    Cordon(Change),
    /// Give a cordoned or drained worker work again
    #[command(after_help = "Example:\n  mainspring worker uncordon build-7")]
    Uncordon(Change),
    /// Give a worker nothing new and let it become empty, before it is taken away. What it runs goes on; `uncordon` takes it
    /// back
    #[command(after_help = "Example:\n  mainspring worker drain build-7 --wait --timeout 10m")]
    Drain(Drain),
}

#[derive(Args)]
struct Which {
    /// The worker: its id, the beginning of it, or its name
    worker: String,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct Change {
    #[command(flatten)]
    which: Which,
    /// Stored with the cordon, and shown by `worker get`
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

#[derive(Args)]
struct Drain {
    #[command(flatten)]
    change: Change,
    /// Wait until the worker runs nothing; what is left is shown on stderr
    #[arg(long)]
    wait: bool,
    /// Wait no longer than this, as 30s, 10m, 2h; the worker stays draining
    #[arg(long, value_name = "SPAN", value_parser = parse_span, requires = "wait")]
    timeout: Option<Duration>,
}

#[derive(Args)]
struct List {
    /// Only of this pool
    #[arg(long, value_name = "NAME")]
    pool: Option<String>,
    /// Only in this state: healthy, cordoned, draining, drained, unhealthy or disconnected
    #[arg(long, value_name = "STATE", value_parser = words::worker_state)]
    state: Option<String>,
    #[command(flatten)]
    listing: Listing,
}

#[derive(Args)]
struct Start {
    /// The server [default: `http://127.0.0.1:7070`] [env: `MAINSPRING_SERVER`]
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// A file with the token of the server [env: `MAINSPRING_WORKER_TOKEN_FILE`, or the token itself: `MAINSPRING_TOKEN`]
    #[arg(long, value_name = "FILE")]
    token_file: Option<String>,
    /// The pool to work for [default: default]
    #[arg(long, value_name = "NAME")]
    pool: Option<String>,
    /// How many tasks at once [default: one a processor]
    #[arg(long, value_name = "N")]
    slots: Option<String>,
    /// A label, as KEY=VALUE; may be given more than once
    #[arg(long = "label", value_name = "K=V", value_parser = parse_label)]
    labels: Vec<String>,
    /// Where it stands, as eu-1; tasks and people can tell workers apart by it
    #[arg(long, value_name = "NAME")]
    zone: Option<String>,
    #[command(flatten)]
    offered: Offered,
    /// Where the worker keeps its identity, its logs and results that are not yet acknowledged [default: worker]
    /// [env: `MAINSPRING_WORKER_DIR`]
    #[arg(long, value_name = "DIR")]
    state: Option<String>,
    /// Addresses or hosts that HTTP tasks may call although they are private, as 10.0.0.0/8 or host.example:8080;
    /// may be given more than once
    #[arg(long = "allow", value_name = "WHAT")]
    allow: Vec<String>,
    #[command(flatten)]
    given: Given,
}

impl Worker {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            Some(What::List(list)) => {
                let wanted = [("pool", list.pool.as_deref()), ("state", list.state.as_deref())];
                list.listing.show(&query("/v1/workers", &wanted), WORKERS)
            }
            Some(What::Get(which)) => which.get(),
            Some(What::Cordon(change)) => change.post("cordon"),
            Some(What::Uncordon(change)) => change.post("uncordon"),
            Some(What::Drain(drain)) => drain.run(),
            None => self.start.run(),
        }
    }
}

impl Start {
    fn run(self) -> anyhow::Result<ExitCode> {
        let joined = |list: Vec<String>| (!list.is_empty()).then(|| list.join(","));
        let mut flags = vec![
            ("worker.server", self.server),
            ("worker.token_file", self.token_file),
            ("worker.pool", self.pool),
            ("worker.slots", self.slots),
            ("worker.labels", joined(self.labels)),
            ("worker.zone", self.zone),
            ("worker.state", self.state),
            ("worker.webhook.allow", joined(self.allow)),
        ];
        flags.extend(self.offered.flags());
        let config = self.given.load(flags)?.worker()?;
        serve::run_service(async {
            let stop = Stop::on_signal()?;
            note!("working for {} in pool `{}` with {} slots", config.server, config.pool, config.slots);
            serve::worker(config, stop.requested()).await?;
            Ok(ExitCode::SUCCESS)
        })
    }
}

const WORKERS: Rows = Rows {
    key: "workers",
    columns: &[
        text("NAME", "name"),
        text("STATE", "state"),
        text("POOL", "pool"),
        text("RUNNING", "running"),
        text("SLOTS", "slots"),
        id("WORKER", "worker_id"),
        text("VERSION", "version").only_wide(),
        text("ZONE", "zone").only_wide(),
        text("CORDON", "cordon.reason").only_wide(),
    ],
};

impl Which {
    fn get(self) -> anyhow::Result<ExitCode> {
        let text = self.worker;
        self.connect.run(async |client, print| {
            let id = client.worker_id(&text).await?;
            print.object(&client.get(&format!("/v1/workers/{id}")).await?);
            Ok(ExitCode::SUCCESS)
        })
    }
}

impl Change {
    fn post(self, verb: &str) -> anyhow::Result<ExitCode> {
        let Self { which: Which { worker: text, connect }, reason } = self;
        connect.run(async |client, print| {
            let id = client.worker_id(&text).await?;
            print
                .object(&client.post(&format!("/v1/workers/{id}:{verb}"), &signed(reason.as_deref())).await?);
            Ok(ExitCode::SUCCESS)
        })
    }
}

fn signed(reason: Option<&str>) -> serde_json::Value {
    json!({"actor": actor(), "reason": reason})
}

/// How often a draining worker is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Tasks named in what is left.
const NAMED_MAX: usize = 5;

impl Drain {
    fn run(self) -> anyhow::Result<ExitCode> {
        let Self { change: Change { which: Which { worker: text, connect }, reason }, wait, timeout } = self;
        connect.run(async |client, print| {
            let id = client.worker_id(&text).await?;
            let body = signed(reason.as_deref());
            let answer = client.post(&format!("/v1/workers/{id}:drain"), &body).await?;
            if !wait {
                print.object(&answer);
                return Ok(ExitCode::SUCCESS);
            }
            let until = timeout.map(|timeout| Instant::now() + timeout);
            let mut shown = None;
            loop {
                let worker = match client.get(&format!("/v1/workers/{id}")).await {
                    Ok(worker) => worker,
                    // It has left, with nothing in its hands.
                    Err(error) if error.is_not_found() => break,
                    Err(error) => return Err(error),
                };
                let running = worker["running"].as_u64().unwrap_or_default();
                if running == 0 {
                    break;
                }
                if shown != Some(running) {
                    shown = Some(running);
                    note!("{}", left(&id, running, &held_by(&client, &id).await?));
                }
                if until.is_some_and(|until| Instant::now() >= until) {
                    note!("the timeout has passed; the worker stays draining");
                    print.object(&worker);
                    return Ok(ExitCode::from(1));
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
            print.object(&json!({"worker_id": id, "state": "drained", "running": 0}));
            Ok(ExitCode::SUCCESS)
        })
    }
}

async fn held_by(client: &Client, worker: &str) -> Result<Vec<String>, ClientError> {
    let path = format!("/v1/tasks?worker={worker}&state=assigned,running&limit={NAMED_MAX}");
    let tasks = client.get(&path).await?;
    let ids = tasks["tasks"].as_array().into_iter().flatten().filter_map(|task| task["task_id"].as_str());
    Ok(ids.map(str::to_owned).collect())
}

fn left(worker: &str, running: u64, named: &[String]) -> String {
    let attempts = if running == 1 { "attempt" } else { "attempts" };
    let more = if running > named.len() as u64 && !named.is_empty() { ", …" } else { "" };
    format!("{worker} still runs {running} {attempts}: {}{more}", named.join(", "))
}

fn parse_label(text: &str) -> Result<String, String> {
    let right = text.split_once('=').is_some_and(|(key, _)| !key.is_empty()) && !text.contains(',');
    right.then(|| text.to_owned()).ok_or_else(|| format!("`{text}` is not a label; write it as KEY=VALUE"))
}
