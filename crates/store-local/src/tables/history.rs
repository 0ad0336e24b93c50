//! Pages of history: day by day from the newest, within a day by id.
//! - HQ-1 every path through a day gives rows in falling order of id, so a page costs what it looks at
//! - HQ-2 a page looks at most at about [`SCANNED_MAX`] rows, and says where it stopped
//!
//! A filter picks the path: by status where success is not asked for (the few are indexed), else by label, else by kind
//! (tenant and job), else over all of the day. Worker and time only filter on the way.

use mainspring_core::task::Status;
use mainspring_core::values::{TaskId, Wall};
use mainspring_store::{HistoryCursor, HistoryPage, HistoryQuery, HistoryRow, PAGE_MAX};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension};

use super::days;
use super::rows::{self, labels_text, time, wide};
use super::scan::{self, Columns, Conditions};

/// Kinds that are read one by one and merged; with more of them the day is read as a whole.
const KINDS_MERGED_MAX: usize = 64;
/// Rows looked at for one page: some 30 ms.
const SCANNED_MAX: usize = 10_000;
/// On each of many paths.
const PATH_SCANNED_MIN: usize = 200;

pub fn page(tx: &Connection, query: &HistoryQuery) -> rusqlite::Result<HistoryPage> {
    let limit = query.limit.min(PAGE_MAX);
    let mut left = SCANNED_MAX;
    let mut found: Vec<HistoryRow> = vec![];
    for day in days::list(tx)?.into_iter().filter(|day| in_range(query, *day)) {
        // One more than asked for tells whether there is a further page.
        let want = limit + 1 - found.len();
        let looked = of_day(tx, query, day, want, left)?;
        found.extend(looked.rows);
        left = left.saturating_sub(looked.count);
        if found.len() > limit {
            found.truncate(limit);
            let cursor = |row: &HistoryRow| HistoryCursor { day: row.ended.day(), id: row.id };
            return Ok(HistoryPage { next: found.last().map(cursor), rows: found, looked_until: None });
        }
        if let Some((id, ended)) = looked.left_at {
            let next = Some(HistoryCursor { day, id });
            return Ok(HistoryPage { rows: found, next, looked_until: Some(ended) });
        }
    }
    Ok(HistoryPage { rows: found, ..HistoryPage::default() })
}

/// Most tasks end on the day on which they were made, or soon after; so that day is asked first.
pub fn by_id(tx: &Connection, id: TaskId, days: &[u32]) -> rusqlite::Result<Option<HistoryRow>> {
    let made = made_on(id);
    let since = days.iter().rev().filter(|day| **day >= made);
    let before = days.iter().filter(|day| **day < made);
    for day in since.chain(before) {
        let row =
            tx.prepare_cached(&sql_by_id(*day))?.query_row([wide(id.bits())], rows::history).optional()?;
        if row.is_some() {
            return Ok(row);
        }
    }
    Ok(None)
}

pub(super) fn sql_by_id(day: u32) -> String {
    let columns = rows::HISTORY;
    format!(
        "SELECT {columns} FROM history_{day} AS h CROSS JOIN kinds_{day} AS k ON k.kind = h.kind WHERE h.id = ?1"
    )
}

/// The bytes of those among `ids`, which rise, that are there. A row is on the day on which its id was made or soon after,
/// and before it only if a clock was wrong; so the days are asked in that order, each for what is still missing.
pub fn by_ids(tx: &Connection, ids: &[TaskId], each: &mut dyn FnMut(TaskId, &[u8])) -> rusqlite::Result<()> {
    let mut days = days::list(tx)?;
    let mut left = ids.to_vec();
    for day in days.iter().rev() {
        let made_by_then = left.partition_point(|id| made_on(*id) <= *day);
        let mut missing = of_day_by_ids(tx, *day, &left[..made_by_then], each)?;
        missing.extend_from_slice(&left[made_by_then..]);
        left = missing;
    }
    days.retain(|day| left.last().is_some_and(|id| *day < made_on(*id)));
    for day in days {
        let made_by_then = left.partition_point(|id| made_on(*id) <= day);
        let missing = of_day_by_ids(tx, day, &left[made_by_then..], each)?;
        left.truncate(made_by_then);
        left.extend(missing);
    }
    Ok(())
}

/// Rows passed over before the next wanted one is sought from the root: about what seeking costs.
const PASSED_MAX: u32 = 8;

/// Reads on from row to row where the wanted ones are close together, as the tasks of unfinished runs are. Returns what the
/// day does not have.
fn of_day_by_ids(
    tx: &Connection,
    day: u32,
    wanted: &[TaskId],
    each: &mut dyn FnMut(TaskId, &[u8]),
) -> rusqlite::Result<Vec<TaskId>> {
    let (mut missing, mut at) = (Vec::new(), 0);
    let Some(last) = wanted.last() else { return Ok(missing) };
    let mut select = tx.prepare_cached(&sql_by_ids(day))?;
    'seek: while let Some(first) = wanted.get(at) {
        let mut rows = select.query([wide(first.bits()), wide(last.bits())])?;
        let mut passed = 0;
        while let Some(row) = rows.next()? {
            let id = TaskId::from_bits(rows::bits(row, 0)?);
            let before = wanted[at..].iter().take_while(|wanted| **wanted < id).count();
            missing.extend_from_slice(&wanted[at..at + before]);
            at += before;
            if wanted.get(at) == Some(&id) {
                each(id, row.get_ref(1)?.as_blob()?);
                (at, passed) = (at + 1, 0);
            } else if passed < PASSED_MAX {
                passed += 1;
            } else {
                continue 'seek;
            }
        }
        missing.extend_from_slice(&wanted[at..]);
        break;
    }
    Ok(missing)
}

fn sql_by_ids(day: u32) -> String {
    format!("SELECT id, bytes FROM history_{day} NOT INDEXED WHERE id BETWEEN ?1 AND ?2 ORDER BY id")
}

fn made_on(id: TaskId) -> u32 {
    (id.minted_ms() / 86_400_000) as u32
}

/// Of live and ended tasks; every table is clustered by id.
pub fn ids(tx: &Connection, from: TaskId, through: TaskId, limit: usize) -> rusqlite::Result<Vec<TaskId>> {
    let tables = days::list(tx)?.into_iter().map(|day| format!("history_{day}"));
    let mut found: Vec<TaskId> = vec![];
    for table in std::iter::once("live".to_owned()).chain(tables) {
        let sql = format!("SELECT id FROM {table} WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3");
        let range = (wide(from.bits()), wide(through.bits()), limit as i64);
        let mut select = tx.prepare_cached(&sql)?;
        for id in select.query_map(range, |row| rows::bits(row, 0))? {
            found.push(TaskId::from_bits(id?));
        }
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(limit);
    Ok(found)
}

fn in_range(query: &HistoryQuery, day: u32) -> bool {
    query.after.is_none_or(|after| day <= after.day)
        && query.ended_from.is_none_or(|from| day >= from.day())
        && query.ended_before.is_none_or(|before| day <= before.day())
}

/// One way through a day's table.
struct Path {
    /// With the aliases that the conditions name.
    from: From,
    condition: &'static str,
    value: Option<Value>,
}

#[derive(Clone, Copy)]
enum From {
    All,
    Index(&'static str),
    Labels,
}

type Looked = scan::Looked<TaskId, HistoryRow>;

/// Whether a row fits is behind its columns.
const COLUMNS: Columns<TaskId, HistoryRow> = Columns {
    fits: rows::HISTORY_COLUMNS,
    place: |row| Ok((TaskId::from_bits(rows::bits(row, 0)?), rows::wall(row, 8)?)),
    row: rows::history,
};

/// `most`: rows that may be looked at.
fn of_day(
    tx: &Connection,
    query: &HistoryQuery,
    day: u32,
    want: usize,
    most: usize,
) -> rusqlite::Result<Looked> {
    let kinds = kinds(tx, query, day)?;
    if kinds.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Looked::default());
    }
    let paths = paths(query, kinds.as_deref());
    let most = (most / paths.len()).max(PATH_SCANNED_MIN);
    let mut all = Looked::default();
    for path in &paths {
        let looked = scan::read(tx, statement(query, day, path), &COLUMNS, want, most)?;
        all.rows.extend(looked.rows);
        all.count += looked.count;
        all.left_at = all.left_at.max(looked.left_at);
    }
    if paths.len() > 1 {
        all.rows.sort_unstable_by_key(|row: &HistoryRow| std::cmp::Reverse(row.id));
        // Below the first place at which a path was left, others have rows that it has not come to.
        all.rows.retain(|row| all.left_at.is_none_or(|(id, _)| row.id >= id));
        all.rows.truncate(want);
    }
    Ok(all)
}

/// Numbers of the kinds asked for; `None` if neither tenant nor job was named.
fn kinds(tx: &Connection, query: &HistoryQuery, day: u32) -> rusqlite::Result<Option<Vec<i64>>> {
    if query.tenant.is_none() && query.job.is_none() {
        return Ok(None);
    }
    let sql = format!(
        "SELECT kind FROM kinds_{day} WHERE (?1 IS NULL OR tenant = ?1) AND (?2 IS NULL OR job = ?2)"
    );
    let names = (query.tenant.as_deref(), query.job.as_deref());
    tx.prepare_cached(&sql)?.query_map(names, |row| row.get(0))?.collect::<rusqlite::Result<_>>().map(Some)
}

fn paths(query: &HistoryQuery, kinds: Option<&[i64]>) -> Vec<Path> {
    if !query.statuses.is_empty() && !query.statuses.contains(&Status::Succeeded) {
        let mut statuses = query.statuses.clone();
        statuses.sort_unstable();
        statuses.dedup();
        let path = |status| Path {
            from: From::Index("_odd"),
            condition: "h.status <> 6 AND h.status = ?",
            value: Some(Value::Integer(status as i64)),
        };
        return statuses.into_iter().map(path).collect();
    }
    if let Some(label) = &query.label {
        let value = labels_text(std::slice::from_ref(label)).map(Value::Text);
        return vec![Path { from: From::Labels, condition: "l.label = ?", value }];
    }
    match kinds {
        Some(kinds) if kinds.len() <= KINDS_MERGED_MAX => {
            let path = |kind: &i64| Path {
                from: From::Index("_kind"),
                condition: "h.kind = ?",
                value: Some(Value::Integer(*kind)),
            };
            kinds.iter().map(path).collect()
        }
        _ => vec![Path { from: From::All, condition: "true", value: None }],
    }
}

/// Whether a row fits is its last column.
fn statement(query: &HistoryQuery, day: u32, path: &Path) -> (String, Vec<Value>) {
    let columns = rows::HISTORY;
    let (from, id) = match path.from {
        From::All => (format!("history_{day} AS h NOT INDEXED"), "h.id"),
        From::Index(index) => (format!("history_{day} AS h INDEXED BY history_{day}{index}"), "h.id"),
        From::Labels => {
            (format!("labels_{day} AS l CROSS JOIN history_{day} AS h NOT INDEXED ON h.id = l.id"), "l.id")
        }
    };
    let Conditions { sql: fits, mut values } = fits(query);
    let mut sql = format!(
        "SELECT {columns}, coalesce({fits}, 0) FROM {from} CROSS JOIN kinds_{day} AS k ON k.kind = h.kind WHERE {}",
        path.condition
    );
    values.extend(path.value.clone());
    if let Some(after) = query.after.filter(|after| after.day == day) {
        sql.extend([" AND ", id, " < ?"]);
        values.push(Value::Blob(wide(after.id.bits()).to_vec()));
    }
    sql.extend([" ORDER BY ", id, " DESC"]);
    (sql, values)
}

/// Conditions that a row is checked against on the way.
fn fits(query: &HistoryQuery) -> Conditions {
    let mut fits = Conditions::none();
    let mut also = |condition: &str, value: Option<Value>| fits.also(condition, value);
    let instant = |at: Option<Wall>| at.map(|at| Value::Integer(time(at)));
    also("k.tenant = ?", query.tenant.as_ref().map(|tenant| Value::Text(tenant.to_string())));
    also("k.job = ?", query.job.as_ref().map(|job| Value::Text(job.to_string())));
    also("h.worker = ?", query.worker.map(|worker| Value::Blob(wide(worker.bits()).to_vec())));
    let label = query.label.as_ref().and_then(|label| labels_text(std::slice::from_ref(label)));
    also("instr(h.labels, ?) > 0", label.map(Value::Text));
    also("h.submitted >= ?", instant(query.created_from));
    also("h.submitted < ?", instant(query.created_before));
    also("h.ended >= ?", instant(query.ended_from));
    also("h.ended < ?", instant(query.ended_before));
    if !query.statuses.is_empty() {
        // A bit for each status: one condition, whatever the number of them.
        let bits = query.statuses.iter().fold(0, |bits, status| bits | 1_i64 << status.index());
        also("(? >> h.status) & 1", Some(Value::Integer(bits)));
    }
    fits
}

#[cfg(test)]
mod tests {
    use rusqlite::params_from_iter;

    use super::*;
    use mainspring_core::values::Name;

    /// Looking up many rows must neither read a day from its beginning nor sort it.
    #[test]
    fn ranges_are_read_in_the_order_of_ids() {
        let db = Connection::open_in_memory().expect("a database");
        db.execute_batch("CREATE TABLE days (day INTEGER PRIMARY KEY)").expect("a table");
        days::create(&db, 7).expect("a day");
        let mut explain = db.prepare(&format!("EXPLAIN QUERY PLAN {}", sql_by_ids(7))).expect("a statement");
        let range = [wide(1), wide(2)];
        let plan: Vec<String> =
            explain.query_map(range, |row| row.get(3)).and_then(Iterator::collect).expect("a plan");
        assert_eq!(plan, ["SEARCH history_7 USING PRIMARY KEY (id>? AND id<?)"]);
    }

    /// A page must cost what it shows (HQ-1): no path may sort a day first.
    #[test]
    fn no_path_sorts() {
        let db = Connection::open_in_memory().expect("a database");
        db.execute_batch("CREATE TABLE days (day INTEGER PRIMARY KEY)").expect("a table");
        days::create(&db, 7).expect("a day");
        let named = HistoryQuery {
            tenant: Some(Name::fixed("a")),
            job: Some(Name::fixed("b")),
            ..Default::default()
        };
        let failed = HistoryQuery { statuses: vec![Status::Failed, Status::Cancelled], ..named.clone() };
        let both = HistoryQuery { statuses: vec![Status::Failed, Status::Succeeded], ..named.clone() };
        let after = HistoryCursor { day: 7, id: TaskId::from_bits(5) };
        let labelled =
            HistoryQuery { label: Some((Name::fixed("team"), Name::fixed("ops"))), ..Default::default() };
        let later = HistoryQuery { after: Some(after), ended_from: Some(Wall::ZERO), ..failed.clone() };
        let rows = [
            ("all", HistoryQuery::default(), "SCAN h"),
            (
                "all, a later page",
                HistoryQuery { after: Some(after), ..Default::default() },
                "PRIMARY KEY (id<?)",
            ),
            ("one job", named, "history_7_kind"),
            ("not succeeded", failed, "history_7_odd"),
            ("both", both, "history_7_kind"),
            ("a label", labelled.clone(), "l USING PRIMARY KEY (label=?)"),
            (
                "a label, a later page",
                HistoryQuery { after: Some(after), ..labelled },
                "l USING PRIMARY KEY (label=? AND id<?)",
            ),
            ("a later page", later, "history_7_odd"),
        ];
        for (case, query, used) in rows {
            for path in paths(&query, query.tenant.as_ref().map(|_| [1_i64, 2].as_slice())) {
                let (sql, values) = statement(&query, 7, &path);
                let mut explain = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("a statement");
                let plan: Vec<String> = explain
                    .query_map(params_from_iter(values), |row| row.get(3))
                    .and_then(Iterator::collect)
                    .expect("a plan");
                let plan = plan.join("; ");
                assert!(!plan.contains("TEMP B-TREE") && plan.contains(used), "{case}: {plan}");
            }
        }
    }
}
