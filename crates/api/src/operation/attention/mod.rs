//! What needs a person, the most harmful first: one answer for who was woken up, and for the first page of the console.
//! Entry: [`attention`].
//! - AN-1 what it costs is bounded whatever the history holds: each list has at most [`ROWS_MAX`] rows, and says so if there
//!   are more
//! - AN-2 a part that cannot be read is a finding, not a refusal, as long as the shard answers
//!
//! Not here: the watchdog that notices late runs (`core/src/engine/watch.rs`), and its list (`watchlist`).

mod runs;
mod schedules;
mod tasks;
mod workers;

use mainspring_core::values::{Millis, Wall};

use super::flows::Owners;
use super::{health, stats};
use crate::edge::Edge;
use crate::gateway::now;
use crate::problem::Problem;
use crate::wire::{AttentionView, FindingView, GlanceView, Moment};

/// Rows that are read of a kind.
const ROWS_MAX: usize = 200;
/// Jobs and schedules that are looked at one by one.
const NAMED_MAX: usize = 20;
/// How far it looks back.
const WITHIN: Millis = Millis::from_secs(24 * 3600);

pub(crate) async fn attention(edge: &Edge) -> Result<AttentionView, Problem> {
    let (record, at) = (edge.gateway.record(), now());
    let since = at - WITHIN;
    let stats = stats(edge).await?;
    let mut findings: Vec<FindingView> = server(edge, at).await;
    let (fleet, slots) = workers::findings(edge, &stats).await?;
    findings.extend(fleet);
    let failed = runs::failed(edge, since).await?;
    let (active, active_more) = runs::active(edge).await?;
    let (runs_failed, runs_failed_more) = (failed.count, failed.more);
    findings.extend(failed.findings());
    findings.extend(runs::marked(edge).await);
    findings.extend(runs::approvals(edge).await);
    findings.extend(tasks::findings(edge).await?);
    findings.extend(schedules::findings(edge, since).await?);
    sort(&mut findings);
    name_owners(edge, &mut findings).await;
    let figures = GlanceView {
        runs_active: active,
        runs_active_more: active_more,
        runs_failed,
        runs_failed_more,
        tasks_running: stats.depths.iter().map(|depth| u64::from(depth.running)).sum(),
        tasks_queued: stats.depths.iter().map(|depth| depth.queued).sum(),
        workers: stats.workers as u64,
        slots,
    };
    Ok(AttentionView { record, at: Moment(at), findings, figures })
}

/// Without a place of its own: a finding about nothing that has a name.
fn finding(kind: &'static str, harm: u8, count: u64, message: String, advice: &str) -> FindingView {
    FindingView {
        kind,
        harm,
        message,
        advice: advice.to_owned(),
        count,
        more: false,
        since: None,
        tenant: None,
        job: None,
        owner: None,
        schedule: None,
        pool: None,
        example: None,
        action: None,
    }
}

async fn name_owners(edge: &Edge, findings: &mut [FindingView]) {
    let mut owners = Owners::default();
    for finding in findings {
        let (Some(tenant), Some(job)) = (&finding.tenant, &finding.job) else { continue };
        finding.owner = owners.named(edge, tenant, job).await;
    }
}

fn sort(findings: &mut [FindingView]) {
    // What stays equal keeps its order: the server before workers, workers before runs.
    findings.sort_by_key(|finding| std::cmp::Reverse((finding.harm, finding.count)));
}

async fn server(edge: &Edge, at: Wall) -> Vec<FindingView> {
    let reasons = health::troubles_and_conditions(edge).await;
    let mut found: Vec<FindingView> = reasons
        .into_iter()
        .map(|reason| FindingView {
            since: reason.since_s.map(|seconds| Moment(at - Millis::from_secs(seconds))),
            ..finding(
                "not_ready",
                3,
                1,
                format!("the server takes no work: {}", reason.detail),
                "see the page System, and the server's log",
            )
        })
        .collect();
    // What comes from the tables is then older than what the shard says; it is still worth to be seen.
    if edge.gateway.tables_follow(false).await.is_err() {
        let message = "the tables are behind the journal: what ended in the last seconds may be missing here";
        let advice = "wait; if it stays so the disk is too slow or full";
        found.push(finding("tables_behind", 2, 1, message.to_owned(), advice));
    }
    found
}

/// `1 run`, `2 runs`.
fn many(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Commands take the tenant only where it is not the usual one.
fn of_tenant(tenant: &str) -> Vec<String> {
    if tenant == crate::wire::TENANT_DEFAULT {
        Vec::new()
    } else {
        vec!["--tenant".to_owned(), tenant.to_owned()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_harmful_come_first_then_the_most() {
        let row = |harm, count| finding("no_workers", harm, count, String::new(), "");
        let mut rows = vec![row(1, 9), row(3, 1), row(2, 5), row(3, 4)];
        sort(&mut rows);
        let order: Vec<(u8, u64)> = rows.iter().map(|row| (row.harm, row.count)).collect();
        assert_eq!(order, [(3, 4), (3, 1), (2, 5), (1, 9)]);
        assert_eq!((many(1, "run"), many(2, "run")), ("1 run".into(), "2 runs".into()));
    }
}
