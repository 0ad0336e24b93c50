//! What every list has in common: a page of rows, and `--watch`.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use mainspring_client::{Client, ClientError};
use serde_json::Value;

use super::connect::{Connect, Print};
use super::output::{Column, say};
use super::submit::parse_span;
use super::words;
use crate::note::note;

/// How often a watched list is read.
const READ_EVERY: Duration = Duration::from_secs(1);
/// Answers that are put together to one page, where few rows fit a filter.
const ANSWERS_MAX: usize = 50;

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

/// From when to when.
#[derive(Args)]
pub(crate) struct Between {
    /// Only since then: a span before now, as 30s, 5m, 2h, 7d, or an instant, as 2026-03-01T06:00:00Z
    #[arg(long, value_name = "WHEN", value_parser = parse_when)]
    since: Option<When>,
    /// Only before then: a span before now, or an instant
    #[arg(long, value_name = "WHEN", value_parser = parse_when)]
    until: Option<When>,
}

#[derive(Clone, PartialEq, Debug)]
enum When {
    Ago(Duration),
    /// As it was written: the server reads it.
    At(String),
}

fn parse_when(text: &str) -> Result<When, String> {
    match parse_span(text) {
        Ok(span) => Ok(When::Ago(span)),
        Err(_) if words::instant(text).is_ok() => Ok(When::At(text.to_owned())),
        Err(_) => {
            Err("it is a span before now, as 2h, or an instant with its zone, as 2026-03-01T06:00:00Z"
                .to_owned())
        }
    }
}

impl Between {
    /// As queries have them: since, until.
    pub(crate) fn instants(&self) -> (Option<String>, Option<String>) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let instant = |when: &When| match when {
            When::Ago(span) => now.saturating_sub(*span).as_secs().to_string(),
            When::At(text) => text.clone(),
        };
        (self.since.as_ref().map(instant), self.until.as_ref().map(instant))
    }
}

impl Page {
    pub(crate) fn limit(&self) -> String {
        self.limit.to_string()
    }

    /// How many rows are wanted.
    pub(crate) fn rows(&self) -> u64 {
        u64::from(self.limit)
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

    /// Shows what is at this path and is no list.
    pub(crate) fn show_one(
        self,
        path: &str,
        show: impl Fn(Print, &Value) -> ExitCode,
    ) -> anyhow::Result<ExitCode> {
        let watch = self.watch;
        self.connect.run(async |client, print| {
            if !watch {
                return Ok(show(print, &client.get(path).await?));
            }
            watched(
                print,
                async || client.get(path).await,
                |answer| {
                    let _ = show(print, answer);
                },
            )
            .await
        })
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
                let show = |answer: &Value| print.rows(answer, rows.key, rows.columns);
                return watched(print, async || page(&client, &path, rows).await, show).await;
            }
            let answer = page(&client, &path, rows).await?;
            print.rows(&answer, rows.key, rows.columns);
            tell_more(print, &answer);
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// A page as it was asked for: where few rows fit, the server gives it in parts.
async fn page(client: &Client, path: &str, rows: Rows) -> Result<Value, ClientError> {
    let mut whole = client.get(path).await?;
    let limit = parameter(path, "limit").and_then(|limit| limit.parse::<usize>().ok());
    for _ in 1..ANSWERS_MAX {
        let found = whole[rows.key].as_array().map_or(0, Vec::len);
        let next = whole["next_cursor"].as_str();
        let (Some(next), Some(limit)) = (next, limit.filter(|limit| found < *limit)) else { break };
        let mut part = client.get(&going_on(path, limit - found, next)).await?;
        let mut all = whole[rows.key].take();
        if let (Some(all), Some(more)) = (all.as_array_mut(), part[rows.key].as_array_mut()) {
            all.append(more);
        }
        part[rows.key] = all;
        whole = part;
    }
    Ok(whole)
}

fn parameter<'a>(path: &'a str, name: &str) -> Option<&'a str> {
    let (_, query) = path.split_once('?')?;
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value)
}

/// The same list behind this cursor. Cursors hold nothing that a query has to escape.
fn going_on(path: &str, limit: usize, cursor: &str) -> String {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let is_kept = |pair: &&str| !pair.starts_with("limit=") && !pair.starts_with("cursor=");
    let kept: Vec<&str> = query.split('&').filter(is_kept).collect();
    format!("{path}?{}&limit={limit}&cursor={cursor}", kept.join("&"))
}

/// There are more rows than were asked for.
pub(crate) fn tell_more(print: Print, answer: &Value) {
    let text = |key| answer.get(key).and_then(Value::as_str);
    let Some(next) = text("next_cursor").filter(|_| !print.is_data()) else { return };
    match text("looked_until") {
        Some(until) => note!("(looked until {until}; more: --cursor {next})"),
        None => note!("(more: --cursor {next})"),
    }
}

/// On a terminal the screen is drawn anew, because ages change; elsewhere the list is printed when it has changed. A
/// server that is away is waited for.
async fn watched(
    print: Print,
    read: impl AsyncFn() -> Result<Value, ClientError>,
    show: impl Fn(&Value),
) -> Result<ExitCode, ClientError> {
    let mut seen: Option<Value> = None;
    let redraws = std::io::stdout().is_terminal() && !print.is_data();
    loop {
        match read().await {
            Ok(answer) => {
                if redraws {
                    clear_screen();
                } else if seen.as_ref() == Some(&answer) {
                    tokio::time::sleep(READ_EVERY).await;
                    continue;
                } else if seen.is_some() && !print.is_data() {
                    say("");
                }
                show(&answer);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_and_spans_are_told_apart() {
        let at = |text: &str| When::At(text.to_owned());
        for (text, expected) in [
            ("90m", Ok(When::Ago(Duration::from_mins(90)))),
            ("2026-03-01T06:00:00Z", Ok(at("2026-03-01T06:00:00Z"))),
        ] {
            assert_eq!(parse_when(text), expected, "{text}");
        }
        for bad in ["", "yesterday", "-2h", "2h30", "2026-03-01"] {
            assert!(parse_when(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_list_goes_on_with_its_filters() {
        let path = "/v1/tasks?limit=50&state=failed&cursor=h1.2&label=a%3Db";
        assert_eq!(parameter(path, "limit"), Some("50"));
        assert_eq!(going_on(path, 7, "h3.4"), "/v1/tasks?state=failed&label=a%3Db&limit=7&cursor=h3.4");
    }
}
