//! The tables of one day, and which days there are.

use rusqlite::Connection;

/// Tables of a day are made on first use. The index by kind has the id behind it, being of a table without
/// row ids; so has the one of the few that did not succeed (6 is `Status::Succeeded`). A label may be of a task that has
/// left the day since.
pub fn create(db: &Connection, day: u32) -> rusqlite::Result<()> {
    db.execute_batch(&format!(
        "CREATE TABLE IF NOT EXISTS kinds_{day} (
            kind INTEGER PRIMARY KEY, tenant TEXT NOT NULL, job TEXT NOT NULL, UNIQUE (tenant, job)
        );
        CREATE TABLE IF NOT EXISTS history_{day} (
            id BLOB PRIMARY KEY, grp INTEGER NOT NULL, kind INTEGER NOT NULL, status INTEGER NOT NULL, worker BLOB, labels TEXT,
            submitted INTEGER NOT NULL, ended INTEGER NOT NULL, bytes BLOB NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS history_{day}_kind ON history_{day} (kind);
        CREATE INDEX IF NOT EXISTS history_{day}_odd ON history_{day} (status) WHERE status <> 6;
        CREATE TABLE IF NOT EXISTS labels_{day} (label TEXT NOT NULL, id BLOB NOT NULL, PRIMARY KEY (label, id)) WITHOUT ROWID;
        INSERT OR IGNORE INTO days VALUES ({day});"
    ))
}

pub fn drop_day(db: &Connection, day: u32) -> rusqlite::Result<()> {
    db.execute_batch(&format!(
        "DROP TABLE IF EXISTS history_{day}; DROP TABLE IF EXISTS kinds_{day}; DROP TABLE IF EXISTS labels_{day};
         DELETE FROM days WHERE day = {day};"
    ))
}

/// Newest first.
pub fn list(db: &Connection) -> rusqlite::Result<Vec<u32>> {
    db.prepare_cached("SELECT day FROM days ORDER BY day DESC")?.query_map([], |row| row.get(0))?.collect()
}
