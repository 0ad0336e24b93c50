//! Pages of runs, newest first.
//! - RL-1 every path gives rows in falling order of id, so a page costs what it looks at
//! - RL-2 a page looks at most at about [`SCANNED_MAX`] rows, and says where it stopped
//!
//! A filter picks the path: those that did not succeed and those that have not ended are indexed, else by tenant and job,
//! else over all. Runs made since an instant have ids that were minted since then, but for those that an older run began:
//! they have its time in their ids, and are found by when they were made.

use mainspring_core::values::{RunId, RunStatus, Wall};
use mainspring_store::{PAGE_MAX, RunPage, RunQuery, RunRow};
use rusqlite::Connection;
use rusqlite::types::Value;

use super::flows::{RUN_COLUMNS, run};
use super::rows::{bits, labels_text, time, wall, wide};
use super::scan::{self, Columns, Conditions};

/// Rows looked at for one page.
const SCANNED_MAX: usize = 10_000;
/// Whether a row fits is behind [`RUN_COLUMNS`].
const COLUMNS: Columns<RunId, RunRow> =
    Columns { fits: 11, place: |row| Ok((RunId::from_bits(bits(row, 0)?), wall(row, 8)?)), row: run };

pub fn page(db: &Connection, query: &RunQuery) -> rusqlite::Result<RunPage> {
    let limit = query.limit.min(PAGE_MAX);
    // One more than asked for tells whether there is a further page.
    let (want, mut left) = (limit + 1, SCANNED_MAX);
    let mut found: Vec<RunRow> = vec![];
    for stretch in stretches(query) {
        let paths = paths(query, &stretch);
        let most = (left / paths.len()).max(1);
        let mut left_at: Option<(RunId, Wall)> = None;
        let mut rows = vec![];
        for path in &paths {
            let sql = statement(query, &stretch, path);
            let looked = scan::read(db, sql, &COLUMNS, want - found.len(), most)?;
            rows.extend(looked.rows);
            left = left.saturating_sub(looked.count);
            left_at = left_at.max(looked.left_at);
        }
        rows.sort_unstable_by_key(|row| std::cmp::Reverse(row.id));
        // Below the first place at which a path was left, others have rows that it has not come to.
        rows.retain(|row| left_at.is_none_or(|(id, _)| row.id >= id));
        found.extend(rows);
        if found.len() > limit {
            found.truncate(limit);
            return Ok(RunPage { next: found.last().map(|row| row.id), rows: found, looked_until: None });
        }
        if let Some((id, created)) = left_at {
            return Ok(RunPage { rows: found, next: Some(id), looked_until: Some(created) });
        }
    }
    Ok(RunPage { rows: found, ..RunPage::default() })
}

/// A part of the order, newest first.
#[derive(Default)]
struct Stretch {
    from: Option<RunId>,
    below: Option<RunId>,
    /// Read by when they were made.
    by_created: bool,
}

fn stretches(query: &RunQuery) -> Vec<Stretch> {
    let whole = Stretch { from: query.from, below: query.after, by_created: false };
    let Some(created) = query.created_from else { return vec![whole] };
    let minted = RunId::from_bits(u128::from(created.millis()) << 80);
    let newer = Stretch { from: whole.from.max(Some(minted)), ..whole };
    let below = whole.below.map_or(minted, |below| below.min(minted));
    vec![newer, Stretch { from: query.from, below: Some(below), by_created: true }]
}

struct Path {
    index: &'static str,
    condition: &'static str,
    values: Vec<Value>,
}

fn paths(query: &RunQuery, stretch: &Stretch) -> Vec<Path> {
    let is_odd = |status: &RunStatus| status.is_ended() && *status != RunStatus::Succeeded;
    if let Some(from) = query.created_from.filter(|_| stretch.by_created) {
        let values = vec![Value::from(time(from))];
        return vec![Path { index: "INDEXED BY runs_created", condition: "created >= ?", values }];
    }
    if !query.statuses.is_empty() && query.statuses.iter().all(is_odd) {
        let mut statuses: Vec<u8> = query.statuses.iter().map(|status| *status as u8).collect();
        statuses.sort_unstable();
        statuses.dedup();
        let path = |status| Path {
            index: "INDEXED BY runs_odd",
            condition: "ended IS NOT NULL AND status <> 2 AND status = ?",
            values: vec![Value::from(i64::from(status))],
        };
        return statuses.into_iter().map(path).collect();
    }
    let path = |index, condition, values| vec![Path { index, condition, values }];
    if !query.statuses.is_empty() && !query.statuses.iter().any(|status| status.is_ended()) {
        return path("INDEXED BY runs_live", "ended IS NULL", vec![]);
    }
    match (&query.tenant, &query.job) {
        (Some(tenant), Some(job)) => {
            let values = vec![Value::from(tenant.to_string()), Value::from(job.to_string())];
            path("INDEXED BY runs_job", "tenant = ? AND job = ?", values)
        }
        _ => path("NOT INDEXED", "true", vec![]),
    }
}

fn statement(query: &RunQuery, stretch: &Stretch, path: &Path) -> (String, Vec<Value>) {
    let Conditions { sql: fits, mut values } = fits(query);
    let mut sql = format!(
        "SELECT {RUN_COLUMNS}, coalesce({fits}, 0) FROM runs {} WHERE {}",
        path.index, path.condition
    );
    values.extend(path.values.iter().cloned());
    let mut bound = |condition: &str, id: Option<RunId>| {
        if let Some(id) = id {
            sql.push_str(condition);
            values.push(Value::from(wide(id.bits()).to_vec()));
        }
    };
    bound(" AND id >= ?", stretch.from);
    bound(" AND id < ?", stretch.below);
    sql.push_str(" ORDER BY id DESC");
    (sql, values)
}

/// Conditions that a row is checked against on the way.
fn fits(query: &RunQuery) -> Conditions {
    let mut fits = Conditions::none();
    let mut also = |condition: &str, value: Option<Value>| fits.also(condition, value);
    also("tenant = ?", query.tenant.as_ref().map(|tenant| Value::from(tenant.to_string())));
    also("job = ?", query.job.as_ref().map(|job| Value::from(job.to_string())));
    also("trigger = ?", query.trigger.map(|trigger| Value::from(trigger as i64)));
    let label = query.label.as_ref().and_then(|label| labels_text(std::slice::from_ref(label)));
    also("instr(labels, ?) > 0", label.map(Value::from));
    also("created >= ?", query.created_from.map(|from| Value::from(time(from))));
    also("created < ?", query.created_before.map(|before| Value::from(time(before))));
    if !query.statuses.is_empty() {
        let bits = query.statuses.iter().fold(0, |bits, status| bits | 1_i64 << (*status as u8));
        also("(? >> status) & 1", Some(Value::from(bits)));
    }
    fits
}

#[cfg(test)]
mod tests {
    use mainspring_core::values::Name;
    use rusqlite::params_from_iter;

    use super::super::schema;
    use super::*;

    /// A page must cost what it looks at (RL-1): no path may sort but the one over the few that an older run began.
    #[test]
    fn paths_are_in_the_order_of_ids() {
        let dir = tempfile::tempdir().expect("a directory");
        let db = schema::writer(dir.path()).expect("tables");
        let all = RunQuery { after: Some(RunId::from_bits(9)), ..RunQuery::default() };
        let job = RunQuery { tenant: Some(Name::fixed("a")), job: Some(Name::fixed("b")), ..all.clone() };
        let failed = RunQuery { statuses: vec![RunStatus::Failed, RunStatus::Cancelled], ..job.clone() };
        let running = RunQuery { statuses: vec![RunStatus::Running], ..job.clone() };
        let since = RunQuery { created_from: Some(Wall::from_millis(5)), ..all.clone() };
        let rows = [
            ("all", all, 0, "PRIMARY KEY (id<?)"),
            ("one job", job, 0, "runs_job (tenant=? AND job=? AND id<?)"),
            ("not succeeded", failed, 0, "runs_odd (status=? AND id<?)"),
            ("not ended", running, 0, "runs_live (id<?)"),
            ("since", since.clone(), 0, "PRIMARY KEY (id>? AND id<?)"),
            ("since, of older runs", since, 1, "runs_created (created>?)"),
        ];
        for (case, query, stretch, used) in rows {
            let stretch = stretches(&query).swap_remove(stretch);
            for path in paths(&query, &stretch) {
                let (sql, values) = statement(&query, &stretch, &path);
                let mut explain = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("a statement");
                let plan: Vec<String> = explain
                    .query_map(params_from_iter(values), |row| row.get(3))
                    .and_then(Iterator::collect)
                    .expect("a plan");
                let plan = plan.join("; ");
                assert!(plan.contains(used), "{case}: {plan}");
                assert_eq!(plan.contains("TEMP B-TREE"), stretch.by_created, "{case}: {plan}");
            }
        }
    }
}
