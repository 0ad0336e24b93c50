//! How the newest runs of a job ended and how long they took: from a bounded number of rows.

use std::collections::BTreeMap;

use mainspring_core::job::JobKey;
use mainspring_core::values::{RunStatus, Wall};
use mainspring_store::{PAGE_MAX, RunQuery, RunRow};

use super::jobs;
use crate::edge::Edge;
use crate::problem::Problem;
use crate::wire::{FiguresView, JobStats, Moment, VersionFigures};

/// Runs looked at unless somebody says how many.
const LAST_DEFAULT: usize = 100;

pub(crate) async fn job_stats(edge: &Edge, key: JobKey, last: Option<usize>) -> Result<JobStats, Problem> {
    let limit = match last.unwrap_or(LAST_DEFAULT) {
        0 => return Err(Problem::query("last", "at least 1")),
        limit if limit > PAGE_MAX => return Err(Problem::PageTooLong { limit, max: PAGE_MAX }),
        limit => limit,
    };
    let job = jobs::job(edge, key).await?;
    edge.gateway.tables_follow(false).await?;
    let query = RunQuery {
        tenant: Some(job.key.tenant.clone()),
        job: Some(job.key.name.clone()),
        statuses: RunStatus::ALL.into_iter().filter(|status| status.is_ended()).collect(),
        limit,
        ..RunQuery::default()
    };
    let page = edge.readers.read(move |tables| tables.runs(&query)).await?;
    let rows = page.rows;
    let mut versions: BTreeMap<u32, Figures> = BTreeMap::new();
    let mut all = Figures::default();
    for row in &rows {
        all.add(row);
        versions.entry(row.version).or_default().add(row);
    }
    let by_version = versions.into_iter().rev();
    Ok(JobStats {
        tenant: job.key.tenant.to_string(),
        job: job.key.name.to_string(),
        looked_at: rows.len(),
        is_all: page.next.is_none(),
        oldest_at: rows.iter().map(|row| row.created).min().map(Moment),
        newest_at: rows.iter().map(|row| row.created).max().map(Moment),
        all: all.view(),
        versions: by_version
            .map(|(version, figures)| VersionFigures { version, figures: figures.view() })
            .collect(),
    })
}

#[derive(Default)]
struct Figures {
    succeeded: u32,
    failed: u32,
    cancelled: u32,
    /// Of those that succeeded, in milliseconds.
    spans: Vec<u64>,
}

impl Figures {
    fn add(&mut self, row: &RunRow) {
        match row.status {
            RunStatus::Succeeded => {
                self.succeeded += 1;
                self.spans.push(row.ended.unwrap_or(Wall::ZERO).since(row.created).get());
            }
            RunStatus::Failed => self.failed += 1,
            RunStatus::Cancelled => self.cancelled += 1,
            RunStatus::Queued | RunStatus::Running => {}
        }
    }

    fn view(mut self) -> FiguresView {
        self.spans.sort_unstable();
        let judged = self.succeeded + self.failed;
        FiguresView {
            runs: judged + self.cancelled,
            succeeded: self.succeeded,
            failed: self.failed,
            cancelled: self.cancelled,
            success_rate: (judged > 0).then(|| f64::from(self.succeeded) / f64::from(judged)),
            p50_ms: rank(&self.spans, 50),
            p95_ms: rank(&self.spans, 95),
        }
    }
}

/// The smallest span that so many of a hundred do not exceed.
fn rank(sorted: &[u64], percent: usize) -> Option<u64> {
    let place = (sorted.len() * percent).div_ceil(100);
    sorted.get(place.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_values_that_were_there() {
        let spans: Vec<u64> = (1..=20).collect();
        assert_eq!((rank(&spans, 50), rank(&spans, 95)), (Some(10), Some(19)));
        assert_eq!((rank(&[7], 50), rank(&[7], 95)), (Some(7), Some(7)));
        assert_eq!(rank(&[], 50), None);
    }
}
