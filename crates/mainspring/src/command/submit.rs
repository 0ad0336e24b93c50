//! `mainspring submit`: hand in a task.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use mainspring_client::operations::{self, GetTaskQuery};
use mainspring_client::{Client, ClientError};
use serde_json::{Value, json};

use super::connect::{Connect, Print};
use super::logs::{self, Start};
use super::needs::Needs;
use super::output::{plain, say};
use super::tenant::Tenant;
use super::words;
use crate::note::note;

/// Submits a command to run, or an HTTP call to make. With --wait it stays until the task has ended, prints what the
/// task writes (or, with -o json, the task itself), and exits as the command did: 0 completed, its exit code if it failed
/// by one, else 1. If nothing begins for a while it says why. Ctrl-C ends the waiting, not the task (130).
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring submit --wait -- echo hello\n  \
    mainspring submit --in 10m --retries 5 --backoff exponential:2s --label team=ops -- ./report.sh\n  \
    mainspring submit --http https://api.example/hook --header 'X-Kind: daily' --body '{}' --key order-77\n  \
    mainspring submit --cron '0 3 * * *' --tz Europe/Berlin --name backup -- ./backup.sh\n  \
    mainspring submit --limit customer:acme=1 -- ./sync.sh acme\n  \
    mainspring submit --gpus 2 --disk 20GiB --resource license=1 -- ./train.sh\n  \
    mainspring submit --file tasks.ndjson")]
pub(crate) struct Submit {
    #[command(flatten)]
    connect: Connect,
    /// Call this URL instead of running a command
    #[arg(long, value_name = "URL", conflicts_with = "argv")]
    http: Option<String>,
    /// The method of the call
    #[arg(long, value_name = "METHOD", requires = "http", default_value = "POST")]
    method: String,
    /// A header of the call, as "Name: value"; may be given more than once
    #[arg(long = "header", value_name = "HEADER", requires = "http", value_parser = parse_header)]
    headers: Vec<(String, String)>,
    /// The body of the call, as '{"a": 1}'
    #[arg(long, value_name = "TEXT", requires = "http")]
    body: Option<String>,
    /// When to start: RFC 3339 or seconds since 1970
    #[arg(long, value_name = "TIME", value_parser = words::instant, conflicts_with = "delay")]
    at: Option<String>,
    /// Start after this long, as 30s, 5m, 2h
    #[arg(long = "in", value_name = "SPAN", value_parser = parse_span)]
    delay: Option<Duration>,
    /// Again and again, by this cron expression, as '0 3 * * *'
    #[arg(long, value_name = "EXPR", conflicts_with_all = ["at", "delay", "every", "wait"])]
    cron: Option<String>,
    /// Again and again, at this rate, as 30s, 5m, 2h
    #[arg(long, value_name = "SPAN", conflicts_with_all = ["at", "delay", "wait"])]
    every: Option<String>,
    /// The IANA time zone of --cron, as Europe/Berlin
    #[arg(long, value_name = "ZONE", requires = "cron")]
    tz: Option<String>,
    /// The name of what recurs; submitted again under it, it is changed [default: the key, or a new one]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["at", "delay", "wait"])]
    name: Option<String>,
    /// As `P0` (urgent), `P1` or `P2`
    #[arg(long, value_name = "BAND", default_value = "P1", value_parser = words::priority)]
    priority: String,
    /// How often it is tried again when it fails
    #[arg(long, value_name = "N", default_value_t = 3)]
    retries: u32,
    /// Wait between retries: none, fixed, linear or exponential, with the first wait if wanted, as fixed:30s. An
    /// exponential wait is a random part of its span, so that tasks that failed together do not retry together
    #[arg(long, value_name = "KIND[:SPAN]", value_parser = parse_backoff)]
    backoff: Option<(String, Option<Duration>)>,
    /// Stop it if it runs longer, as 30s, 5m, 2h
    #[arg(long, value_name = "SPAN", value_parser = parse_span)]
    timeout: Option<Duration>,
    /// The pool whose workers may run it
    #[arg(long, value_name = "NAME", default_value = "default")]
    pool: String,
    #[command(flatten)]
    tenant: Tenant,
    /// A label, as team=ops; may be given more than once
    #[arg(long = "label", value_name = "K=V", value_parser = parse_label)]
    labels: Vec<(String, String)>,
    /// Hold a place in a named limit of the tenant while running, as NAME, NAME=MAX or NAME:KEY=MAX; each key has its own
    /// count; may be given more than once
    #[arg(long = "limit", value_name = "LIMIT", value_parser = parse_limit)]
    limits: Vec<Value>,
    #[command(flatten)]
    needs: Needs,
    /// The same key and the same task give the first answer again
    #[arg(long = "key", alias = "idempotency-key", value_name = "KEY")]
    idempotency_key: Option<String>,
    /// Why; in the server's log
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Stay until it has ended
    #[arg(long)]
    wait: bool,
    /// Print nothing but the id
    #[arg(short, long, conflicts_with_all = ["wait", "file"])]
    quiet: bool,
    /// Submit every line of this file, each a task as JSON like `POST /v1/tasks` takes it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["argv", "http", "wait", "at", "delay", "labels", "timeout", "limits", "gpus", "disk", "resources", "cron", "every", "name"])]
    file: Option<PathBuf>,
    /// The command and its arguments, after `--`; no shell is involved
    #[arg(last = true, value_name = "COMMAND", required_unless_present_any = ["http", "file"])]
    argv: Vec<String>,
}

impl Submit {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let tenant = self.tenant.given(&self.connect)?;
        if let Some(file) = &self.file {
            let (key, tenant) = (self.idempotency_key.as_deref(), tenant.as_deref());
            return super::submit_file::run(file, key, tenant, self.reason.as_deref(), self.connect);
        }
        let (body, wait, quiet) = (self.request(tenant.as_deref()), self.wait, self.quiet);
        // The key of what recurs would be its name.
        let recurs = self.cron.is_some() || self.every.is_some();
        let (key, reason) = (self.idempotency_key, self.reason);
        self.connect.run(async |client, print| {
            let client = client.with_reason(reason.as_deref());
            let key = key.or_else(|| (!recurs).then(|| client.new_key()));
            let headers: Vec<(&str, &str)> =
                key.iter().map(|key| ("idempotency-key", key.as_str())).collect();
            let answer = client.call(http::Method::POST, "/v1/tasks", Some(&body), &headers).await?;
            let id = answer
                .get("task_id")
                .or_else(|| answer.get("schedule"))
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned();
            warn(&answer);
            if quiet {
                say(&id);
                return Ok(ExitCode::SUCCESS);
            }
            if !wait {
                print.object(&answer);
                return Ok(ExitCode::SUCCESS);
            }
            note!("{id} submitted");
            tokio::select! {
                task = waited(&client, &id, print) => Ok(exit_code(&task?)),
                _ = tokio::signal::ctrl_c() => {
                    note!("\n{id} goes on; cancel it with `mainspring task cancel --force {id}`");
                    Ok(ExitCode::from(INTERRUPTED))
                }
            }
        })
    }

    fn request(&self, tenant: Option<&str>) -> Value {
        let (kind, payload) = match &self.http {
            Some(url) => {
                let headers: BTreeMap<_, _> = self.headers.iter().cloned().collect();
                let body =
                    json!({ "url": url, "method": self.method, "headers": headers, "body": self.body });
                ("http", body)
            }
            None => ("process", json!({ "argv": self.argv })),
        };
        let mut body = json!({
            "task_type": kind,
            "payload": payload,
            "priority": self.priority,
            "pool": self.pool,
            "retry_policy": { "max_retries": self.retries },
        });
        if let Some((kind, first)) = &self.backoff {
            body["retry_policy"]["backoff"] = json!(kind);
            if let Some(first) = first {
                body["retry_policy"]["initial_delay_ms"] = json!(first.as_millis() as u64);
            }
        }
        if let Some(tenant) = tenant {
            body["tenant"] = json!(tenant);
        }
        if !self.labels.is_empty() {
            body["labels"] = json!(self.labels.iter().cloned().collect::<BTreeMap<_, _>>());
        }
        if !self.limits.is_empty() {
            body["limits"] = json!(self.limits);
        }
        if let Some(needs) = self.needs.body() {
            body["resources"] = needs;
        }
        if let Some(at) = &self.at {
            body["scheduled_at"] = time(at);
        }
        if let Some(delay) = self.delay {
            body["delay_ms"] = json!(delay.as_millis() as u64);
        }
        let recurring =
            [("cron", &self.cron), ("every", &self.every), ("timezone", &self.tz), ("name", &self.name)];
        for (field, given) in recurring {
            if let Some(given) = given {
                body[field] = json!(given);
            }
        }
        if let Some(timeout) = self.timeout {
            body["timeouts"] = json!({ "hard_ms": timeout.as_millis() as u64 });
        }
        body
    }
}

/// An instant: seconds since 1970 are a number, all else is the server's to read.
pub(super) fn time(text: &str) -> Value {
    text.parse::<u64>().map_or_else(|_| json!(text), |seconds| json!(seconds))
}

/// Such as that no worker could ever run a task.
pub(super) fn warn(answer: &Value) {
    for warning in answer.get("warnings").and_then(Value::as_array).into_iter().flatten() {
        note!("warning: {}", plain(warning.as_str().unwrap_or_default()));
    }
}

/// Shows the log as it grows, and at last how it ended.
async fn waited(client: &Client, id: &str, print: Print) -> Result<Value, ClientError> {
    if print.is_data() {
        let task = ended(client, id).await?;
        print.object(&task);
        return Ok(task);
    }
    let followed = tokio::select! {
        followed = logs::follow(client, id, Start::default(), false) => followed,
        never = explain(client, id) => match never {},
    };
    match followed {
        Err(error @ ClientError::Refused { .. }) => note!("the log is not shown: {error}"),
        followed => followed?,
    }
    let task = ended(client, id).await?;
    let text = |key: &str| task.get(key).and_then(Value::as_str).unwrap_or_default();
    let error = task.pointer("/last_error/message").and_then(Value::as_str).unwrap_or_default();
    match (text("state"), error.lines().next()) {
        (status, Some(error)) if status != "succeeded" => note!("{id} {status}: {error}"),
        (status, _) => note!("{id} {status}"),
    }
    Ok(task)
}

/// Says once why nothing has begun, to somebody who sits and waits.
async fn explain(client: &Client, id: &str) -> Infallible {
    tokio::time::sleep(EXPLAIN_AFTER).await;
    if let Ok(found) = client.send(operations::diagnose_task(id)).await
        && ["queued", "pending", "deferred"].contains(&found.state.as_str())
    {
        note!("{id} has not begun: {}; {}", plain(&found.message), plain(&found.advice));
    }
    std::future::pending().await
}

fn exit_code(task: &Value) -> ExitCode {
    let status = task.get("state").and_then(Value::as_str).unwrap_or_default();
    let is_process = task.get("task_type").and_then(Value::as_str) == Some("process");
    let code = task.pointer("/last_error/code").and_then(Value::as_u64).filter(|_| is_process);
    match status {
        "succeeded" => ExitCode::SUCCESS,
        "cancelled" => ExitCode::FAILURE,
        _ => ExitCode::from(
            code.and_then(|code| u8::try_from(code).ok()).filter(|code| *code > 0).unwrap_or(1),
        ),
    }
}

/// The server responds when the task has ended. One that has too many callers waiting is asked again instead.
async fn ended(client: &Client, id: &str) -> Result<Value, ClientError> {
    let mut query = GetTaskQuery { wait: Some("30s".to_owned()) };
    loop {
        match client.send(operations::get_task(id, &query)).await {
            Ok(task) if task.ended_at.is_some() => return Ok(task.into_json()),
            Ok(_) if query.wait.is_some() => {}
            Ok(_) => tokio::time::sleep(ASK_AGAIN).await,
            Err(error) if error.code() == Some("TOO_MANY_FOLLOWERS") => query.wait = None,
            Err(error) => return Err(error),
        }
    }
}

fn parse_header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once(':')
        .ok_or_else(|| format!("`{text}` is not a header; write it as \"Name: value\""))?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// `NAME`, `NAME=MAX`, `NAME:KEY`, `NAME:KEY=MAX`.
fn parse_limit(text: &str) -> Result<Value, String> {
    let (place, max) = match text.rsplit_once('=') {
        Some((place, max)) => {
            let max: u32 = max.parse().map_err(|_| format!("`{max}` is not a number"))?;
            (place, Some(max))
        }
        None => (text, None),
    };
    let (name, key) = place.split_once(':').map_or((place, None), |(name, key)| (name, Some(key)));
    if name.is_empty() {
        return Err("the name of the limit is missing".to_owned());
    }
    let mut limit = json!({ "name": name });
    if let Some(key) = key {
        limit["key"] = json!(key);
    }
    if let Some(max) = max {
        limit["max"] = json!(max);
    }
    Ok(limit)
}

pub(super) fn parse_label(text: &str) -> Result<(String, String), String> {
    let (key, value) =
        text.split_once('=').ok_or_else(|| format!("`{text}` is not a label; write it as KEY=VALUE"))?;
    Ok((key.to_owned(), value.to_owned()))
}

fn parse_backoff(text: &str) -> Result<(String, Option<Duration>), String> {
    let (kind, first) = match text.split_once(':') {
        Some((kind, first)) => (kind, Some(parse_span(first)?)),
        None => (text, None),
    };
    if !matches!(kind, "none" | "fixed" | "linear" | "exponential") {
        return Err(format!("`{kind}` is not a backoff; take none, fixed, linear or exponential"));
    }
    Ok((kind.to_owned(), first))
}

pub(crate) fn parse_span(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a span of time; write it as 30s, 5m or 2h");
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: u64 = text[..text.len() - unit.len()].parse().map_err(|_| wrong())?;
    let millis = match unit {
        "ms" => 1,
        "s" | "" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(wrong()),
    };
    number.checked_mul(millis).map(Duration::from_millis).ok_or_else(wrong)
}

/// What a shell makes of SIGINT.
pub(super) const INTERRUPTED: u8 = 130;
/// Between two questions to a server that lets nobody wait.
const ASK_AGAIN: Duration = Duration::from_secs(1);
/// Short enough that nobody thinks it hangs.
const EXPLAIN_AFTER: Duration = Duration::from_secs(3);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_as_people_write_them() {
        for (text, ms) in
            [("250ms", 250), ("30s", 30_000), ("45", 45_000), ("5m", 300_000), ("2h", 7_200_000)]
        {
            assert_eq!(parse_span(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for bad in ["", "s", "5x", "-1s", "99999999999999999999s"] {
            assert!(parse_span(bad).is_err(), "{bad}");
        }
    }
}
