//! Tables that cannot be written for a while, and a disk that is full.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use crate::process::{Server, command};
use crate::support::until;

/// A library that makes every write to the tables fail while a file is there.
fn eio_library(dir: &Path) -> std::path::PathBuf {
    let library = dir.join("eio.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/eio.c");
    let made = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).status();
    assert!(made.expect("there is a C compiler").success());
    library
}

fn submit(server: &Server, bytes: usize) -> (u16, String) {
    let payload = json!({ "argv": ["true"], "env": { "FILL": "x".repeat(bytes) } });
    let body = json!({ "task_type": "process", "payload": payload, "delay_ms": 3_600_000 });
    let (status, answer) = server.call("POST", "/v1/tasks", &body.to_string());
    (status, answer["error_code"].as_str().unwrap_or_default().to_owned())
}

fn rows(data: &Path) -> i64 {
    let tables = rusqlite::Connection::open(data.join("tables.db")).expect("the tables open");
    tables.query_row("SELECT count(*) FROM live", [], |row| row.get(0)).expect("counted")
}

#[test]
fn tables_that_failed_are_written_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let (data, failing) = (dir.path().join("data"), dir.path().join("failing"));
    let mut with_faults = command(&data);
    with_faults.env("LD_PRELOAD", eio_library(dir.path())).env("MAINSPRING_TEST_EIO", &failing);
    let server = Server::start(with_faults, &dir.path().join("log"));
    assert!(submit(&server, 1).0 < 300 && server.is_ready());
    until("the first task is in the tables", || rows(&data) == 1);

    File::create(&failing).expect("created");
    assert!(submit(&server, 1).0 < 300, "the journal takes it");
    until("it says that the tables fail", || server.is_unready("tables_failing"));
    assert_eq!(server.get("/healthz").0, 200, "a restart would not help");
    assert!(server.log().contains("disk I/O error"), "{}", server.log());

    fs::remove_file(&failing).expect("removed");
    until("it is ready again", || server.is_ready());
    until("the second task is in the tables", || rows(&data) == 2);
    assert_eq!(server.stop(), Some(0));
}

/// A small file system in memory, for as long as this lives.
struct SmallDisk(TempDir);

impl SmallDisk {
    /// `None` if this user may not mount one.
    fn mount() -> Option<Self> {
        let dir = tempfile::tempdir().expect("a directory");
        let mount = ["-t", "tmpfs", "-o", "size=24m", "none"];
        let done = Command::new("mount").args(mount).arg(dir.path()).status();
        done.is_ok_and(|status| status.success()).then_some(Self(dir))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_is_named_and_nobody_waits_for_it() {
    let Some(small) = SmallDisk::mount() else {
        println!("left out: mounting a small file system needs root");
        return;
    };
    let logs = tempfile::tempdir().expect("a directory");
    let (data, filler) = (small.0.path().join("data"), small.0.path().join("filler"));
    fs::write(&filler, vec![7; 12 << 20]).expect("there is room for it");
    let mut server = command(&data);
    server.args(["--set", "store.segment_bytes=1MiB", "--set", "store.reserve_bytes=1MiB"]);
    let server = Server::start(server, &logs.path().join("log"));

    let refused = (0..100).map(|_| submit(&server, 400_000)).find(|(status, _)| *status >= 300);
    // This one is in the record that found no room: it is written when there is some.
    assert_eq!(refused, Some((503, "OUTCOME_UNKNOWN".to_owned())), "{}", server.log());
    assert_eq!(submit(&server, 1), (503, "STORE_UNAVAILABLE".to_owned()));
    assert!(server.is_unready("disk_full"), "{:?}", server.get("/readyz"));
    assert_eq!(server.get("/healthz").0, 200, "a restart would not help");

    fs::remove_file(&filler).expect("removed");
    until("it is ready again", || server.is_ready());
    assert!(submit(&server, 1).0 < 300);
    assert_eq!(server.stop(), Some(0));
}
