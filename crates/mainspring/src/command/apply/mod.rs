//! `mainspring apply` and `mainspring diff`: job files on disk against the jobs a server has.
//! - JF-1 nothing is stored before the server has checked every job of every file
//! - JF-2 the jobs of one tenant are stored together, or none of them, up to the limits of one request

mod diff;
mod prune;
mod watch;

use std::process::ExitCode;

use bytes::Bytes;
use clap::Args;
use mainspring_client::{Client, ClientError, query};
use mainspring_definition::limits::Limits;
use serde_json::{Value, json};

pub(crate) use self::diff::Diff;
use super::confirm::confirmed;
use super::connect::{Connect, Print};
use super::output::{Column, text};
use super::progress::Bar;
use super::run::actor;
use super::tenant::Tenant;
use super::validate::{Findings, Paths};
use crate::note::note;

/// Stores the jobs of files. Content that the server has already makes no new version. All files are read, and the server
/// checks every job, before the first one is stored: with any mistake, nothing changes.
///
/// With --prune TAG, jobs of the tenant that have the tag and are in none of the files are deleted; jobs without
/// that tag are never touched, and every job of the files must have it. --dry-run shows what would be deleted.
/// Exit: 0 stored, 1 mistakes or refused.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    mainspring apply nightly.yaml\n  \
    mainspring apply -f jobs/ --dry-run\n  \
    mainspring apply -f jobs/ --prune team-ops --dry-run\n  \
    mainspring apply -f jobs/ --watch")]
pub(crate) struct Apply {
    #[command(flatten)]
    files: Files,
    /// Only say what would change
    #[arg(long)]
    dry_run: bool,
    /// Delete jobs that have this tag and are in none of the files, as team-ops
    #[arg(long, value_name = "TAG")]
    prune: Option<String>,
    /// Stay, and apply the files again whenever they change, until Ctrl-C
    #[arg(short, long, conflicts_with = "dry_run")]
    watch: bool,
    /// Do not ask before jobs are deleted
    #[arg(short, long)]
    yes: bool,
    /// Why; kept with the job
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    connect: Connect,
}

#[derive(Args)]
struct Files {
    #[command(flatten)]
    paths: Paths,
    #[command(flatten)]
    tenant: Tenant,
    /// Most tasks of one job; the server has a bound of its own
    #[arg(long, value_name = "COUNT")]
    max_tasks: Option<u32>,
}

impl Files {
    /// `None`: there were mistakes, and they were told.
    fn read(&self, tenant: &str) -> anyhow::Result<Option<Findings>> {
        let findings = Findings::of(&self.paths.all(), tenant, self.max_tasks)?;
        if findings.has_mistakes() {
            findings.print();
            return Ok(None);
        }
        Ok(Some(findings))
    }
}

const SEPARATOR: &[u8] = b"\n---\n";
/// Of jobs that are stored together. One record of the journal has to hold them.
const PART_BYTES_MAX: usize = 8 << 20;

const COLUMNS: [Column; 4] =
    [text("JOB", "job"), text("VERSION", "version"), text("CHANGE", "change"), text("TENANT", "tenant")];

/// What is wanted of the jobs of some files.
struct Plan<'a> {
    tenant: &'a str,
    tag: Option<&'a str>,
    dry_run: bool,
    yes: bool,
    reason: Option<&'a str>,
}

impl Apply {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let Self { files, dry_run, prune, watch, yes, reason, connect } = self;
        let tenant = files.tenant.name(&connect)?;
        let (tag, reason) = (prune.as_deref(), reason.as_deref());
        let plan = Plan { tenant: &tenant, tag, dry_run, yes, reason };
        if watch {
            return connect.run(async |client, print| watch::watch(&client, print, &files, &plan).await);
        }
        let Some(findings) = files.read(&tenant)? else { return Ok(ExitCode::from(1)) };
        connect.run(async |client, print| plan.carry_out(&client, print, &findings).await)
    }
}

impl Plan<'_> {
    async fn carry_out(
        &self,
        client: &Client,
        print: Print,
        findings: &Findings,
    ) -> Result<ExitCode, ClientError> {
        if let Some(tag) = self.tag
            && let Some(name) = prune::without_tag(findings, tag)
        {
            note!(
                "error: the job `{name}` does not have the tag `{tag}`, so a later --prune would not know it\n\n\
                 hint: add it to its `tags`, or leave --prune out"
            );
            return Ok(ExitCode::from(1));
        }
        let foreseen = self.send(client, findings, "check", true).await?;
        let leaving = match self.tag {
            Some(tag) => prune::leaving(client, self.tenant, tag, findings).await?,
            None => Vec::new(),
        };
        if self.dry_run {
            let jobs = [foreseen, leaving.iter().map(prune::row).collect()].concat();
            print.rows(&json!({"jobs": jobs, "dry_run": true}), "jobs", &COLUMNS);
            return Ok(ExitCode::SUCCESS);
        }
        let question =
            format!("delete {} that left the files: {}?", prune::counted(&leaving), leaving.join(", "));
        if !leaving.is_empty() && !confirmed(&question, self.yes) {
            return Ok(ExitCode::from(1));
        }
        let mut jobs = self.send(client, findings, "apply", false).await?;
        for name in &leaving {
            prune::delete(client, self.tenant, name, self.reason).await?;
            jobs.push(prune::row(name));
        }
        print.rows(&json!({"jobs": jobs, "dry_run": false}), "jobs", &COLUMNS);
        Ok(ExitCode::SUCCESS)
    }

    /// What the server says of each job.
    async fn send(
        &self,
        client: &Client,
        findings: &Findings,
        what: &'static str,
        dry_run: bool,
    ) -> Result<Vec<Value>, ClientError> {
        let actor = actor();
        let wanted = [
            ("tenant", Some(self.tenant)),
            ("dry_run", dry_run.then_some("true")),
            ("actor", Some(&*actor)),
            ("reason", self.reason),
        ];
        let path = query("/v1/jobs", &wanted);
        let mut bar = Bar::new(what, findings.definitions().count() as u64);
        let mut jobs = Vec::new();
        for part in parts(findings.definitions().map(|job| &*job.source)) {
            let key = client.new_key();
            let headers = [("idempotency-key", &*key)];
            let answer = client.post_bytes(&path, Bytes::from(part.text), &headers).await;
            let answer = answer.inspect_err(|_| {
                drop(std::mem::replace(&mut bar, Bar::new(what, 0)));
                note!("{}", stopped(dry_run, jobs.len()));
            })?;
            jobs.extend(answer.get("jobs").and_then(Value::as_array).cloned().unwrap_or_default());
            bar.advance(part.jobs as u64);
        }
        Ok(jobs)
    }
}

/// Jobs that are sent, and stored, together.
#[derive(Default)]
struct Part {
    text: Vec<u8>,
    jobs: usize,
}

/// As few parts as the server's limits of a file allow. The canonical texts: what was read here is what is stored there.
fn parts<'a>(sources: impl Iterator<Item = &'a [u8]>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for source in sources {
        let fits = |part: &&mut Part| {
            let bytes = part.text.len() + SEPARATOR.len() + source.len();
            part.jobs < Limits::MANY.jobs_max && bytes <= PART_BYTES_MAX
        };
        if let Some(part) = parts.last_mut().filter(fits) {
            part.text.extend_from_slice(SEPARATOR);
            part.text.extend_from_slice(source);
            part.jobs += 1;
        } else {
            parts.push(Part { text: source.to_vec(), jobs: 1 });
        }
    }
    parts
}

/// What was done before the server refused.
fn stopped(dry_run: bool, stored: usize) -> String {
    match (dry_run, stored) {
        (true, _) => "the server refused the files; nothing was changed".to_owned(),
        (false, 0) => "the server refused the jobs; none of them was stored".to_owned(),
        (false, stored) => format!(
            "the server refused although it had accepted the check; the first {stored} jobs are stored, and applying the files again does the rest"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_sent_together_up_to_the_limits_of_a_file() {
        let small = vec![&b"{}"[..]; Limits::MANY.jobs_max + 1];
        let sent = parts(small.into_iter());
        assert_eq!(sent.iter().map(|part| part.jobs).collect::<Vec<_>>(), [Limits::MANY.jobs_max, 1]);
        let large = vec![b'x'; PART_BYTES_MAX / 2];
        let sent = parts([&large[..], b"{}", &large, b"{}"].into_iter());
        assert_eq!(sent.iter().map(|part| part.jobs).collect::<Vec<_>>(), [2, 2]);
        assert!(sent.iter().all(|part| part.text.len() <= PART_BYTES_MAX));
        assert!(sent[1].text.ends_with(b"\n---\n{}"));
    }
}
