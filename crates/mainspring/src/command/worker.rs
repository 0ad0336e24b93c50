//! `mainspring worker`: runs what a server gives it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use mainspring_agent::{AddressRange, AgentConfig};

use super::connect::Connect;
use crate::serve::{self, Stop};

/// Connects out to a server and runs its tasks: processes and HTTP calls. Without a subcommand it works until SIGTERM,
/// then it finishes what runs; results wait on its disk until the server has them.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Worker {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    start: Start,
}

#[derive(Subcommand)]
enum What {
    /// Show the workers that the server knows
    List(List),
}

#[derive(Args)]
struct List {
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct Start {
    /// The server
    #[arg(long, value_name = "URL", env = "MAINSPRING_SERVER", default_value = "http://127.0.0.1:7070")]
    server: String,
    /// The pool to work for
    #[arg(long, default_value = "default")]
    pool: String,
    /// How many tasks at once [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    slots: Option<u32>,
    /// A label, as KEY=VALUE; may be given more than once
    #[arg(long = "label", value_name = "K=V", value_parser = parse_label)]
    labels: Vec<(String, String)>,
    #[arg(long, default_value = "")]
    zone: String,
    /// Where the worker keeps its identity, its logs and results that are not yet acknowledged
    #[arg(long, value_name = "DIR", env = "MAINSPRING_WORKER_DIR", default_value = "worker")]
    state: PathBuf,
    /// Addresses that HTTP tasks may call although they are private, as 10.0.0.0/8; may be given more than once
    #[arg(long = "allow", value_name = "RANGE", value_parser = parse_range)]
    allow: Vec<AddressRange>,
}

impl Worker {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            Some(What::List(list)) => list.run(),
            None => self.start.run(),
        }
    }
}

impl Start {
    fn run(self) -> anyhow::Result<ExitCode> {
        let mut config = AgentConfig::new(self.server, self.state);
        config.pool = self.pool;
        config.slots = self.slots.unwrap_or(config.slots);
        config.labels = self.labels.into_iter().collect();
        config.zone = self.zone;
        config.allow = self.allow;
        serve::block_on(async {
            let stop = Stop::on_signal()?;
            eprintln!("working for {} in pool `{}` with {} slots", config.server, config.pool, config.slots);
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

fn parse_label(text: &str) -> Result<(String, String), String> {
    let (key, value) =
        text.split_once('=').ok_or_else(|| format!("`{text}` is not a label; write it as KEY=VALUE"))?;
    Ok((key.to_owned(), value.to_owned()))
}

fn parse_range(text: &str) -> Result<AddressRange, String> {
    text.parse().map_err(|_| format!("`{text}` is not a range of addresses; write it as 10.0.0.0/8"))
}
