//! What every list has in common: a page of rows, and `--watch`.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use mainspring_client::{Client, ClientError};
use serde_json::Value;

use super::connect::{Connect, Print};
use super::output::{Column, say};
use crate::note::note;

/// How often a watched list is read.
const READ_EVERY: Duration = Duration::from_secs(1);

/// Rows of an answer, and how they are shown.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    /// The field of the answer that has them.
    pub(crate) key: &'static str,
    pub(crate) columns: &'static [Column],
}

#[derive(Args)]
pub(crate) struct Listing {
    /// Show it again whenever it changes, until Ctrl-C
    #[arg(short, long)]
    watch: bool,
    #[command(flatten)]
    pub(crate) connect: Connect,
}

#[derive(Args)]
pub(crate) struct Page {
    /// At most so many rows
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Go on where a page before ended: its `next_cursor`
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

impl Page {
    pub(crate) fn limit(&self) -> String {
        self.limit.to_string()
    }

    pub(crate) fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }
}

impl Listing {
    /// Shows the list at this path.
    pub(crate) fn show(self, path: &str, rows: Rows) -> anyhow::Result<ExitCode> {
        self.show_at(rows, async |_: &Client| Ok(path.to_owned()))
    }

    /// Shows the list at a path that the server has to be asked for.
    pub(crate) fn show_at(
        self,
        rows: Rows,
        path: impl AsyncFnOnce(&Client) -> Result<String, ClientError>,
    ) -> anyhow::Result<ExitCode> {
        let watch = self.watch;
        self.connect.run(async |client, print| {
            let path = path(&client).await?;
            if watch {
                return watched(&client, print, &path, rows).await;
            }
            let answer = client.get(&path).await?;
            print.rows(&answer, rows.key, rows.columns);
            tell_more(print, &answer);
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// There are more rows than were asked for.
pub(crate) fn tell_more(print: Print, answer: &Value) {
    let next = answer.get("next_cursor").and_then(Value::as_str);
    if let Some(next) = next.filter(|_| !print.is_data()) {
        note!("(more: --cursor {next})");
    }
}

/// On a terminal the screen is drawn anew, because ages change; elsewhere the list is printed when it has changed. A
/// server that is away is waited for.
async fn watched(client: &Client, print: Print, path: &str, rows: Rows) -> Result<ExitCode, ClientError> {
    let mut seen: Option<Value> = None;
    let redraws = std::io::stdout().is_terminal() && !print.is_data();
    loop {
        match client.get(path).await {
            Ok(answer) => {
                if redraws {
                    clear_screen();
                } else if seen.as_ref() == Some(&answer) {
                    tokio::time::sleep(READ_EVERY).await;
                    continue;
                } else if seen.is_some() && !print.is_data() {
                    say("");
                }
                print.rows(&answer, rows.key, rows.columns);
                seen = Some(answer);
            }
            Err(error @ (ClientError::Unreachable { .. } | ClientError::BrokenOff { .. }))
                if seen.is_some() =>
            {
                note!("{error}; waiting for it");
            }
            Err(error) => return Err(error),
        }
        tokio::time::sleep(READ_EVERY).await;
    }
}

fn clear_screen() {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(b"\x1b[H\x1b[2J").and_then(|()| out.flush());
}
