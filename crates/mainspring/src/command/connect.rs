//! What every command that talks to a server has in common: where it is, and how answers are shown.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use mainspring_client::{Client, ClientError};

use super::output::Output;
pub(crate) use super::output::Print;
use crate::note::note;
use crate::{serve, token};

/// Who acts, for the server's log and for the notes that stay with a job or run.
pub(super) fn actor() -> String {
    let set = |name| std::env::var(name).ok().filter(|text| !text.is_empty());
    set("MAINSPRING_ACTOR").or_else(|| set("USER")).unwrap_or_else(|| "cli".to_owned())
}

#[derive(Args)]
pub(crate) struct Connect {
    /// The server
    #[arg(long, value_name = "URL", env = "MAINSPRING_SERVER", default_value = "http://127.0.0.1:7070")]
    server: String,
    /// A file with the token of the server; without it `MAINSPRING_TOKEN` is taken, if it is set
    #[arg(long, value_name = "FILE", env = "MAINSPRING_TOKEN_FILE")]
    token_file: Option<PathBuf>,
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
        let secret = token::of_caller(self.token_file.as_deref())?;
        serve::block_on(async {
            let print = Print::new(self.output);
            let client = Client::new(&self.server).map(|client| client.with_actor(&actor()));
            let client = client.and_then(|client| match &secret {
                Some(secret) => client.with_token(secret.text()),
                None => Ok(client),
            });
            let outcome = match client {
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
