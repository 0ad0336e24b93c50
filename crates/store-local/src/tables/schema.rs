//! The schema, its version, and how connections are set up.

use std::path::{Path, PathBuf};

use mainspring_core::values::{Epoch, Now, Seq};
use mainspring_store::{CheckpointHead, OpenError};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

/// `PRAGMA user_version` of tables that this version writes. Others are refused by name: nothing has been released yet.
const VERSION: u32 = 12;

const TABLES: &str = "
    CREATE TABLE meta (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        seq INTEGER NOT NULL, epoch INTEGER NOT NULL,
        elapsed INTEGER NOT NULL, wall INTEGER NOT NULL,
        meta BLOB NOT NULL
    );
    INSERT INTO meta VALUES (1, 0, 0, 0, 0, x'');
    CREATE TABLE live (
        id BLOB PRIMARY KEY, grp INTEGER NOT NULL, touched INTEGER NOT NULL, parked_due INTEGER, bytes BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX live_parked ON live (parked_due) WHERE parked_due IS NOT NULL;
    CREATE TABLE keys (
        scope BLOB PRIMARY KEY, grp INTEGER NOT NULL, request BLOB NOT NULL, task BLOB NOT NULL,
        expires INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX keys_expires ON keys (expires);
    CREATE TABLE days (day INTEGER PRIMARY KEY);
    CREATE TABLE versions (
        tenant TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, grp INTEGER NOT NULL,
        at INTEGER NOT NULL, hash BLOB NOT NULL, plan BLOB NOT NULL, source BLOB NOT NULL, PRIMARY KEY (tenant, name, version)
    ) WITHOUT ROWID;
    CREATE TABLE runs (
        id BLOB PRIMARY KEY, grp INTEGER NOT NULL, tenant TEXT NOT NULL, job TEXT NOT NULL,
        version INTEGER NOT NULL, status INTEGER NOT NULL, trigger INTEGER NOT NULL, labels TEXT, created INTEGER NOT NULL, ended INTEGER,
        bytes BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX runs_job ON runs (tenant, job, id);
    CREATE INDEX runs_live ON runs (id) WHERE ended IS NULL;
    CREATE INDEX runs_ended ON runs (ended) WHERE ended IS NOT NULL;
    CREATE INDEX runs_odd ON runs (status) WHERE ended IS NOT NULL AND status <> 2;
    CREATE INDEX runs_created ON runs (created);
    CREATE TABLE windows (
        schedule INTEGER NOT NULL, first INTEGER NOT NULL, kind INTEGER NOT NULL, grp INTEGER NOT NULL,
        last INTEGER NOT NULL, count INTEGER NOT NULL, made BLOB, at INTEGER NOT NULL, PRIMARY KEY (schedule, first, kind)
    ) WITHOUT ROWID;
    CREATE INDEX windows_at ON windows (at);
    CREATE TABLE entities (
        kind INTEGER NOT NULL, id BLOB NOT NULL, grp INTEGER NOT NULL, tenant TEXT NOT NULL, parent TEXT NOT NULL,
        ended INTEGER, listed INTEGER NOT NULL, fixed BLOB, bytes BLOB NOT NULL, PRIMARY KEY (kind, id)
    ) WITHOUT ROWID;
    CREATE INDEX entities_ended ON entities (ended) WHERE ended IS NOT NULL;
    CREATE INDEX entities_listed ON entities (kind, tenant, parent, id) WHERE listed = 1;
";

/// Prepared statements kept by a connection; a query over many days has one a day.
const STATEMENTS_MAX: usize = 128;

pub fn path(dir: &Path) -> PathBuf {
    dir.join("tables.db")
}

/// The one that writes; makes the tables if there are none.
pub fn writer(dir: &Path) -> Result<Connection, OpenError> {
    let mut db = Connection::open(path(dir)).map_err(refused)?;
    let setup = |db: &mut Connection| -> rusqlite::Result<u32> {
        // Only counts when the file is made. History rows a second, of 400 bytes, on a busy machine: 4 KiB
        // 152,000-214,000, 8 KiB 208,000-231,000, 16 KiB 171,000-183,000.
        db.execute_batch("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")?;
        // 64 MiB each: fewer, longer checkpoints touch a page once for many cuts.
        db.execute_batch(
            "PRAGMA wal_autocheckpoint = 8192; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;",
        )?;
        keep_statements(db)?;
        db.query_row("PRAGMA user_version", [], |row| row.get(0))
    };
    match setup(&mut db).map_err(refused)? {
        VERSION => {}
        0 => {
            let made = db.transaction().and_then(|tx| {
                tx.execute_batch(TABLES)?;
                tx.pragma_update(None, "user_version", VERSION)?;
                tx.commit()
            });
            made.map_err(refused)?;
        }
        found => {
            let what = path(dir).display().to_string();
            return Err(if found < VERSION {
                OpenError::OlderFormat { what, found, known: VERSION }
            } else {
                OpenError::NewerFormat { what, found, known: VERSION }
            });
        }
    }
    Ok(db)
}

pub fn reader(dir: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path(dir), flags)?;
    // Small, because every cut makes it worthless.
    db.execute_batch("PRAGMA cache_size = -2048;")?;
    // A reader never waits for the writer, only for a moment at which the log is begun anew.
    db.busy_timeout(std::time::Duration::from_secs(5))?;
    keep_statements(&db)?;
    Ok(db)
}

/// Without the second line `SQLite` may make a prepared statement anew for every value that is bound, in case another
/// plan were better for it. That was half of the cost of a look-up, and our plans do not depend on values.
fn keep_statements(db: &Connection) -> rusqlite::Result<()> {
    db.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(|_| ())
}

pub fn head(db: &Connection) -> rusqlite::Result<CheckpointHead> {
    db.query_row("SELECT seq, epoch, elapsed, wall, meta FROM meta", [], |row| {
        let number = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
        Ok(CheckpointHead {
            seq: Seq::new(number(0)?),
            epoch: Epoch::new(number(1)?),
            now: Now::new(number(2)?, number(3)?),
            meta: row.get(4)?,
        })
    })
}

/// By value, so that it can stand in `map_err`.
#[allow(clippy::needless_pass_by_value)]
pub fn refused(error: rusqlite::Error) -> OpenError {
    OpenError::Backend { what: "the tables".into(), why: error.to_string() }
}
