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
    let ended = |row: &RunRow| (row.status, row.ended.unwrap_or(Wall::ZERO).since(row.created).get());
    let mut versions: BTreeMap<u32, Vec<(RunStatus, u64)>> = BTreeMap::new();
    for row in &rows {
        versions.entry(row.version).or_default().push(ended(row));
    }
    let by_version = versions.into_iter().rev();
    Ok(JobStats {
        tenant: job.key.tenant.to_string(),
        job: job.key.name.to_string(),
        looked_at: rows.len(),
        is_all: page.next.is_none(),
        oldest_at: rows.iter().map(|row| row.created).min().map(Moment),
        newest_at: rows.iter().map(|row| row.created).max().map(Moment),
        all: FiguresView::of(rows.iter().map(ended)),
        versions: by_version
            .map(|(version, runs)| VersionFigures { version, figures: FiguresView::of(runs.into_iter()) })
            .collect(),
    })
}
