//! What every verb for many has in common: a dry run, a question with how many match, the operation with a bar.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use mainspring_client::{Client, ClientError};
use serde_json::{Map, Value, json};

use super::confirm::confirmed;
use super::connect::{Connect, Print, actor};
use super::progress::Bar;
use super::submit::parse_label;
use super::words;

/// How many things are handled, and whether they are asked about.
#[derive(Args)]
pub(crate) struct Manner {
    /// Only say how many match; nothing is changed
    #[arg(long)]
    dry_run: bool,
    /// Do not ask before many are changed
    #[arg(short, long)]
    yes: bool,
    /// Answer with the number of the operation at once, instead of waiting until it has ended
    #[arg(long)]
    no_wait: bool,
}

/// Which tasks a verb for many is about.
#[derive(Args)]
pub(super) struct TaskSelector {
    /// All tasks of this tenant
    #[arg(long, value_name = "NAME")]
    tenant: Option<String>,
    /// All tasks of this job
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// All tasks for this pool
    #[arg(long, value_name = "NAME")]
    pool: Option<String>,
    /// All tasks that this executor runs: process, http, …
    #[arg(long = "type", value_name = "EXECUTOR")]
    task_type: Option<String>,
    /// All tasks with this label, as team=ops; given more than once, all of them must be there
    #[arg(long = "label", value_name = "K=V", value_parser = parse_label)]
    labels: Vec<(String, String)>,
    /// All tasks in these states, as `queued,pending`
    #[arg(long, value_delimiter = ',', value_parser = words::task_state)]
    state: Vec<String>,
    /// Every task there is, or that the others name
    #[arg(long)]
    all: bool,
}

/// The names of its arguments.
pub(super) const TASK_SELECTORS: [&str; 7] = ["tenant", "job", "pool", "task_type", "labels", "state", "all"];

impl TaskSelector {
    pub(super) fn body(&self) -> anyhow::Result<Map<String, Value>> {
        let mut body = Map::new();
        let named = [
            ("tenant", &self.tenant),
            ("job", &self.job),
            ("pool", &self.pool),
            ("task_type", &self.task_type),
        ];
        for (field, value) in named {
            body.extend(value.as_ref().map(|value| (field.to_owned(), json!(value))));
        }
        add_labels(&mut body, &self.labels)?;
        if !self.state.is_empty() {
            body.insert("state".into(), json!(self.state));
        }
        if self.all && body.is_empty() {
            body.insert("all".into(), json!(true));
        }
        Ok(body)
    }
}

pub(super) fn add_labels(body: &mut Map<String, Value>, given: &[(String, String)]) -> anyhow::Result<()> {
    let labels: Map<_, _> = given.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
    anyhow::ensure!(labels.len() == given.len(), "a label is given twice, and a thing has one value of it");
    if !labels.is_empty() {
        body.insert("labels".into(), labels.into());
    }
    Ok(())
}

/// An instant as a body has it: text, or seconds since 1970.
pub(super) fn instant(text: &str) -> Value {
    text.parse::<u64>().map_or_else(|_| json!(text), |seconds| json!(seconds))
}

/// Does this verb with everything that matches.
pub(super) fn carry_out(
    connect: Connect,
    verb: &str,
    selector: Map<String, Value>,
    (manner, reason): (&Manner, Option<&str>),
) -> anyhow::Result<ExitCode> {
    connect.run(async |client, print| act(&client, print, verb, selector, (manner, reason)).await)
}

pub(super) async fn act(
    client: &Client,
    print: Print,
    verb: &str,
    selector: Map<String, Value>,
    (manner, reason): (&Manner, Option<&str>),
) -> Result<ExitCode, ClientError> {
    let mut body = selector;
    body.insert("verb".into(), json!(verb));
    let mut total = None;
    if manner.dry_run || !manner.yes {
        let mut dry = body.clone();
        dry.insert("dry_run".into(), json!(true));
        let found = client.post("/v1/operations", &dry.into()).await?;
        if manner.dry_run {
            print.object(&counted(found, print.is_data()));
            return Ok(ExitCode::SUCCESS);
        }
        total = found["total"].as_u64();
        if !confirmed(&question(verb, &found), false) {
            return Ok(ExitCode::from(1));
        }
    }
    body.insert("actor".into(), json!(actor()));
    body.insert("reason".into(), json!(reason));
    let begun = client.post("/v1/operations", &body.into()).await?;
    let ended = if manner.no_wait { begun } else { follow(client, verb, begun, total).await? };
    print.object(&ended);
    Ok(ExitCode::SUCCESS)
}

/// What a dry run tells: nothing was begun, so there is no operation and nothing was handled.
fn counted(mut found: Value, is_data: bool) -> Value {
    if let Some(fields) = found.as_object_mut().filter(|_| !is_data) {
        for field in ["operation_id", "handled", "refused"] {
            fields.remove(field);
        }
    }
    found
}

/// `retry tasks: 120 match. Go on?`
fn question(verb: &str, found: &Value) -> String {
    let least = if found["more"] == true { "at least " } else { "" };
    format!("{}: {least}{} match. Go on?", verb.replace('_', " "), found["total"])
}

/// Stays until the operation has ended.
async fn follow(
    client: &Client,
    verb: &str,
    begun: Value,
    counted: Option<u64>,
) -> Result<Value, ClientError> {
    let mut operation = begun;
    let path = format!("/v1/operations/{}", operation["operation_id"]);
    let total = operation["total"].as_u64().or(counted).unwrap_or(0);
    let (mut bar, mut shown) = (Bar::new(&verb.replace('_', " "), total), 0);
    let mut pause = Duration::from_millis(20);
    while operation["state"] == "running" {
        tokio::time::sleep(pause).await;
        pause = (pause * 3 / 2).min(Duration::from_secs(1));
        operation = client.get(&path).await?;
        let done = operation["handled"].as_u64().unwrap_or(0) + operation["refused"].as_u64().unwrap_or(0);
        bar.advance(done.saturating_sub(shown));
        shown = done.max(shown);
    }
    Ok(operation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dry_run_has_no_operation() {
        let found = || json!({"operation_id": 0, "state": "dry_run", "handled": 0, "refused": 0, "total": 7});
        assert_eq!(counted(found(), false), json!({"state": "dry_run", "total": 7}));
        assert_eq!(counted(found(), true), found(), "a script gets what the server said");
    }

    #[test]
    fn the_question_says_how_many_there_are() {
        let rows = [
            (json!({"total": 120, "more": false}), "retry tasks: 120 match. Go on?"),
            (json!({"total": 50000, "more": true}), "retry tasks: at least 50000 match. Go on?"),
        ];
        for (found, expected) in rows {
            assert_eq!(question("retry_tasks", &found), expected);
        }
    }
}
