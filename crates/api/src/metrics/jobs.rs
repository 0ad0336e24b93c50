//! Figures of each job: how its runs ended, how long they took, when the last one succeeded. They are counted from the start
//! of the process on.
//! - JM-1 at most so many pairs of tenant and job have figures of their own; all others share those of `other`
//! - JM-2 a deleted job keeps its figures for an hour, for scrapes that come late; then its place is free

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mainspring_core::job::JobKey;
use mainspring_core::values::{Millis, RunStatus, Wall};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;

use super::names::OTHER;
use super::scrape::{Labels, labelled};

/// Jobs that have figures of their own, unless it is set.
pub const OWN_MAX_DEFAULT: usize = 1_000;
/// How long after its deletion a job is still shown.
const SHOWN_AFTER_DELETION: Duration = Duration::from_hours(1);
/// How a run can end.
const ENDS: [RunStatus; 3] = [RunStatus::Succeeded, RunStatus::Failed, RunStatus::Cancelled];

#[derive(Clone, Debug, Default)]
pub struct JobFigures(Arc<Mutex<Jobs>>);

#[derive(Debug)]
struct Jobs {
    own_max: usize,
    own: BTreeMap<Arc<JobKey>, Figures>,
    other: Figures,
}

#[derive(Debug, Default)]
struct Figures {
    ended: [u64; ENDS.len()],
    ran_ms: u64,
    last_success: Option<Wall>,
    deleted: Option<Instant>,
}

impl Default for Jobs {
    fn default() -> Self {
        Self { own_max: OWN_MAX_DEFAULT, own: BTreeMap::new(), other: Figures::default() }
    }
}

impl JobFigures {
    /// How many jobs have figures of their own.
    pub fn set_max(&self, own_max: usize) {
        self.jobs().own_max = own_max;
    }

    pub fn run_ended(&self, job: Arc<JobKey>, status: RunStatus, ran: Millis, at: Wall) {
        let mut jobs = self.jobs();
        let figures = jobs.of(job);
        figures.deleted = None;
        for (count, end) in figures.ended.iter_mut().zip(ENDS) {
            *count += u64::from(end == status);
        }
        figures.ran_ms = figures.ran_ms.saturating_add(ran.get());
        if status == RunStatus::Succeeded {
            figures.last_success = Some(at);
        }
    }

    pub fn job_deleted(&self, job: &JobKey, now: Instant) {
        if let Some(figures) = self.jobs().own.get_mut(job) {
            figures.deleted = Some(now);
        }
    }

    /// Deleted jobs whose time has come leave.
    pub fn forget_deleted(&self, now: Instant) {
        let is_shown = |deleted: Instant| now.duration_since(deleted) < SHOWN_AFTER_DELETION;
        self.jobs().own.retain(|_, figures| figures.deleted.is_none_or(is_shown));
    }

    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Jobs {
    fn of(&mut self, job: Arc<JobKey>) -> &mut Figures {
        if self.own.len() < self.own_max || self.own.contains_key(&job) {
            self.own.entry(job).or_default()
        } else {
            &mut self.other
        }
    }

    fn rows(&self) -> impl Iterator<Item = (Labels<'_>, &Figures)> {
        let own = self.own.iter().map(|(job, figures)| (labels(&job.tenant, &job.name), figures));
        let has_other = self.other.ended.iter().any(|count| *count > 0);
        own.chain(has_other.then(|| (labels(OTHER, OTHER), &self.other)))
    }
}

fn labels<'a>(tenant: &'a str, job: &'a str) -> Labels<'a> {
    vec![("tenant", tenant), ("job", job)]
}

impl Collector for JobFigures {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let jobs = self.jobs();
        let help = "Runs that ended, by job and state.";
        let mut metric = encoder.encode_descriptor("job_runs", help, None, MetricType::Counter)?;
        for (labels, figures) in jobs.rows() {
            for (status, count) in ENDS.into_iter().zip(&figures.ended) {
                let mut labels = labels.clone();
                labels.push(("state", status.label()));
                labelled(&mut metric, &labels, |metric| {
                    metric.encode_counter::<NoLabelSet, u64, u64>(count, None)
                })?;
            }
        }
        let help = "Time from the creation of runs to their end, by job.";
        let unit = Some(&Unit::Seconds);
        let mut metric = encoder.encode_descriptor("job_run", help, unit, MetricType::Counter)?;
        for (labels, figures) in jobs.rows() {
            let seconds = figures.ran_ms as f64 / 1000.0;
            labelled(&mut metric, &labels, |metric| {
                metric.encode_counter::<NoLabelSet, f64, u64>(&seconds, None)
            })?;
        }
        let help = "When the newest run of the job that succeeded had ended, in seconds since 1970.";
        let mut metric = encoder.encode_descriptor("job_last_success", help, unit, MetricType::Gauge)?;
        for (job, figures) in &jobs.own {
            let Some(at) = figures.last_success else { continue };
            let seconds = at.millis() as f64 / 1000.0;
            labelled(&mut metric, &labels(&job.tenant, &job.name), |metric| metric.encode_gauge(&seconds))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use mainspring_core::values::Name;

    use super::*;

    fn job(name: &'static str) -> Arc<JobKey> {
        Arc::new(JobKey { tenant: Name::fixed("acme"), name: Name::fixed(name) })
    }

    fn ended(jobs: &JobFigures, name: &'static str) {
        jobs.run_ended(job(name), RunStatus::Succeeded, Millis::new(1_500), Wall::from_millis(7_000));
    }

    fn shown(jobs: &JobFigures) -> Vec<(String, u64, u64)> {
        let jobs = jobs.jobs();
        let rows = jobs.rows();
        rows.map(|(labels, figures)| (labels[1].1.to_owned(), figures.ended[0], figures.ran_ms)).collect()
    }

    #[test]
    fn jobs_beyond_the_bound_share_one_name() {
        let jobs = JobFigures::default();
        jobs.set_max(2);
        for name in ["a", "b", "c", "a", "d"] {
            ended(&jobs, name);
        }
        let rows = [("a", 2, 3_000), ("b", 1, 1_500), (OTHER, 2, 3_000)];
        assert_eq!(shown(&jobs), rows.map(|(name, count, ms)| (name.to_owned(), count, ms)));
        assert!(jobs.jobs().other.last_success.is_some() && jobs.jobs().own.len() == 2);
    }

    #[test]
    fn a_deleted_job_leaves_after_a_while_unless_it_comes_back() {
        let jobs = JobFigures::default();
        jobs.set_max(3);
        let now = Instant::now();
        for name in ["gone", "back", "kept"] {
            ended(&jobs, name);
        }
        jobs.job_deleted(&job("gone"), now);
        jobs.job_deleted(&job("back"), now);
        ended(&jobs, "back");
        jobs.forget_deleted(now + SHOWN_AFTER_DELETION / 2);
        assert_eq!(shown(&jobs).len(), 3);
        jobs.forget_deleted(now + SHOWN_AFTER_DELETION);
        let names: Vec<String> = shown(&jobs).into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, ["back", "kept"]);
    }
}
