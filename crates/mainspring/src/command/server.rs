//! `mainspring server`: accepts work and gives it to workers.

use std::process::ExitCode;

use clap::Args;
use mainspring_runtime::Trust;

use super::config::Given;
use crate::note::note;
use crate::serve::{self, Stop};

/// Serves REST, gRPC, docs and metrics on one port, with its data in one directory. SIGTERM ends it in good order;
/// after a kill -9 the next start picks everything up again.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring server --data /var/lib/mainspring --listen 0.0.0.0:7070\n  \
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
    #[command(flatten)]
    given: Given,
}

impl Server {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let flags = vec![("server.data", self.data), ("server.listen", self.listen)];
        let mut setup = self.given.load(flags)?.server()?;
        if self.accept_clock {
            setup.shard.trust = Trust::Accept;
        }
        serve::run_service(async {
            let stop = Stop::on_signal()?;
            let ready = |address| note!("listening on http://{address}, data in `{}`", setup.data.display());
            serve::server(&setup, ready, stop).await?;
            Ok(ExitCode::SUCCESS)
        })
    }
}
