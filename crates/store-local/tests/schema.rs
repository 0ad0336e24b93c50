//! Tables that another version made are refused by name and left as they are; nothing is misread.

use std::path::Path;

use mainspring_store::{OpenError, Store};
use mainspring_store_local::{LocalOptions, LocalStore};
use rusqlite::Connection;

fn store(dir: &Path) -> LocalStore {
    LocalStore::new(dir.to_path_buf(), LocalOptions { reserve_bytes: 4096, ..LocalOptions::default() })
}

fn tables(dir: &Path) -> Connection {
    Connection::open(dir.join("tables.db")).expect("the tables")
}

fn version_of(dir: &Path) -> u32 {
    tables(dir).query_row("PRAGMA user_version", [], |row| row.get(0)).expect("a version")
}

#[test]
fn tables_of_an_older_version_are_refused_by_name_and_left_alone() {
    let dir = tempfile::tempdir().expect("a directory");
    drop(store(dir.path()).open().expect("new tables"));
    let known = version_of(dir.path());
    for found in 1..known {
        tables(dir.path()).pragma_update(None, "user_version", found).expect("an older version");
        let error = store(dir.path()).open().err().expect("a refusal");
        assert!(
            matches!(&error, OpenError::OlderFormat { found: f, known: k, .. } if (*f, *k) == (found, known)),
            "version {found}: {error}"
        );
        assert!(error.to_string().contains("tables.db"), "{error}");
        assert_eq!(version_of(dir.path()), found);
    }
    tables(dir.path()).pragma_update(None, "user_version", known).expect("the version");
    drop(store(dir.path()).open().expect("its own version"));
}

#[test]
fn tables_of_a_newer_version_are_refused_by_name() {
    let dir = tempfile::tempdir().expect("a directory");
    drop(store(dir.path()).open().expect("new tables"));
    let known = version_of(dir.path());
    tables(dir.path()).pragma_update(None, "user_version", known + 1).expect("a newer version");
    let error = store(dir.path()).open().err().expect("a refusal");
    assert!(matches!(&error, OpenError::NewerFormat { found, .. } if *found == known + 1), "{error}");
}
