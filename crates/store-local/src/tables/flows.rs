//! Versions of jobs, and runs.

use mainspring_core::job::JobKey;
use mainspring_core::run::StartedBy;
use mainspring_core::values::{RunId, RunStatus, Wall};
use mainspring_store::{Cut, LiveRun, PAGE_MAX, RECOVERY_PAGE_BYTES, RunRow, VersionRow};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::rows::{bits, group, labels, labels_text, name, time, wall, wide};

const VERSION_COLUMNS: &str = "tenant, name, version, grp, at, hash, plan, source";
pub(super) const RUN_COLUMNS: &str =
    "id, grp, tenant, job, version, status, trigger, labels, created, ended, bytes";
/// Ended runs removed in one transaction.
pub const RUNS_AT_ONCE: usize = 5_000;

pub fn write(db: &Connection, cut: &Cut) -> rusqlite::Result<()> {
    let mut insert =
        db.prepare_cached("INSERT OR REPLACE INTO versions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
    for row in &cut.versions {
        let (tenant, name) = (row.key.tenant.as_str(), row.key.name.as_str());
        insert.execute(params![
            tenant,
            name,
            row.version,
            row.group.get(),
            time(row.at),
            wide(row.hash),
            row.plan,
            row.source
        ])?;
    }
    let sql = "INSERT OR REPLACE INTO runs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    let mut insert = db.prepare_cached(sql)?;
    let mut runs: Vec<&RunRow> = cut.runs.iter().collect();
    runs.sort_unstable_by_key(|row| row.id);
    for row in runs {
        insert.execute(params![
            wide(row.id.bits()),
            row.group.get(),
            row.job.tenant.as_str(),
            row.job.name.as_str(),
            row.version,
            row.status as u8,
            row.trigger as u8,
            labels_text(&row.labels),
            time(row.created),
            row.ended.map(time),
            row.bytes,
        ])?;
    }
    Ok(())
}

/// Removes some of the runs that ended before this instant; says how many.
pub fn drop_ended(db: &Connection, before: Wall) -> rusqlite::Result<usize> {
    let sql = "DELETE FROM runs WHERE id IN (SELECT id FROM runs WHERE ended < ?1 LIMIT ?2)";
    db.prepare_cached(sql)?.execute(params![time(before), RUNS_AT_ONCE as i64])
}

/// A page, by id.
pub fn live_runs(db: &Connection, after: Option<RunId>, limit: usize) -> rusqlite::Result<Vec<LiveRun>> {
    let after = after.map_or(0, RunId::bits);
    let row = |row: &Row<'_>| Ok(LiveRun { id: RunId::from_bits(bits(row, 0)?), bytes: row.get(1)? });
    let mut select = db.prepare_cached(LIVE_RUNS)?;
    let rows = select.query_map(params![wide(after), limit as i64], row)?;
    recovery_page(rows, |row| row.bytes.len())
}

/// No id is zero. The index has only runs that have not ended.
const LIVE_RUNS: &str =
    "SELECT id, bytes FROM runs INDEXED BY runs_live WHERE ended IS NULL AND id > ?1 ORDER BY id LIMIT ?2";

pub(super) fn recovery_page<T>(
    rows: impl Iterator<Item = rusqlite::Result<T>>,
    bytes: impl Fn(&T) -> usize,
) -> rusqlite::Result<Vec<T>> {
    let (mut page, mut held) = (Vec::new(), 0);
    for row in rows {
        let row = row?;
        held += bytes(&row);
        page.push(row);
        if held >= RECOVERY_PAGE_BYTES {
            break;
        }
    }
    Ok(page)
}

pub fn by_id(db: &Connection, id: RunId) -> rusqlite::Result<Option<RunRow>> {
    let sql = format!("SELECT {RUN_COLUMNS} FROM runs WHERE id = ?1");
    db.prepare_cached(&sql)?.query_row([wide(id.bits())], run).optional()
}

/// Only their bytes.
pub fn by_ids(db: &Connection, ids: &[RunId], each: &mut dyn FnMut(RunId, &[u8])) -> rusqlite::Result<()> {
    let mut select = db.prepare_cached("SELECT bytes FROM runs WHERE id = ?1")?;
    for id in ids {
        let mut rows = select.query([wide(id.bits())])?;
        if let Some(row) = rows.next()? {
            each(*id, row.get_ref(0)?.as_blob()?);
        }
    }
    Ok(())
}

pub fn version(db: &Connection, key: &JobKey, number: u32) -> rusqlite::Result<Option<VersionRow>> {
    let sql =
        format!("SELECT {VERSION_COLUMNS} FROM versions WHERE tenant = ?1 AND name = ?2 AND version = ?3");
    let of = params![key.tenant.as_str(), key.name.as_str(), number];
    db.prepare_cached(&sql)?.query_row(of, version_row).optional()
}

/// Newest first.
pub fn versions(
    db: &Connection,
    key: &JobKey,
    before: u32,
    limit: usize,
) -> rusqlite::Result<Vec<VersionRow>> {
    let sql = format!(
        "SELECT {VERSION_COLUMNS} FROM versions WHERE tenant = ?1 AND name = ?2 AND version < ?3
         ORDER BY version DESC LIMIT ?4"
    );
    let of = params![key.tenant.as_str(), key.name.as_str(), before, limit.min(PAGE_MAX) as i64];
    db.prepare_cached(&sql)?.query_map(of, version_row)?.collect()
}

fn version_row(row: &Row<'_>) -> rusqlite::Result<VersionRow> {
    Ok(VersionRow {
        key: JobKey { tenant: name(row, 0)?, name: name(row, 1)? },
        version: row.get(2)?,
        group: group(row, 3)?,
        at: wall(row, 4)?,
        hash: bits(row, 5)?,
        plan: row.get(6)?,
        source: row.get(7)?,
    })
}

pub(super) fn run(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    let ended: Option<i64> = row.get(9)?;
    let out_of_range = |at, value: u8| rusqlite::Error::IntegralValueOutOfRange(at, i64::from(value));
    let (status, trigger): (u8, u8) = (row.get(5)?, row.get(6)?);
    Ok(RunRow {
        id: RunId::from_bits(bits(row, 0)?),
        group: group(row, 1)?,
        job: JobKey { tenant: name(row, 2)?, name: name(row, 3)? },
        version: row.get(4)?,
        status: RunStatus::from_index(status).ok_or_else(|| out_of_range(5, status))?,
        trigger: StartedBy::from_index(trigger).ok_or_else(|| out_of_range(6, trigger))?,
        labels: labels(row, 7)?,
        created: wall(row, 8)?,
        ended: ended.map(|ms| Wall::from_millis(ms.cast_unsigned())),
        bytes: row.get(10)?,
    })
}

#[cfg(test)]
mod tests {
    use rusqlite::params_from_iter;

    use super::super::schema;
    use super::*;

    /// A page of recovery must cost what it holds, wherever it begins.
    #[test]
    fn pages_of_recovery_begin_where_the_last_one_ended() {
        let dir = tempfile::tempdir().expect("a directory");
        let db = schema::writer(dir.path()).expect("tables");
        let rows = [(LIVE_RUNS, "SEARCH runs USING INDEX runs_live (id>?)")];
        for (sql, used) in rows {
            let mut explain = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("a statement");
            let count = explain.parameter_count();
            let plan: Vec<String> = explain
                .query_map(params_from_iter(vec![1; count]), |row| row.get(3))
                .and_then(Iterator::collect)
                .expect("a plan");
            assert_eq!(plan, [used], "{sql}");
        }
    }
}
