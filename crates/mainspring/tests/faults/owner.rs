//! Two servers and one data directory.

use std::fs;

use crate::process::{Server, command};
use crate::support::{mainspring, stderr, submitted};

#[test]
fn a_second_server_is_refused_although_the_lock_file_was_removed() {
    let dir = tempfile::tempdir().expect("a directory");
    let data = dir.path().join("data");
    let first = Server::start(command(&data), &dir.path().join("first.log"));
    let id = submitted(&first.url, &["--in", "1h", "--", "true"]);
    fs::remove_file(data.join("lock")).expect("removed");

    let second = command(&data).output().expect("the binary runs");
    assert_eq!(second.status.code(), Some(1), "{}", stderr(&second));
    let wanted = format!("is in use by another process (process {})", first.process.0.id());
    assert!(stderr(&second).contains(&wanted), "{}", stderr(&second));

    // The first one goes on, and what both could have written is whole.
    let later = submitted(&first.url, &["--in", "1h", "--", "true"]);
    assert_eq!(first.stop(), Some(0));
    let third = Server::start(command(&data), &dir.path().join("third.log"));
    for id in [id, later] {
        assert!(mainspring(&third.url, &["task", "get", &id]).status.success(), "{id}");
    }
}

#[test]
fn a_server_whose_directory_was_replaced_ends_and_says_so() {
    let dir = tempfile::tempdir().expect("a directory");
    let data = dir.path().join("data");
    let first = Server::start(command(&data), &dir.path().join("first.log"));
    submitted(&first.url, &["--in", "1h", "--", "true"]);
    fs::rename(&data, dir.path().join("elsewhere")).expect("moved away");
    let second = Server::start(command(&data), &dir.path().join("second.log"));
    submitted(&second.url, &["--in", "1h", "--", "true"]);

    assert!(first.is_unready("data_directory_gone"), "{:?}", first.get("/readyz"));
    let refused = mainspring(&first.url, &["submit", "--in", "1h", "--", "true"]);
    assert!(!refused.status.success(), "nothing is acknowledged that no start would find");
    let (code, log) = first.ended();
    assert_eq!(code, Some(1), "{log}");
    assert!(log.contains("the data directory is gone"), "{log}");
    assert_eq!(second.stop(), Some(0));
}
