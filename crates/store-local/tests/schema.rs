//! Tables of another version are refused by name: nothing of them is read or changed.

use mainspring_store::{OpenError, Store};
use mainspring_store_local::{LocalOptions, LocalStore};
use rusqlite::Connection;

fn store(dir: &std::path::Path) -> LocalStore {
    LocalStore::new(dir.to_path_buf(), LocalOptions { reserve_bytes: 4096, ..LocalOptions::default() })
}

fn version_of(dir: &std::path::Path) -> u32 {
    let db = Connection::open(dir.join("tables.db")).expect("the tables");
    db.query_row("PRAGMA user_version", [], |row| row.get(0)).expect("a version")
}

/// As version 1 made and filled them.
const VERSION_1: &str = "
    CREATE TABLE meta (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        seq INTEGER NOT NULL, epoch INTEGER NOT NULL,
        elapsed INTEGER NOT NULL, wall INTEGER NOT NULL,
        meta BLOB NOT NULL
    );
    INSERT INTO meta VALUES (1, 0, 3, 70, 80, x'0102');
    PRAGMA user_version = 1;
";

#[test]
fn tables_of_another_version_are_refused_and_left_as_they_are() {
    let dir = tempfile::tempdir().expect("a directory");
    let db = Connection::open(dir.path().join("tables.db")).expect("a file");
    db.execute_batch(VERSION_1).expect("tables of version 1");
    for version in [1, 2, 5, 99] {
        db.pragma_update(None, "user_version", version).expect("a version");
        let error = store(dir.path()).open().err().expect("refused");
        let text = error.to_string();
        assert!(text.contains("tables.db") && text.contains(&format!("format {version}")), "{text}");
        match error {
            OpenError::OlderFormat { found, known, .. } => assert!(found < known, "{text}"),
            OpenError::NewerFormat { found, known, .. } => assert!(found > known, "{text}"),
            other => panic!("{other}"),
        }
        assert_eq!(version_of(dir.path()), version);
        let tables: i64 = db
            .query_row("SELECT count(*) FROM sqlite_master WHERE type = 'table'", [], |row| row.get(0))
            .expect("a count");
        assert_eq!(tables, 1, "nothing was added");
    }
}

#[test]
fn tables_that_this_version_made_open_again() {
    let dir = tempfile::tempdir().expect("a directory");
    drop(store(dir.path()).open().expect("new tables"));
    let made = version_of(dir.path());
    drop(store(dir.path()).open().expect("the same tables"));
    assert_eq!(version_of(dir.path()), made);
}
