//! `mainspring run logs`: what the tasks of a run wrote.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::{Client, ClientError, query};
use serde_json::Value;

use super::super::connect::{Connect, NOT_FOUND};
use super::super::logs::{Start, print_all};
use super::{named, undo};
use crate::note::note;

/// Tasks whose logs are printed at once; more have to be named.
const TASKS_MAX: usize = 100;

/// Prints the output of the tasks of a run, of the newest attempt of each that wrote something, in the order of the job.
/// Which task it is stands before each on stderr. Exit: 0 done, 1 refused, 4 there is no such run or task.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring run logs run_019a88f0\n  \
    mainspring run logs run_019a88f0 --task load --item 7")]
pub(super) struct Logs {
    /// The run: its id or the beginning of it
    id: String,
    /// Only of this task
    #[arg(long, value_name = "NAME")]
    task: Option<String>,
    /// Only of this item of the task; the first is 0
    #[arg(long, value_name = "N", requires = "task")]
    item: Option<u32>,
    #[command(flatten)]
    connect: Connect,
}

impl Logs {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        self.connect.run(async |client, _| {
            let id = client.run_id(&self.id).await?;
            let (mut shown, mut cursor) = (0, None);
            loop {
                let page = page(&client, &id, cursor.as_deref()).await?;
                for task in page["tasks"].as_array().into_iter().flatten() {
                    if !wanted(task, self.task.as_deref(), self.item) {
                        continue;
                    }
                    if shown == TASKS_MAX {
                        note!("(more: name a task with --task, and an item of it with --item)");
                        return Ok(ExitCode::SUCCESS);
                    }
                    shown += 1;
                    print(&client, task).await?;
                }
                cursor = page["next_cursor"].as_str().map(str::to_owned);
                if cursor.is_none() {
                    break;
                }
            }
            if shown == 0 {
                let named: Vec<String> = self.task.iter().cloned().collect();
                match (named::advice(&client, &id, &named).await, named.first()) {
                    (Some(advice), Some(name)) => {
                        note!("error: run `{id}` has no task `{name}`\n\nhint: {advice}");
                    }
                    _ => note!(
                        "error: nothing has begun that could have written\n\nhint: mainspring run get {id}"
                    ),
                }
                return Ok(ExitCode::from(NOT_FOUND));
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}

async fn page(client: &Client, run: &str, cursor: Option<&str>) -> Result<Value, ClientError> {
    client
        .get(&query("/v1/tasks", &[("run_id", Some(run)), ("limit", Some("1000")), ("cursor", cursor)]))
        .await
}

fn wanted(task: &Value, name: Option<&str>, item: Option<u32>) -> bool {
    name.is_none_or(|name| task["run_task"] == *name) && item.is_none_or(|item| task["item"] == item)
}

async fn print(client: &Client, task: &Value) -> Result<(), ClientError> {
    let text = |field: &str| task[field].as_str().unwrap_or_default().to_owned();
    let item = task["item"].as_u64().map(|item| format!(" item {item}")).unwrap_or_default();
    let name = if task["undo"] == true { undo::name(&text("run_task")) } else { text("run_task") };
    note!("== {name}{item} ({}, {})", text("task_id"), text("state"));
    print_all(client, &text("task_id"), Start::default()).await.map(drop)
}
