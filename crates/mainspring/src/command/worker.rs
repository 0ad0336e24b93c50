//! `mainspring worker`: runs what a server gives it.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::config::Given;
use super::connect::Connect;
use super::offered::Offered;
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
    #[command(after_help = "Example:\n  mainspring worker list -o json")]
    List(List),
    /// Give a worker nothing new; what it runs goes on
    #[command(after_help = "Example:\n  mainspring worker cordon build-7")]
    Cordon(Which),
    /// Give a cordoned worker work again
    #[command(after_help = "Example:\n  mainspring worker uncordon build-7")]
    Uncordon(Which),
    /// Let a worker finish what it runs and give it nothing new, before it is taken away
    #[command(after_help = "Example:\n  mainspring worker drain worker_019a88")]
    Drain(Which),
}

#[derive(Args)]
struct Which {
    /// The worker: its id, the beginning of it, or its name
    worker: String,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct List {
    #[command(flatten)]
    connect: Connect,
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
    #[arg(long)]
    pool: Option<String>,
    /// How many tasks at once [default: one a processor]
    #[arg(long, value_name = "N")]
    slots: Option<String>,
    /// A label, as KEY=VALUE; may be given more than once
    #[arg(long = "label", value_name = "K=V", value_parser = parse_label)]
    labels: Vec<String>,
    #[arg(long)]
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
            Some(What::List(list)) => list.run(),
            Some(What::Cordon(which)) => which.post("cordon"),
            Some(What::Uncordon(which)) => which.post("uncordon"),
            Some(What::Drain(which)) => which.post("drain"),
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

impl List {
    fn run(self) -> anyhow::Result<ExitCode> {
        self.connect.run(async |client, print| {
            let workers = client.get("/v1/workers").await?;
            print.rows(&workers, "workers", &["worker_id", "name", "state", "pool", "running", "slots"]);
            Ok(ExitCode::SUCCESS)
        })
    }
}

impl Which {
    fn post(self, verb: &str) -> anyhow::Result<ExitCode> {
        let text = self.worker;
        self.connect.run(async |client, print| {
            let id = client.worker_id(&text).await?;
            let answer = client.post(&format!("/v1/workers/{id}:{verb}"), &serde_json::json!({})).await?;
            print.object(&answer);
            Ok(ExitCode::SUCCESS)
        })
    }
}

fn parse_label(text: &str) -> Result<String, String> {
    let right = text.split_once('=').is_some_and(|(key, _)| !key.is_empty()) && !text.contains(',');
    right.then(|| text.to_owned()).ok_or_else(|| format!("`{text}` is not a label; write it as KEY=VALUE"))
}
