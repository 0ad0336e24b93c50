//! What every command that talks to a server has in common: where it is, and how answers are shown.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::{Client, ClientError};

use super::output::Output;
pub(crate) use super::output::Print;
use crate::note::note;
use crate::serve;

#[derive(Args)]
pub(crate) struct Connect {
    /// The server
    #[arg(long, value_name = "URL", env = "MAINSPRING_SERVER", default_value = "http://127.0.0.1:7070")]
    server: String,
    /// How the answer is printed
    #[arg(short, long, value_enum, default_value_t = Output::Table)]
    output: Output,
}

impl Connect {
    /// Runs `work` against the server. Exit code 4: there is no such thing; 1: anything else that was refused.
    pub(crate) fn run(
        self,
        work: impl AsyncFnOnce(Client, Print) -> Result<ExitCode, ClientError>,
    ) -> anyhow::Result<ExitCode> {
        serve::block_on(async {
            let print = Print::new(self.output);
            let outcome = match Client::new(&self.server) {
                Ok(client) => work(client, print).await,
                Err(error) => Err(error),
            };
            Ok(outcome.unwrap_or_else(|error| {
                note!("error: {error}");
                if let Some(advice) = error.advice() {
                    note!("\nhint: {advice}");
                }
                ExitCode::from(if error.is_not_found() { 4 } else { 1 })
            }))
        })
    }
}
