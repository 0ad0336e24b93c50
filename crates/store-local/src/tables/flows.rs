//! Jobs, versions and runs.

use mainspring_core::job::JobKey;
use mainspring_core::run::StartedBy;
use mainspring_core::values::{RunId, RunStatus, Wall};
use mainspring_store::{Cut, JobRow, PAGE_MAX, RunQuery, RunRow, VersionRow};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::rows::{bits, checked, labels, labels_text, name, time, wall, wide};

const VERSION_COLUMNS: &str = "tenant, name, version, at, hash, plan, source";
const RUN_COLUMNS: &str = "id, tenant, job, version, status, trigger, labels, created, ended, bytes";
/// Ended runs removed in one transaction.
pub const RUNS_AT_ONCE: usize = 5_000;

pub fn write(db: &Connection, cut: &Cut) -> rusqlite::Result<()> {
    let mut insert =
        db.prepare_cached("INSERT OR REPLACE INTO versions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
    for row in &cut.versions {
        let (tenant, name) = (row.key.tenant.as_str(), row.key.name.as_str());
        insert.execute(params![
            tenant,
            name,
            row.version,
            time(row.at),
            wide(row.hash),
            row.plan,
            row.source
        ])?;
    }
    let mut insert = db.prepare_cached("INSERT OR REPLACE INTO jobs VALUES (?1, ?2, ?3)")?;
    for row in &cut.jobs {
        insert.execute(params![row.key.tenant.as_str(), row.key.name.as_str(), row.bytes])?;
    }
    let mut insert =
        db.prepare_cached("INSERT OR REPLACE INTO runs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?;
    let mut runs: Vec<&RunRow> = cut.runs.iter().collect();
    runs.sort_unstable_by_key(|row| row.id);
    for row in runs {
        insert.execute(params![
            wide(row.id.bits()),
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

pub fn jobs(db: &Connection, each: &mut dyn FnMut(JobRow)) -> rusqlite::Result<()> {
    let mut select = db.prepare_cached("SELECT tenant, name, bytes FROM jobs")?;
    let rows = select.query_map([], |row| {
        Ok(JobRow { key: JobKey { tenant: name(row, 0)?, name: name(row, 1)? }, bytes: row.get(2)? })
    })?;
    rows.into_iter().try_for_each(|row| row.map(&mut *each))
}

pub fn live_runs(db: &Connection, each: &mut dyn FnMut(RunRow)) -> rusqlite::Result<()> {
    let mut select =
        db.prepare_cached(&format!("SELECT {RUN_COLUMNS} FROM runs WHERE ended IS NULL ORDER BY id"))?;
    let rows = select.query_map([], run)?;
    rows.into_iter().try_for_each(|row| row.map(&mut *each))
}

pub fn by_id(db: &Connection, id: RunId) -> rusqlite::Result<Option<RunRow>> {
    let sql = format!("SELECT {RUN_COLUMNS} FROM runs WHERE id = ?1");
    db.prepare_cached(&sql)?.query_row([wide(id.bits())], run).optional()
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

pub fn page(db: &Connection, query: &RunQuery) -> rusqlite::Result<Vec<RunRow>> {
    let mut sql = format!("SELECT {RUN_COLUMNS} FROM runs WHERE 1");
    let mut values: Vec<Value> = Vec::new();
    let mut and = |condition: &str, value: Value| {
        sql.push_str(condition);
        values.push(value);
    };
    if let Some(tenant) = &query.tenant {
        and(" AND tenant = ?", Value::from(tenant.to_string()));
    }
    if let Some(job) = &query.job {
        and(" AND job = ?", Value::from(job.to_string()));
    }
    if let Some(trigger) = query.trigger {
        and(" AND trigger = ?", Value::from(trigger as i64));
    }
    if let Some(label) = &query.label {
        let wanted = labels_text(std::slice::from_ref(label)).unwrap_or_default();
        and(" AND instr(labels, ?) > 0", Value::from(wanted));
    }
    if let Some(from) = query.created_from {
        and(" AND created >= ?", Value::from(time(from)));
    }
    if let Some(before) = query.created_before {
        and(" AND created < ?", Value::from(time(before)));
    }
    if let Some(from) = query.from {
        and(" AND id >= ?", Value::from(wide(from.bits()).to_vec()));
    }
    if let Some(after) = query.after {
        and(" AND id < ?", Value::from(wide(after.bits()).to_vec()));
    }
    if !query.statuses.is_empty() {
        let list: Vec<String> = query.statuses.iter().map(|status| (*status as u8).to_string()).collect();
        sql.extend([" AND status IN (", &list.join(","), ")"]);
    }
    sql.extend([" ORDER BY id DESC LIMIT ", &query.limit.min(PAGE_MAX).to_string()]);
    db.prepare_cached(&sql)?.query_map(params_from_iter(values), run)?.collect()
}

fn version_row(row: &Row<'_>) -> rusqlite::Result<VersionRow> {
    Ok(VersionRow {
        key: JobKey { tenant: name(row, 0)?, name: name(row, 1)? },
        version: row.get(2)?,
        at: wall(row, 3)?,
        hash: bits(row, 4)?,
        plan: row.get(5)?,
        source: row.get(6)?,
    })
}

fn run(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    let ended: Option<i64> = row.get(8)?;
    let out_of_range = |at, value: u8| rusqlite::Error::IntegralValueOutOfRange(at, i64::from(value));
    let (status, trigger): (u8, u8) = (row.get(4)?, row.get(5)?);
    Ok(RunRow {
        id: RunId::from_bits(bits(row, 0)?),
        job: JobKey {
            tenant: checked(1, row.get_ref(1)?.as_str()?)?,
            name: checked(2, row.get_ref(2)?.as_str()?)?,
        },
        version: row.get(3)?,
        status: RunStatus::from_index(status).ok_or_else(|| out_of_range(4, status))?,
        trigger: StartedBy::from_index(trigger).ok_or_else(|| out_of_range(5, trigger))?,
        labels: labels(row, 6)?,
        created: wall(row, 7)?,
        ended: ended.map(|ms| Wall::from_millis(ms.cast_unsigned())),
        bytes: row.get(9)?,
    })
}
