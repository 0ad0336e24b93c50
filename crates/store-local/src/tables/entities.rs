//! Entities of every kind, in one table.

use mainspring_core::values::{EntityKind, Wall};
use mainspring_store::{EntityQuery, EntityRow, PAGE_MAX};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::flows::recovery_page;
use super::rows::{bits, group, name, time, wide};

const COLUMNS: &str = "kind, id, grp, tenant, parent, ended, fixed, bytes";
/// Ended ones removed in one transaction; a row may be large.
pub const ENTITIES_AT_ONCE: usize = 500;

/// In the order of the table's key, so that rising ids are written at its right edge.
pub fn write(db: &Connection, rows: &[EntityRow]) -> rusqlite::Result<()> {
    let mut upsert = db.prepare_cached(UPSERT)?;
    let mut rows: Vec<&EntityRow> = rows.iter().collect();
    rows.sort_unstable_by_key(|row| (row.kind, row.id));
    for row in rows {
        upsert.execute(params![
            row.kind as u8,
            wide(row.id),
            row.group.get(),
            row.tenant.as_str(),
            row.parent.as_str(),
            row.ended.map(time),
            row.kind.is_listed(),
            row.fixed,
            row.bytes,
        ])?;
    }
    Ok(())
}

/// Tenant and parent of an entity never change; a tenant may move to another group.
const UPSERT: &str = "INSERT INTO entities (kind, id, grp, tenant, parent, ended, listed, fixed, bytes)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (kind, id) DO UPDATE
    SET grp = excluded.grp, ended = excluded.ended, fixed = coalesce(excluded.fixed, fixed), bytes = excluded.bytes";

/// Removes some of those that ended before this instant; says how many.
pub fn drop_ended(db: &Connection, before: Wall) -> rusqlite::Result<usize> {
    let sql =
        "DELETE FROM entities WHERE (kind, id) IN (SELECT kind, id FROM entities WHERE ended < ?1 LIMIT ?2)";
    db.prepare_cached(sql)?.execute(params![time(before), ENTITIES_AT_ONCE as i64])
}

/// A page of those that have not ended, by id.
pub fn live(
    db: &Connection,
    kind: EntityKind,
    after: Option<u128>,
    limit: usize,
) -> rusqlite::Result<Vec<EntityRow>> {
    // No id has more than sixteen bytes, so the empty one comes before all of them.
    let after = after.map_or(vec![], |after| wide(after).to_vec());
    let mut select = db.prepare_cached(LIVE)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = select.query_map(params![kind as u8, after, limit], entity)?;
    recovery_page(rows, |row| row.bytes.len() + row.fixed.as_ref().map_or(0, Vec::len))
}

const LIVE: &str = "SELECT kind, id, grp, tenant, parent, ended, fixed, bytes FROM entities
    WHERE kind = ?1 AND id > ?2 AND ended IS NULL ORDER BY id LIMIT ?3";

pub fn by_id(db: &Connection, kind: EntityKind, id: u128) -> rusqlite::Result<Option<EntityRow>> {
    let sql = format!("SELECT {COLUMNS} FROM entities WHERE kind = ?1 AND id = ?2");
    db.prepare_cached(&sql)?.query_row(params![kind as u8, wide(id)], entity).optional()
}

/// Newest first.
pub fn page(db: &Connection, query: &EntityQuery) -> rusqlite::Result<Vec<EntityRow>> {
    let mut values = vec![Value::from(query.kind as i64)];
    values.extend(query.tenant.as_ref().map(|tenant| Value::from(tenant.to_string())));
    values.extend(query.parent.as_ref().map(|parent| Value::from(parent.to_string())));
    values.extend(query.after.map(|after| Value::from(wide(after).to_vec())));
    let sql = page_sql(query);
    db.prepare_cached(&sql)?.query_map(params_from_iter(values), entity)?.collect()
}

fn page_sql(query: &EntityQuery) -> String {
    let mut sql = format!("SELECT {COLUMNS} FROM entities WHERE kind = ?");
    // Only where the index helps: without a tenant the table itself is in the right order.
    if query.tenant.is_some() {
        let listed = if query.kind.is_listed() { " AND listed = 1" } else { "" };
        sql.extend([listed, " AND tenant = ?"]);
    }
    if query.parent.is_some() {
        sql.push_str(" AND parent = ?");
    }
    if query.after.is_some() {
        sql.push_str(" AND id < ?");
    }
    sql.extend([" ORDER BY id DESC LIMIT ", &query.limit.min(PAGE_MAX).to_string()]);
    sql
}

fn entity(row: &Row<'_>) -> rusqlite::Result<EntityRow> {
    let (kind, ended): (u8, Option<i64>) = (row.get(0)?, row.get(5)?);
    let unknown = || rusqlite::Error::IntegralValueOutOfRange(0, i64::from(kind));
    Ok(EntityRow {
        kind: EntityKind::from_number(kind).ok_or_else(unknown)?,
        id: bits(row, 1)?,
        group: group(row, 2)?,
        tenant: name(row, 3)?,
        parent: name(row, 4)?,
        ended: ended.map(|ms| Wall::from_millis(ms.cast_unsigned())),
        fixed: row.get(6)?,
        bytes: row.get(7)?,
    })
}
