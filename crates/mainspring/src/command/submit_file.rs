//! `mainspring submit --file`: many tasks from a file, one JSON object a line, in batches.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use mainspring_client::{Client, ClientError};
use serde_json::{Value, json};

use super::connect::{Connect, Print};
use super::progress::Bar;

use crate::note::note;

/// Tasks sent with one request, and bytes of them.
const BATCH_TASKS: usize = 1_000;
const BATCH_BYTES: usize = 8 << 20;
/// Refusals that are shown; the rest is counted.
const SHOWN_MAX: usize = 100;

pub(super) fn run(
    path: &Path,
    key: Option<&str>,
    tenant: Option<&str>,
    reason: Option<&str>,
    connect: Connect,
) -> anyhow::Result<ExitCode> {
    let total = lines(path)?.count() as u64;
    let batches = Batches { lines: Box::new(lines(path)?), number: 0 };
    connect.run(async |client, print| {
        let client = client.with_reason(reason);
        send(&client, print, batches, total, (key, tenant)).await
    })
}

type Lines = Box<dyn Iterator<Item = (usize, String)>>;

/// Lines with their number that hold something.
fn lines(path: &Path) -> anyhow::Result<Lines> {
    let told = || format!("cannot read `{}`", path.display());
    let file = std::fs::File::open(path).with_context(told)?;
    let lines = BufReader::new(file).lines().map_while(Result::ok).enumerate();
    Ok(Box::new(lines.map(|(at, line)| (at + 1, line)).filter(|(_, line)| !line.trim().is_empty())))
}

struct Batches {
    lines: Lines,
    number: usize,
}

struct Batch {
    number: usize,
    /// The line of each task.
    lines: Vec<usize>,
    body: String,
}

impl Iterator for Batches {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        let mut batch = Batch { number: self.number, lines: Vec::new(), body: String::new() };
        while batch.lines.len() < BATCH_TASKS && batch.body.len() < BATCH_BYTES {
            let Some((at, line)) = self.lines.next() else { break };
            batch.lines.push(at);
            batch.body.push_str(&line);
            batch.body.push('\n');
        }
        self.number += 1;
        (!batch.lines.is_empty()).then_some(batch)
    }
}

async fn send(
    client: &Client,
    print: Print,
    batches: Batches,
    total: u64,
    (key, tenant): (Option<&str>, Option<&str>),
) -> Result<ExitCode, ClientError> {
    let mut bar = Bar::new("submit", total);
    let (mut accepted, mut refused, mut shown) = (0, 0, Vec::new());
    for batch in batches {
        let key = key.map(|key| format!("{key}/{}", batch.number));
        let mut headers: Vec<(&str, &str)> = Vec::new();
        headers.extend(key.as_deref().map(|key| ("idempotency-key", key)));
        headers.extend(tenant.map(|tenant| ("x-mainspring-tenant", tenant)));
        let answer = client.post_bytes("/v1/tasks:batch", batch.body.into(), &headers).await?;
        let results = answer.get("results").and_then(Value::as_array).cloned().unwrap_or_default();
        for (line, result) in batch.lines.iter().zip(&results) {
            if result.get("error_code").is_none() {
                accepted += 1;
                continue;
            }
            refused += 1;
            if shown.len() < SHOWN_MAX {
                let told = |field: &str| result.get(field).cloned().unwrap_or_default();
                shown.push(
                    json!({ "line": line, "error_code": told("error_code"), "message": told("message") }),
                );
            }
        }
        bar.advance(batch.lines.len() as u64);
    }
    drop(bar);
    let summary = json!({ "accepted": accepted, "refused": refused, "refusals": shown });
    if print.is_data() || refused == 0 {
        print.object(&summary);
    } else {
        print.rows(&summary, "refusals", &["line", "error_code", "message"]);
        note!("\n{accepted} accepted, {refused} refused");
    }
    Ok(ExitCode::from(u8::from(refused > 0)))
}
