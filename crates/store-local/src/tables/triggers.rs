//! Triggers.

use mainspring_core::values::TriggerId;
use mainspring_store::{Cut, TriggerRow};
use rusqlite::{Connection, params};

pub fn write(db: &Connection, cut: &Cut) -> rusqlite::Result<()> {
    let mut insert = db.prepare_cached("INSERT OR REPLACE INTO triggers VALUES (?1, ?2)")?;
    let mut rows: Vec<&TriggerRow> = cut.triggers.iter().collect();
    rows.sort_unstable_by_key(|row| row.id);
    rows.into_iter().try_for_each(|row| insert.execute(params![row.id.get(), row.bytes]).map(drop))
}

/// By id.
pub fn all(db: &Connection, each: &mut dyn FnMut(TriggerRow)) -> rusqlite::Result<()> {
    let mut select = db.prepare_cached("SELECT id, bytes FROM triggers ORDER BY id")?;
    let rows =
        select.query_map([], |row| Ok(TriggerRow { id: TriggerId::new(row.get(0)?), bytes: row.get(1)? }))?;
    rows.into_iter().try_for_each(|row| row.map(&mut *each))
}
