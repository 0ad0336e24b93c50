//! `mainspring dev`: everything in one process, ready to be tried.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use mainspring_agent::{AddressRange, AgentConfig, SessionToken};
use mainspring_api::{Access, AllowedHost, BasePath};
use mainspring_runtime::Trust;
use tokio::sync::oneshot;

use super::offered::Offered;
use super::samples;
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
                    samples::submit(&url, secret.as_ref()).await?;
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
