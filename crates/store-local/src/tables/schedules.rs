//! What became of the windows of schedules.

use mainspring_core::schedule::WindowRow;
use mainspring_core::values::{ScheduleId, Wall};
use mainspring_store::schedules::{kind, made, what};
use mainspring_store::{Cut, PAGE_MAX, WindowCursor};
use rusqlite::{Connection, Row, params};

use super::rows::{group, time, wall, wide};

const COLUMNS: &str = "schedule, first, kind, grp, last, count, made, at";
/// Old windows removed in one transaction.
pub const OCCURRENCES_AT_ONCE: usize = 20_000;

pub fn write(db: &Connection, cut: &Cut) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO windows VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let mut insert = db.prepare_cached(sql)?;
    let mut rows: Vec<&WindowRow> = cut.windows.iter().collect();
    // Stable: of two that say the same window the newer one stays.
    rows.sort_by_key(|row| (row.schedule, row.first));
    for row in rows {
        insert.execute(params![
            row.schedule.bits().cast_signed(),
            time(row.first),
            kind(row),
            row.group.get(),
            time(row.last),
            row.count.cast_signed(),
            made(row).map(wide),
            time(row.at),
        ])?;
    }
    Ok(())
}

/// Removes some of what was decided before this instant; says how many.
pub fn drop_decided(db: &Connection, before: Wall) -> rusqlite::Result<usize> {
    let sql = "DELETE FROM windows WHERE (schedule, first, kind) IN
        (SELECT schedule, first, kind FROM windows WHERE at < ?1 LIMIT ?2)";
    db.prepare_cached(sql)?.execute(params![time(before), OCCURRENCES_AT_ONCE as i64])
}

/// Newest first.
pub fn page(
    db: &Connection,
    schedule: ScheduleId,
    before: Option<WindowCursor>,
    limit: usize,
) -> rusqlite::Result<Vec<WindowRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM windows WHERE schedule = ?1 AND (first, kind) < (?2, ?3)
         ORDER BY first DESC, kind DESC LIMIT ?4"
    );
    // No kind has the greatest number, so that the last instant there is has its rows before it.
    let (first, kind) = before.map_or((i64::MAX, u8::MAX), |at| (time(at.first), at.kind));
    let wanted = params![schedule.bits().cast_signed(), first, kind, limit.min(PAGE_MAX) as i64];
    db.prepare_cached(&sql)?.query_map(wanted, window_row)?.collect()
}

fn window_row(row: &Row<'_>) -> rusqlite::Result<WindowRow> {
    let (kind, made): (u8, Option<[u8; 16]>) = (row.get(2)?, row.get(6)?);
    let bits = made.map(u128::from_be_bytes);
    Ok(WindowRow {
        schedule: ScheduleId::from_bits(row.get::<_, i64>(0)?.cast_unsigned()),
        group: group(row, 3)?,
        first: wall(row, 1)?,
        last: wall(row, 4)?,
        count: row.get::<_, i64>(5)?.cast_unsigned(),
        what: what(kind, bits).ok_or(rusqlite::Error::IntegralValueOutOfRange(2, i64::from(kind)))?,
        at: wall(row, 7)?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::schema;

    /// A page must cost what it shows, and so must dropping what is old.
    #[test]
    fn no_path_sorts_or_scans() {
        let dir = tempfile::tempdir().expect("a directory");
        let db = schema::writer(dir.path()).expect("tables");
        let rows = [
            (
                "SELECT at FROM windows WHERE schedule = 1 AND (first, kind) < (5, 1)
                 ORDER BY first DESC, kind DESC LIMIT 7",
                "PRIMARY KEY (schedule=? AND (first,kind)<(?,?))",
            ),
            ("SELECT kind FROM windows WHERE at < 5 LIMIT 7", "COVERING INDEX windows_at (at<?)"),
        ];
        for (sql, used) in rows {
            let mut explain = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("a statement");
            let plan: Vec<String> =
                explain.query_map([], |row| row.get(3)).and_then(Iterator::collect).expect("a plan");
            let plan = plan.join("; ");
            assert!(!plan.contains("TEMP B-TREE") && plan.contains(used), "{sql}: {plan}");
        }
    }
}
