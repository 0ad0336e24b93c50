//! `mainspring dev`: everything in one process, ready to be tried.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use mainspring_agent::{AddressRange, AgentConfig, SessionToken};
use mainspring_api::{Access, AllowedHost, BasePath};
use mainspring_client::Client;
use mainspring_runtime::Trust;
use serde_json::json;
use tokio::sync::oneshot;

use super::offered::Offered;
use crate::config::{Config, ServerSetup, Sources};
use crate::note::note;
use crate::serve::{self, Stop};
use crate::token::{self, Secret};

/// Where the server's data is, in the directory that `dev` was given.
pub(super) const SERVER_DIR: &str = "server";

/// A server, a worker and a few sample tasks, with their data in one directory. For trying things out and for
/// development; HTTP tasks may call this machine.
#[derive(Args)]
#[command(after_help = "Example:\n  mainspring dev --data try")]
pub(crate) struct Dev {
    /// Where the data is kept; made if it is not there
    #[arg(long, value_name = "DIR", default_value = "data")]
    data: PathBuf,
    /// Where to listen; with port 0 any free one is taken, and printed
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7070")]
    listen: SocketAddr,
    /// A file with the token that every caller must show; needed to listen beyond loopback
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Listen beyond loopback without a token: whoever reaches the address can run programs
    #[arg(long, conflicts_with = "token_file")]
    insecure: bool,
    /// A name of this server that callers may use, beside `localhost` and its addresses; may be given more than once
    #[arg(long = "allow-host", value_name = "NAME")]
    allow_hosts: Vec<AllowedHost>,
    /// The folder of a web site below which a reverse proxy has this server, as `/tools/mainspring`
    #[arg(long, value_name = "PATH", default_value = "/")]
    base_path: BasePath,
    #[command(flatten)]
    offered: Offered,
}

impl Dev {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let worker = worker_setup(self.offered)?;
        serve::run_service(async {
            let stop = Stop::on_signal()?;
            let (ready, address) = oneshot::channel();
            let data = self.data.join(SERVER_DIR);
            let (server_stop, worker_stop) = (stop.clone(), stop);
            let ready = |address| {
                let _ = ready.send(address);
            };
            let secret = self.token_file.as_deref().map(token::read).transpose()?;
            let token = secret.as_ref().map(Secret::token).transpose()?;
            let access = Access { hosts: self.allow_hosts, token, insecure: self.insecure };
            let mut setup = setup(data, self.listen, access)?;
            setup.base = self.base_path;
            let server = serve::server(&setup, ready, server_stop);
            let rest = async {
                // An error of the server itself is told by the server.
                let Ok(address) = address.await else { return Ok(()) };
                let url = format!("http://{address}");
                let config = worker_config(worker, &url, &self.data, secret.as_ref());
                let worker = serve::worker(config, worker_stop.requested());
                let samples = async {
                    submit_samples(&url, secret.as_ref()).await?;
                    print_welcome(&format!("{url}{}", setup.base.as_str()), &self.data);
                    anyhow::Ok(())
                };
                tokio::try_join!(worker, samples).map(|_| ())
            };
            tokio::try_join!(server, rest)?;
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// Everything by default: what is tried out should not depend on what lies about.
fn setup(data: PathBuf, listen: SocketAddr, access: Access) -> anyhow::Result<ServerSetup> {
    let none = |_: &str| None;
    let config = Config::load(Sources { file: None, flags: vec![], environment: &none })?;
    let mut setup = ServerSetup { data, listen, access, ..config.server()? };
    // What is tried out is started and stopped at any time: nobody wants to wait for a clock.
    setup.shard.trust = Trust::Accept;
    Ok(setup)
}

fn worker_setup(offered: Offered) -> anyhow::Result<AgentConfig> {
    let flags =
        offered.flags().into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    Config::load(Sources { file: None, flags, environment: &|_: &str| None })?.worker()
}

fn worker_config(setup: AgentConfig, url: &str, data: &Path, secret: Option<&Secret>) -> AgentConfig {
    let capacity = setup.capacity;
    let mut config = AgentConfig { capacity, ..AgentConfig::new(url, data.join("worker")) };
    config.token = secret.and_then(|secret| SessionToken::new(secret.text()));
    config.slots = config.slots.max(4);
    config.allow = AddressRange::loopback();
    config
}

/// Tasks: one that succeeds, one that fails until its retries are spent, one for later; then jobs. The keys make a second
/// start of the same data add nothing.
async fn submit_samples(url: &str, secret: Option<&Secret>) -> anyhow::Result<()> {
    let mut client = Client::new(url)?;
    if let Some(secret) = secret {
        client = client.with_token(secret.text())?;
    }
    let quick = json!({ "backoff": "fixed", "initial_delay_ms": 500, "max_retries": 2 });
    let samples = [
        (
            "hello",
            json!({ "task_type": "process", "payload": { "argv": ["echo", "hello from mainspring"] } }),
        ),
        (
            "failing",
            json!({ "task_type": "process", "payload": { "argv": ["false"] }, "retry_policy": quick }),
        ),
        ("later", json!({ "task_type": "process", "payload": { "argv": ["date"] }, "delay_ms": 3_600_000 })),
    ];
    for (name, body) in samples {
        let key = format!("dev-sample-{name}");
        client.call(http::Method::POST, "/v1/tasks", Some(&body), &[("idempotency-key", &key)]).await?;
    }
    for job in sample_jobs() {
        client.call(http::Method::POST, "/v1/jobs", Some(&job), &[]).await?;
        let path = format!("/v1/jobs/{}:trigger", job["job"].as_str().unwrap_or_default());
        client.call(http::Method::POST, &path, Some(&json!({ "run_key": "dev-sample" })), &[]).await?;
    }
    Ok(())
}

/// One with a graph, one that fails, one whose windows come faster than it runs, so that some are skipped, one whose tasks
/// wait for each other.
fn sample_jobs() -> [serde_json::Value; 4] {
    let step = |seconds: &str, needs: &[&str]| json!({ "run": ["sleep", seconds], "needs": needs });
    [
        json!({
            "job": "sample-report", "description": "Loads two sources, joins them and publishes the result.",
            "owner": "dev", "tags": ["sample"],
            "parameters": { "day": { "type": "string", "default": "2026-01-31", "description": "Which day" } },
            "tasks": {
                "orders": { "run": ["echo", "orders of {{ params.day }}"] },
                "customers": step("0.4", &[]),
                "join": step("0.3", &["orders", "customers"]),
                "totals": step("0.2", &["join"]),
                "forecast": step("0.5", &["join"]),
                "publish": { "run": ["echo", "published"], "needs": ["totals", "forecast"] },
            },
            "schedules": [{ "name": "every-ten-minutes", "every": "10m" }],
        }),
        json!({
            "job": "sample-broken", "description": "Fails, to show what that looks like.", "owner": "dev", "tags": ["sample"],
            "tasks": {
                "fine": { "run": ["echo", "so far so good"] },
                "broken": { "shell": "echo 'the disk is full' >&2; exit 3", "needs": ["fine"], "retries": 0 },
                "after": { "run": ["echo", "never"], "needs": ["broken"] },
            },
        }),
        json!({
            "job": "sample-overlap", "description": "Takes longer than the time to its next window.", "owner": "dev",
            "tags": ["sample"],
            "tasks": { "pause": { "wait": { "for": "50s" } } },
            "schedules": [{ "name": "often", "every": "30s", "overlap": "forbid" }],
        }),
        json!({
            "job": "sample-limit", "description": "Three tasks that may only run one at a time.", "owner": "dev",
            "tags": ["sample"],
            "tasks": {
                "load": { "run": ["sleep", "60"], "limits": ["warehouse"] },
                "check": { "run": ["sleep", "60"], "limits": ["warehouse"] },
                "report": { "run": ["sleep", "60"], "limits": ["warehouse"] },
            },
        }),
    ]
}

fn print_welcome(url: &str, data: &Path) {
    // Commands find the usual place by themselves.
    let elsewhere = url != "http://127.0.0.1:7070";
    let program =
        std::env::current_exe().map_or_else(|_| "this program".to_owned(), |path| path.display().to_string());
    let first = if elsewhere { format!("export MAINSPRING_SERVER={url}\n        ") } else { String::new() };
    note!(
        "Mainspring is running at {url}, data in `{}`\n\n\
         look:   {url}/ui/\n\
         \x20       {url}/docs\n\
         try:    {first}mainspring submit --wait -- echo hello\n\
         \x20       mainspring submit --in 10s -- date\n\
         \x20       mainspring task list\n\
         \x20       mainspring job trigger sample-broken --wait\n\
         \x20       mainspring attention\n\
         \x20       curl {url}/v1/stats\n\
         break:  kill -9 this process in the middle of something, start it again, and look at the same task\n\n\
         (`mainspring` is {program}; Ctrl-C stops it in good order)",
        data.display()
    );
}
