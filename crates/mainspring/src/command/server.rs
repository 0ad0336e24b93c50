//! `mainspring server`: accepts work and gives it to workers.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::serve::{self, Stop};

/// Serves REST, gRPC, docs and metrics on one port, with its data in one directory. SIGTERM ends it in good order;
/// after a kill -9 the next start picks everything up again.
#[derive(Args)]
pub(crate) struct Server {
    /// Where the data is kept; made if it is not there
    #[arg(long, value_name = "DIR", env = "MAINSPRING_DATA_DIR", default_value = "data")]
    data: PathBuf,
    /// Where to listen
    #[arg(long, value_name = "ADDR", env = "MAINSPRING_LISTEN", default_value = "127.0.0.1:7070")]
    listen: SocketAddr,
}

impl Server {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        serve::block_on(async {
            let stop = Stop::on_signal()?;
            let ready =
                |address| eprintln!("listening on http://{address}, data in `{}`", self.data.display());
            serve::server(&self.data, self.listen, ready, stop.requested()).await?;
            Ok(ExitCode::SUCCESS)
        })
    }
}
