//! What every command that talks to a server has in common: where it is, and how answers are shown.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use mainspring_client::{Client, ClientError};

use super::context::{Origin, Target};
use super::output::Output;
pub(crate) use super::output::Print;
use super::suggest;
use crate::config::environment;
use crate::note::note;
use crate::serve;

/// Above these options in the help. Not `next_help_heading`, which goes on to the options of the command behind them.
const HEADING: &str = "Server and output";
/// The command line is wrong.
pub(crate) const WRONG: u8 = 2;
/// There is no such thing.
pub(crate) const NOT_FOUND: u8 = 4;
/// No server answered.
pub(crate) const UNREACHABLE: u8 = 5;

/// Who acts, for the server's log and for the notes that stay with a job or run.
pub(super) fn actor() -> String {
    environment("MAINSPRING_ACTOR").or_else(|| environment("USER")).unwrap_or_else(|| "cli".to_owned())
}

#[derive(Args)]
pub(crate) struct Connect {
    /// The server, as `http://127.0.0.1:7070` [env: `MAINSPRING_SERVER`] [default: that of the context, else this one]
    #[arg(long, value_name = "URL", conflicts_with = "context", help_heading = HEADING)]
    pub(super) server: Option<String>,
    /// Use this context instead of the current one; see `mainspring context` [env: `MAINSPRING_CONTEXT`]
    #[arg(long, value_name = "NAME", help_heading = HEADING)]
    pub(super) context: Option<String>,
    /// A file with the token of the server [env: `MAINSPRING_TOKEN_FILE`, or the token itself: `MAINSPRING_TOKEN`]
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    pub(super) token_file: Option<PathBuf>,
    /// How the answer is printed: `table` is cut to the terminal, `wide` has all columns and whole ids, `json` and `yaml`
    /// are what the server answered, `name` is only ids or names, one a line, as commands take them
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = Output::Table, help_heading = HEADING)]
    output: Output,
}

impl Connect {
    /// Runs `work` against the server. Exit code 2: an id is none; 4: there is no such thing; 5: no server answered; 1:
    /// anything else that was refused.
    pub(crate) fn run(
        self,
        work: impl AsyncFnOnce(Client, Print) -> Result<ExitCode, ClientError>,
    ) -> anyhow::Result<ExitCode> {
        let target = Target::of(&self)?;
        serve::block_on(async {
            let print = Print::new(self.output);
            let client = Client::new(&target.server).map(|client| client.with_actor(&actor()));
            let client = client.and_then(|client| match &target.secret {
                Some(secret) => client.with_token(secret.text()),
                None => Ok(client),
            });
            let outcome = match client {
                Ok(client) => match work(client.clone(), print).await {
                    Err(error) => Err((suggest::names(&client, &error).await, error)),
                    Ok(code) => Ok(code),
                },
                Err(error) => Err((Vec::new(), error)),
            };
            Ok(outcome.unwrap_or_else(|(names, error)| explain(&error, &names, &target.origin)))
        })
    }
}

/// The error, then what to do about it.
fn explain(error: &ClientError, names: &[String], origin: &Origin) -> ExitCode {
    note!("error: {error}");
    let meant = (!names.is_empty()).then(|| format!("did you mean {}?", suggest::listed(names)));
    let place = match error {
        ClientError::Unreachable { .. } => Some(origin.advice()),
        _ => None,
    };
    if let Some(advice) = meant.or(place).or_else(|| error.advice().map(str::to_owned)) {
        note!("\nhint: {advice}");
    }
    match error {
        ClientError::Unreachable { .. } | ClientError::BrokenOff { .. } => ExitCode::from(UNREACHABLE),
        ClientError::NoId { .. } => ExitCode::from(WRONG),
        error if error.is_not_found() => ExitCode::from(NOT_FOUND),
        _ => ExitCode::from(1),
    }
}
