//! `mainspring server`: accepts work and gives it to workers.

use std::process::ExitCode;

use clap::Args;
use mainspring_runtime::Trust;

use super::config::Given;
use crate::memory;
use crate::note::note;
use crate::serve::{self, Stop};

/// Serves REST, gRPC, docs and metrics on one port, with its data in one directory. SIGTERM ends it in good order;
/// after a kill -9 the next start picks everything up again.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring server --data /var/lib/mainspring --listen 0.0.0.0:7070 --token-file /etc/mainspring.token\n  \
    mainspring server --config /etc/mainspring.toml --set server.history_days=30")]
pub(crate) struct Server {
    /// Where the data is kept; made if it is not there [default: data] [env: `MAINSPRING_DATA_DIR`]
    #[arg(long, value_name = "DIR")]
    data: Option<String>,
    /// Where to listen [default: 127.0.0.1:7070] [env: `MAINSPRING_LISTEN`]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Believe the clock at once, although it is more than a day ahead of the last time in the journal, or behind it.
    /// Without this the server waits until the kernel reports a synchronised clock, or 10 minutes
    #[arg(long)]
    accept_clock: bool,
    /// A name of this server that callers may use, beside `localhost` and its addresses; may be given more than once
    /// [env: `MAINSPRING_ALLOW_HOSTS`]
    #[arg(long = "allow-host", value_name = "NAME")]
    allow_hosts: Vec<String>,
    /// The folder of a web site below which a reverse proxy has this server, as `/tools/mainspring`
    /// [default: /] [env: `MAINSPRING_BASE_PATH`]
    #[arg(long, value_name = "PATH")]
    base_path: Option<String>,
    /// A file with the token that every caller must show; needed to listen beyond loopback [env: `MAINSPRING_TOKEN_FILE`]
    #[arg(long, value_name = "FILE")]
    token_file: Option<String>,
    /// Listen beyond loopback without a token: whoever reaches the address can run programs
    #[arg(long, conflicts_with = "token_file")]
    insecure: bool,
    #[command(flatten)]
    given: Given,
}

impl Server {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let hosts = (!self.allow_hosts.is_empty()).then(|| self.allow_hosts.join(","));
        let flags = vec![
            ("server.data", self.data),
            ("server.listen", self.listen),
            ("server.allow_hosts", hosts),
            ("server.base_path", self.base_path),
            ("server.token_file", self.token_file),
            ("server.insecure", self.insecure.then(|| "true".to_owned())),
        ];
        let mut setup = self.given.load(flags)?.server()?;
        if self.accept_clock {
            setup.shard.trust = Trust::Accept;
        }
        memory::small_pages_while_small();
        serve::run_service(async {
            let stop = Stop::on_signal()?;
            let ready = |address| {
                let base = setup.base.as_str();
                note!("listening on http://{address}{base}, data in `{}`", setup.data.display());
            };
            serve::server(&setup, ready, stop).await?;
            Ok(ExitCode::SUCCESS)
        })
    }
}
