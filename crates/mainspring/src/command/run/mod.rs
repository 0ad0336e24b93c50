//! `mainspring run`: look at runs and act on them.

mod clear;
mod diagnose;
mod failures;
mod head;
mod items;
mod list;
mod logs;
mod named;
mod next;
mod rerun;
mod since;
mod timeline;
mod tree;
mod undo;
mod watch;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

pub(super) use self::undo::name as undo_name;
pub(super) use self::watch::watch;
use super::bulk::{Manner, add_labels, carry_out};
use super::connect::Connect;
pub(super) use super::connect::actor;
use super::output::{plain, say};
use super::submit::parse_label;
use super::words;

/// Exit: 0 done, 1 refused, 4 there is no such run.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring run list --state failed --since 1d\n  \
    mainspring run get run_019a88f0\n  \
    mainspring run logs run_019a88f0 --task load\n  \
    mainspring run clear run_019a88f0 --wait")]
pub(crate) struct Run {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// List runs, newest first
    #[command(
        after_help = "Examples:\n  mainspring run list --job etl\n  mainspring run list --state failed --since 1d\n  mainspring run list --watch"
    )]
    List(list::List),
    /// Show one run with its tasks and those that undo them: ids, how long each took, errors, and who did what with it
    #[command(
        after_help = "Examples:\n  mainspring run get run_019a88f0\n  mainspring run get run_019a88f0 -o json"
    )]
    Get(One),
    /// List the items of a mapped task of a run
    Items(items::Items),
    /// Print what its tasks wrote
    Logs(logs::Logs),
    /// Say where a run stands, why it failed or has not ended, what changed since the last success, and what to do
    #[command(
        after_help = "Of many tasks the most telling come first.\n\nExample:\n  mainspring run diagnose run_019a88f0"
    )]
    Diagnose(One),
    /// Show where its time went: when each task waited, for what, and when it ran
    #[command(
        after_help = "UPSTREAM: tasks that it needs had not ended. RELEASE: the release rate, a pause, another job. QUEUE: no worker had room.\n\
                      LIMIT: a named limit was full. RETRY: backoff. WAIT: a time, an event, an approval. Tasks with * are the critical path.\n\n\
                      Examples:\n  mainspring run timeline run_019a88f0\n  mainspring run timeline run_019a88f0 -o json"
    )]
    Timeline(One),
    /// Watch a run until it has ended; exit 3 if it did not succeed
    #[command(after_help = "Example:\n  mainspring run watch run_019a88f0")]
    Watch(One),
    /// Cancel a run, or all that match
    #[command(
        after_help = "Examples:\n  mainspring run cancel run_019a88f0\n  mainspring run cancel --job etl --label team=ops --dry-run"
    )]
    Cancel(Cancel),
    /// Release nothing more of a run until it is resumed
    #[command(after_help = "Example:\n  mainspring run pause run_019a88f0")]
    Pause(Act),
    /// Let a paused run go on
    #[command(after_help = "Example:\n  mainspring run resume run_019a88f0")]
    Resume(Act),
    /// Run it once more, as a new run
    Rerun(rerun::Rerun),
    /// Run tasks of it again, with everything that follows from them
    Clear(clear::Clear),
    /// Approve a task that waits for approval
    #[command(
        after_help = "Without --task the one that waits. Who you are is believed, and kept with the run as unverified.\n\n\
                      Examples:\n  mainspring run approve run_019a88f0 --reason 'looks good'\n  \
                      mainspring run approve run_019a88f0 --task deploy --item 3"
    )]
    Approve(Decide),
    /// Reject a task that waits for approval: it fails
    #[command(
        after_help = "Without --task the one that waits. Who you are is believed, and kept with the run as unverified.\n\n\
                      Example:\n  mainspring run reject run_019a88f0 --task deploy --reason 'not on a Friday'"
    )]
    Reject(Decide),
    /// Say how a run ends, whatever its tasks do
    #[command(after_help = "Example:\n  mainspring run force run_019a88f0 failed --reason 'wrong input'")]
    Force(Force),
    /// Re-evaluate a run that seems stuck
    #[command(after_help = "Example:\n  mainspring run reevaluate run_019a88f0 --reason 'it seems stuck'")]
    Reevaluate(Reevaluate),
}

#[derive(Args)]
struct One {
    /// The run: its id or the beginning of it
    id: String,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct Act {
    /// The run: its id or the beginning of it
    id: String,
    /// Why; kept with the run
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct Cancel {
    /// The run: its id or the beginning of it
    #[arg(conflicts_with_all = ["job", "tenant", "label"], required_unless_present_any = ["job", "tenant", "label"])]
    id: Option<String>,
    /// All unfinished runs of this job
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// All unfinished runs of this tenant
    #[arg(long, value_name = "NAME")]
    tenant: Option<String>,
    /// All unfinished runs with this label, as team=ops
    #[arg(long, value_name = "K=V", value_parser = parse_label)]
    label: Option<(String, String)>,
    #[command(flatten)]
    manner: Manner,
    /// Why; kept with the run
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct Decide {
    /// The run: its id or the beginning of it
    id: String,
    /// The task; may be left out if only one waits for approval
    #[arg(long, value_name = "NAME")]
    task: Option<String>,
    /// Which item of a mapped task, from 0
    #[arg(long, value_name = "N", requires = "task")]
    item: Option<u32>,
    /// Who decides, as the job names them [env: `MAINSPRING_ACTOR`] [default: your login name]
    #[arg(long, value_name = "NAME")]
    actor: Option<String>,
    /// Why; kept with the run
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct Force {
    /// The run: its id or the beginning of it
    id: String,
    /// succeeded, failed or cancelled
    #[arg(value_parser = words::run_end)]
    state: String,
    /// Why; kept with the run
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct Reevaluate {
    /// The run: its id or the beginning of it
    id: String,
    /// Why; kept with the run
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

impl Run {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::List(list) => list.run(),
            What::Get(one) => one.connect.run(async |client, print| {
                let id = client.run_id(&one.id).await?;
                let mut run = client.get(&format!("/v1/runs/{id}")).await?;
                if print.is_data() {
                    print.object(&run);
                } else {
                    undo::add_rows(&client, &mut run).await?;
                    failures::add_errors(&client, &mut run).await?;
                    tree::print(print, &run);
                    next::tell(print, &run);
                }
                Ok(ExitCode::SUCCESS)
            }),
            What::Items(items) => items.run(),
            What::Logs(logs) => logs.run(),
            What::Diagnose(one) => one.connect.run(async |client, print| {
                let id = client.run_id(&one.id).await?;
                let diagnosis = client.get(&format!("/v1/runs/{id}/diagnosis")).await?;
                if print.is_data() {
                    print.object(&diagnosis);
                } else {
                    diagnose::print(print, &diagnosis);
                    for line in since::lines(&client, &id).await? {
                        print.folded(&plain(&line), 4).iter().for_each(|line| say(line));
                    }
                    diagnose::print_next(print, &diagnosis);
                }
                Ok(ExitCode::SUCCESS)
            }),
            What::Timeline(one) => one.connect.run(async |client, print| {
                let id = client.run_id(&one.id).await?;
                timeline::print(print, &client.get(&format!("/v1/runs/{id}/timeline")).await?);
                Ok(ExitCode::SUCCESS)
            }),
            What::Watch(one) => one.connect.run(async |client, print| {
                let id = client.run_id(&one.id).await?;
                watch(&client, print, &id).await
            }),
            What::Cancel(cancel) => cancel.run(),
            What::Pause(act) => verb(act.connect, &act.id, "pause", &by(act.reason.as_deref())),
            What::Resume(act) => verb(act.connect, &act.id, "resume", &by(act.reason.as_deref())),
            What::Rerun(rerun) => rerun.run(),
            What::Clear(clear) => clear.run(),
            What::Approve(decide) => decide.run("approve"),
            What::Reject(decide) => decide.run("reject"),
            What::Force(force) => {
                let body = json!({"state": force.state, "reason": force.reason, "actor": actor()});
                verb(force.connect, &force.id, "force-state", &body)
            }
            What::Reevaluate(again) => {
                let body = json!({"reason": again.reason, "actor": actor()});
                verb(again.connect, &again.id, "reevaluate", &body)
            }
        }
    }
}

/// A text of an answer; empty if it is not there.
fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Who acts and why.
pub(super) fn by(reason: Option<&str>) -> Value {
    json!({"actor": actor(), "reason": reason})
}

fn verb(connect: Connect, id: &str, verb: &str, body: &Value) -> anyhow::Result<ExitCode> {
    connect.run(async |client, print| {
        let id = client.run_id(id).await?;
        print.object(&client.post(&format!("/v1/runs/{id}:{verb}"), body).await?);
        Ok(ExitCode::SUCCESS)
    })
}

impl Decide {
    fn run(self, word: &str) -> anyhow::Result<ExitCode> {
        let mut body = by(self.reason.as_deref());
        if let Some(actor) = self.actor {
            body["actor"] = json!(actor);
        }
        if let Some(task) = self.task {
            body["task"] = json!(task);
        }
        if let Some(item) = self.item {
            body["item"] = json!(item);
        }
        verb(self.connect, &self.id, word, &body)
    }
}

impl Cancel {
    fn run(self) -> anyhow::Result<ExitCode> {
        if let Some(id) = &self.id {
            return verb(self.connect, id, "cancel", &by(self.reason.as_deref()));
        }
        let mut body = Map::new();
        for (field, value) in [("job", self.job), ("tenant", self.tenant)] {
            body.extend(value.map(|value| (field.to_owned(), value.into())));
        }
        add_labels(&mut body, self.label.as_slice())?;
        carry_out(self.connect, "cancel_runs", body, (&self.manner, self.reason.as_deref()))
    }
}
