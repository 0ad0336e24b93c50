//! `mainspring dev`: everything in one process, ready to be tried.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use mainspring_agent::{AddressRange, AgentConfig, SessionToken};
use mainspring_api::{Access, AllowedHost};
use mainspring_client::Client;
use mainspring_runtime::Trust;
use serde_json::json;
use tokio::sync::oneshot;

use super::offered::Offered;
use crate::config::{Config, ServerSetup, Sources};
use crate::note::note;
use crate::serve::{self, Stop};
use crate::token::{self, Secret};

/// A server, a worker and a few sample tasks, with their data in one directory. For trying things out and for
/// development; HTTP tasks may call this machine.
#[derive(Args)]
#[command(after_help = "Example:\n  mainspring dev --data try")]
pub(crate) struct Dev {
    /// Where the data is kept; made if it is not there
    #[arg(long, value_name = "DIR", default_value = "data")]
    data: PathBuf,
    /// Where to listen
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
    #[command(flatten)]
    offered: Offered,
}

impl Dev {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let worker = worker_setup(self.offered)?;
        serve::run_service(async {
            let stop = Stop::on_signal()?;
            let (ready, address) = oneshot::channel();
            let data = self.data.join("server");
            let (server_stop, worker_stop) = (stop.clone(), stop);
            let ready = |address| {
                let _ = ready.send(address);
            };
            let secret = self.token_file.as_deref().map(token::read).transpose()?;
            let token = secret.as_ref().map(Secret::token).transpose()?;
            let access = Access { hosts: self.allow_hosts, token, insecure: self.insecure };
            let setup = setup(data, self.listen, access)?;
            let server = serve::server(&setup, ready, server_stop);
            let rest = async {
                // An error of the server itself is told by the server.
                let Ok(address) = address.await else { return Ok(()) };
                let url = format!("http://{address}");
                let config = worker_config(worker, &url, &self.data, secret.as_ref());
                let worker = serve::worker(config, worker_stop.requested());
                let samples = async {
                    submit_samples(&url, secret.as_ref()).await?;
                    print_welcome(&url, &self.data);
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

/// One that succeeds, one that fails until its retries are spent, one for later. The keys make a second start of the
/// same data add nothing.
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
    Ok(())
}

fn print_welcome(url: &str, data: &Path) {
    note!(
        "Mainspring is running at {url}, data in `{}`\n\n\
         look:   {url}/ui/\n\
         \x20       {url}/docs\n\
         try:    mainspring submit --wait -- echo hello\n\
         \x20       mainspring submit --in 10s -- date\n\
         \x20       mainspring task list\n\
         \x20       curl {url}/v1/stats\n\
         break:  kill -9 this process in the middle of something, start it again, and look at the same task\n\n\
         (`mainspring` is target/release/mainspring; Ctrl-C stops it in good order)",
        data.display()
    );
}
