//! Backfills.

use mainspring_core::job::JobKey;
use mainspring_core::values::{BackfillId, Wall};
use mainspring_store::{BackfillQuery, BackfillRow, Cut, PAGE_MAX};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::rows::{bits, name, time, wide};

const COLUMNS: &str = "id, tenant, job, ended, spec, bytes";
/// Ended ones removed in one transaction; each may name many windows.
pub const BACKFILLS_AT_ONCE: usize = 500;

pub fn write(db: &Connection, cut: &Cut) -> rusqlite::Result<()> {
    let mut insert = db.prepare_cached("INSERT OR REPLACE INTO backfills VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    let mut update = db.prepare_cached("UPDATE backfills SET ended = ?2, bytes = ?3 WHERE id = ?1")?;
    let mut rows: Vec<&BackfillRow> = cut.backfills.iter().collect();
    rows.sort_unstable_by_key(|row| row.id);
    for row in rows {
        if row.spec.is_none() {
            update.execute(params![wide(row.id.bits()), row.ended.map(time), row.bytes])?;
            continue;
        }
        insert.execute(params![
            wide(row.id.bits()),
            row.job.tenant.as_str(),
            row.job.name.as_str(),
            row.ended.map(time),
            row.spec,
            row.bytes,
        ])?;
    }
    Ok(())
}

/// Removes some of those that ended before this instant; says how many.
pub fn drop_ended(db: &Connection, before: Wall) -> rusqlite::Result<usize> {
    let sql = "DELETE FROM backfills WHERE id IN (SELECT id FROM backfills WHERE ended < ?1 LIMIT ?2)";
    db.prepare_cached(sql)?.execute(params![time(before), BACKFILLS_AT_ONCE as i64])
}

pub fn live(db: &Connection, each: &mut dyn FnMut(BackfillRow)) -> rusqlite::Result<()> {
    let sql = format!("SELECT {COLUMNS} FROM backfills WHERE ended IS NULL ORDER BY id");
    let mut select = db.prepare_cached(&sql)?;
    let rows = select.query_map([], backfill)?;
    rows.into_iter().try_for_each(|row| row.map(&mut *each))
}

pub fn by_id(db: &Connection, id: BackfillId) -> rusqlite::Result<Option<BackfillRow>> {
    let sql = format!("SELECT {COLUMNS} FROM backfills WHERE id = ?1");
    db.prepare_cached(&sql)?.query_row([wide(id.bits())], backfill).optional()
}

/// Newest first.
pub fn page(db: &Connection, query: &BackfillQuery) -> rusqlite::Result<Vec<BackfillRow>> {
    let mut sql = format!("SELECT {COLUMNS} FROM backfills WHERE 1");
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
    if let Some(after) = query.after {
        and(" AND id < ?", Value::from(wide(after.bits()).to_vec()));
    }
    sql.extend([" ORDER BY id DESC LIMIT ", &query.limit.min(PAGE_MAX).to_string()]);
    db.prepare_cached(&sql)?.query_map(params_from_iter(values), backfill)?.collect()
}

fn backfill(row: &Row<'_>) -> rusqlite::Result<BackfillRow> {
    let ended: Option<i64> = row.get(3)?;
    Ok(BackfillRow {
        id: BackfillId::from_bits(bits(row, 0)?),
        job: JobKey { tenant: name(row, 1)?, name: name(row, 2)? },
        ended: ended.map(|ms| Wall::from_millis(ms.cast_unsigned())),
        spec: row.get(4)?,
        bytes: row.get(5)?,
    })
}
