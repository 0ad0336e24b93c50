//! What happened in an interval, in one line: for listeners that only want to know what to read again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bytes::Bytes;
use mainspring_core::decision::{Happening, News, RunChange};
use mainspring_core::job::JobKey;
use mainspring_core::values::{Name, RunId, Seq};
use serde_json::{Value, json};

use super::{Line, event, line};

/// Runs that are named; of more it is only said that there are many.
const RUNS_MAX: usize = 200;
/// Jobs and states that are counted; the rest is counted together.
const COUNTS_MAX: usize = 1_000;
pub(crate) const EVERY_MIN: Duration = Duration::from_millis(50);
pub(crate) const EVERY_MAX: Duration = Duration::from_secs(10);

#[derive(Default)]
pub(super) struct Digest {
    counts: BTreeMap<(Name, Name, &'static str), u64>,
    /// Not in `counts`, because there were too many of them.
    other: u64,
    runs: BTreeSet<RunId>,
    many_runs: bool,
    /// By kind of what it happened to.
    kinds: BTreeMap<&'static str, u64>,
    lost: u64,
    newest: Option<(News, Seq)>,
}

impl Digest {
    pub fn note(&mut self, line: &Line) {
        match &line.news.what {
            Happening::Task { tenant, job, run, to, .. } => {
                self.count("task");
                self.count_state((tenant.clone(), job.clone(), to.label()));
                if let Some(run) = run {
                    self.touch(*run);
                }
            }
            Happening::Run { id, job, change } => {
                self.count("run");
                self.touch(*id);
                self.count_task_of_run(job, change);
            }
            Happening::Job { .. } => self.count("job"),
            Happening::Schedule { .. } => self.count("schedule"),
            Happening::Worker { .. } => self.count("worker"),
            Happening::Operation { .. } => self.count("operation"),
        }
        self.newest = Some((line.news.clone(), line.record));
    }

    /// A task that was never released ends with its run's news.
    fn count_task_of_run(&mut self, job: &JobKey, change: &RunChange) {
        if let RunChange::TaskEnded { status, .. } = change {
            self.count_state((job.tenant.clone(), job.name.clone(), status.state(None).label()));
        }
    }

    fn count_state(&mut self, key: (Name, Name, &'static str)) {
        if self.counts.len() < COUNTS_MAX || self.counts.contains_key(&key) {
            *self.counts.entry(key).or_default() += 1;
        } else {
            self.other += 1;
        }
    }

    pub fn note_lost(&mut self, count: u64) {
        self.lost += count;
    }

    fn count(&mut self, kind: &'static str) {
        *self.kinds.entry(kind).or_default() += 1;
    }

    fn touch(&mut self, run: RunId) {
        if self.runs.len() < RUNS_MAX || self.runs.contains(&run) {
            self.runs.insert(run);
        } else {
            self.many_runs = true;
        }
    }

    /// The line, and an empty digest is left; `None`: nothing happened.
    pub fn take(&mut self) -> Option<Bytes> {
        self.newest.as_ref()?;
        let Self { counts, other, runs, many_runs, kinds, lost, newest } = std::mem::take(self);
        let (news, record) = newest?;
        let counts: Vec<Value> = counts
            .into_iter()
            .map(|((tenant, job, state), count)| {
                json!({"tenant": tenant.as_str(), "job": job.as_str(), "state": state, "count": count})
            })
            .collect();
        let runs: Vec<String> = runs.iter().map(ToString::to_string).collect();
        let data = json!({
            "record": record.get(), "events": kinds, "counts": counts, "other": other, "run_ids": runs,
            "many_runs": many_runs, "lost": lost,
        });
        Some(line(&event(&news, "events.digest", "", &data)))
    }
}
