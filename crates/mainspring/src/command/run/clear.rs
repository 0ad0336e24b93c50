//! `mainspring run clear`: tasks of a run, or items of them, run again.

use std::process::ExitCode;

use clap::Args;
use mainspring_client::{Client, ClientError};
use serde_json::json;

use super::super::connect::{Connect, actor};
use super::super::suggest;
use super::{failures, items, named, text, watch};
use crate::note::note;

/// What succeeded stays, unless it follows from what is cleared. Without --task everything that failed runs again, of mapped
/// tasks only the items that failed; with --only-failed, if nothing else failed, also items whose failure was tolerated. Exit: 0 done (with --wait: the run succeeded), 1 refused, 3 the run did not succeed,
/// 4 there is no such run, task or item.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring run clear run_019a88f0\n  \
    mainspring run clear run_019a88f0 --only-failed\n  \
    mainspring run clear run_019a88f0 --task load --wait\n  \
    mainspring run clear run_019a88f0 --task load --items 7,14\n  \
    mainspring run clear run_019a88f0 --task load --only-failed --reason 'new input'")]
pub(super) struct Clear {
    /// The run: its id or the beginning of it
    id: String,
    /// A task to run again, with all its items; without any, all that failed; may be given more than once
    #[arg(long = "task", value_name = "NAME")]
    tasks: Vec<String>,
    /// Only these items of the mapped task, as 7,14 or 20-25; the others keep state and output
    #[arg(long, value_name = "N,…", value_parser = items::parse, requires = "tasks", conflicts_with = "only_failed")]
    items: Option<items::Numbers>,
    /// Of mapped tasks only the items that did not succeed, also tolerated ones; of other tasks those that failed
    #[arg(long)]
    only_failed: bool,
    /// Why; kept with the run
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Watch the run until it has ended; its outcome is the exit code
    #[arg(short, long)]
    wait: bool,
    #[command(flatten)]
    connect: Connect,
}

/// Mapped tasks of the run with items that failed, which their task tolerated.
async fn tolerated(client: &Client, id: &str) -> Result<Vec<String>, ClientError> {
    let run = client.get(&format!("/v1/runs/{id}")).await?;
    let tasks = run["tasks"].as_array().into_iter().flatten();
    let mapped = tasks.filter(|task| failures::failed_items(task) > 0);
    Ok(mapped.map(|task| text(task, "name").to_owned()).collect())
}

/// The same refusal, with the command that runs again what may be meant.
fn with_hint(error: ClientError, id: &str, tolerated: &[String]) -> ClientError {
    let ClientError::Refused { status, code, message, path, .. } = error else { return error };
    let advice = match tolerated {
        [] => format!("name what is to run again: mainspring run clear {id} --task NAME"),
        some => format!(
            "items of {} failed and were tolerated; they run again with `mainspring run clear {id} --only-failed`",
            suggest::listed(some).replace(" or ", " and ")
        ),
    };
    ClientError::Refused { status, code, message, advice, path }
}

impl Clear {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let Self { id, tasks, items, only_failed, reason, wait, connect } = self;
        let mut body = json!({"tasks": tasks, "reason": reason, "actor": actor()});
        match items.map(|items| items.0) {
            Some(items) => body["items"] = json!(items),
            None if only_failed || tasks.is_empty() => body["only_failed"] = json!(true),
            None => {}
        }
        connect.run(async |client, print| {
            let id = client.run_id(&id).await?;
            let path = format!("/v1/runs/{id}:clear");
            let mut answer = client.post(&path, &body).await;
            if let Err(error) = &answer
                && error.code() == Some("NOTHING_FAILED")
                && tasks.is_empty()
            {
                let tolerated = tolerated(&client, &id).await?;
                if only_failed && !tolerated.is_empty() {
                    body["tasks"] = json!(tolerated);
                    answer = client.post(&path, &body).await;
                } else {
                    answer = answer.map_err(|error| with_hint(error, &id, &tolerated));
                }
            }
            let answer = match answer {
                Ok(answer) => answer,
                Err(error) => return Err(named::with_advice(&client, &id, &tasks, error).await),
            };
            if wait {
                return watch(&client, print, &id).await;
            }
            print.object(&answer);
            if !print.is_data() {
                note!("\nhint: mainspring run watch {id}");
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;

    #[test]
    fn a_refusal_names_the_command_that_helps() {
        let hint = |tolerated: &[&str]| {
            let error = ClientError::Refused {
                status: StatusCode::CONFLICT,
                code: "NOTHING_FAILED".to_owned(),
                message: "nothing failed".to_owned(),
                advice: String::new(),
                path: String::new(),
            };
            let tolerated: Vec<String> = tolerated.iter().map(|name| (*name).to_owned()).collect();
            with_hint(error, "run_1", &tolerated).advice().unwrap_or_default().to_owned()
        };
        assert!(hint(&["a", "b"]).contains("items of `a` and `b`"));
        assert!(hint(&["a"]).ends_with("`mainspring run clear run_1 --only-failed`"));
        assert!(hint(&[]).ends_with("mainspring run clear run_1 --task NAME"));
    }
}
