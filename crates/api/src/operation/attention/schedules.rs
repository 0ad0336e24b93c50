//! Windows that nobody wanted to miss, and schedules that somebody paused.

use mainspring_core::schedule::{Schedule, Unfired, WindowRow};
use mainspring_core::values::{Millis, Wall};
use serde_json::json;

use super::{NAMED_MAX, finding, many, of_tenant};
use crate::edge::Edge;
use crate::operation::schedules::schedules;
use crate::problem::Problem;
use crate::wire::{AdvisedView, FindingView, Moment, written};

/// Schedules that are looked at, and windows of each.
const SCHEDULES_MAX: usize = 1_000;
const WINDOWS_MAX: usize = 100;

pub(super) async fn findings(edge: &Edge, since: Wall) -> Result<Vec<FindingView>, Problem> {
    let (all, next) = schedules(edge, (None, None), None, Some(SCHEDULES_MAX)).await?;
    let mut found = Vec::new();
    for schedule in all.iter().filter(|one| one.missed > 0 && one.last >= since).take(NAMED_MAX) {
        let id = schedule.id;
        let rows = edge.readers.read(move |tables| tables.windows(id, None, WINDOWS_MAX)).await?;
        found.extend(missed(schedule, &rows, since));
    }
    let paused: Vec<&Schedule> = all.iter().filter(|one| one.paused).collect();
    if let Some(first) = paused.iter().min_by_key(|one| one.changed) {
        let count = paused.len() as u64;
        let is = if count == 1 { "is" } else { "are" };
        let message = format!("{} {is} paused", many(count, "schedule"));
        found.push(FindingView {
            more: next.is_some(),
            since: Some(Moment(first.changed)),
            tenant: Some(first.key.tenant.to_string()),
            job: Some(first.key.job.to_string()),
            schedule: Some(first.key.name.to_string()),
            ..finding("schedules_paused", 1, count, message, "resume those that should run")
        });
    }
    Ok(found)
}

/// `rows`: the newest first.
fn missed(schedule: &Schedule, rows: &[WindowRow], since: Wall) -> Option<FindingView> {
    let is_missed = |row: &&WindowRow| matches!(row.what, Err(Unfired::Missed(_))) && row.at >= since;
    let rows: Vec<&WindowRow> = rows.iter().filter(is_missed).collect();
    let (first, last) = (rows.last()?.first, rows.first()?.last);
    let count = rows.iter().map(|row| row.count).sum();
    let key = &schedule.key;
    let name = format!("{}/{}", key.job, key.name);
    Some(FindingView {
        since: Some(Moment(first)),
        tenant: Some(key.tenant.to_string()),
        job: Some(key.job.to_string()),
        schedule: Some(key.name.to_string()),
        action: Some(backfill(schedule, first, last)),
        ..finding(
            "windows_missed",
            2,
            count,
            format!("{} of `{name}` never ran", many(count, "window")),
            "run them with a backfill if their work still matters",
        )
    })
}

fn backfill(schedule: &Schedule, first: Wall, last: Wall) -> AdvisedView {
    let key = &schedule.key;
    // The end of a backfill is not part of it.
    let (from, to) = (written(first), written(last + Millis::new(1)));
    let words =
        ["backfill", &key.job, "--schedule", &key.name, "--from", &from, "--to", &to, "--only", "missing"];
    AdvisedView {
        title: "Backfill",
        effect: format!("Runs the windows from {from} to {} that did not run.", written(last)),
        method: "POST",
        path: "/v1/backfills".to_owned(),
        body: json!({
            "tenant": key.tenant.as_str(), "job": key.job.as_str(), "schedule": key.name.as_str(), "from": from, "to": to,
            "only": "missing",
        }),
        command: words.into_iter().map(str::to_owned).chain(of_tenant(&key.tenant)).collect(),
    }
}
