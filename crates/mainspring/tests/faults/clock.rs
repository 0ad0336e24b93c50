//! A clock that is wrong when the server starts.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::process::{Server, command};
use crate::support::{json_of, mainspring, stderr, submitted, until, worker};

/// The same server, under a clock that is two years ahead. The library is used without its command `faketime`, which
/// would stay between us and the server.
fn two_years_ahead(data: &Path, more: &[&str]) -> Command {
    let folders = fs::read_dir("/usr/lib").expect("libraries").filter_map(Result::ok);
    let library =
        folders.map(|folder| folder.path().join("faketime/libfaketime.so.1")).find(|path| path.exists());
    let mut command = command(data);
    command.args(more).env("LD_PRELOAD", library.expect("faketime is installed")).env("FAKETIME", "+730d");
    command
}

fn status(server: &Server, id: &str) -> String {
    json_of(&server.url, &["task", "get", id])["state"].as_str().unwrap_or_default().to_owned()
}

/// A task that has ended, and one that is due in 30 days.
fn history_and_future(data: &Path, log: &Path) -> (String, String) {
    let server = Server::start(command(data), log);
    let ended = submitted(&server.url, &["--in", "1h", "--", "true"]);
    assert!(mainspring(&server.url, &["task", "cancel", &ended]).status.success());
    let far = submitted(&server.url, &["--in", "30d", "--", "true"]);
    assert_eq!(server.stop(), Some(0));
    (ended, far)
}

/// A delay of a second passes, and what it waits for runs.
#[track_caller]
fn a_short_delay_works(server: &Server, dir: &Path) {
    let _worker = worker(&server.url, &dir.join("worker"), &[]);
    let ran = mainspring(&server.url, &["submit", "--wait", "--in", "1s", "--", "true"]);
    assert!(ran.status.success(), "{}\n{}", stderr(&ran), server.log());
}

#[test]
fn a_wrong_clock_at_the_start_is_held_and_does_no_harm() {
    let dir = tempfile::tempdir().expect("a directory");
    let data = dir.path().join("data");
    let (ended, far) = history_and_future(&data, &dir.path().join("1.log"));

    let wrong = Server::start(two_years_ahead(&data, &[]), &dir.path().join("2.log"));
    until("it says that the clock is held", || wrong.is_unready("clock_held"));
    assert_eq!(wrong.get("/healthz").0, 200);
    // Submissions and reads work, and time goes on.
    a_short_delay_works(&wrong, dir.path());
    assert_eq!((status(&wrong, &ended).as_str(), status(&wrong, &far).as_str()), ("cancelled", "pending"));
    assert_eq!(wrong.stop(), Some(0));

    let right = Server::start(command(&data), &dir.path().join("3.log"));
    assert!(right.is_ready(), "{:?}", right.get("/readyz"));
    assert_eq!((status(&right, &ended).as_str(), status(&right, &far).as_str()), ("cancelled", "pending"));
    a_short_delay_works(&right, dir.path());
    assert_eq!(right.stop(), Some(0));
}

#[test]
fn a_wrong_clock_that_was_accepted_keeps_history_and_can_be_taken_back() {
    let dir = tempfile::tempdir().expect("a directory");
    let data = dir.path().join("data");
    let (ended, far) = history_and_future(&data, &dir.path().join("1.log"));

    let wrong = Server::start(two_years_ahead(&data, &["--accept-clock"]), &dir.path().join("2.log"));
    assert!(wrong.is_ready(), "{:?}", wrong.get("/readyz"));
    a_short_delay_works(&wrong, dir.path());
    assert_ne!(status(&wrong, &far), "pending", "it is due");
    assert_eq!(status(&wrong, &ended), "cancelled", "retention advances one day a day");
    assert_eq!(wrong.stop(), Some(0));

    let mut right = command(&data);
    right.arg("--accept-clock");
    let right = Server::start(right, &dir.path().join("3.log"));
    assert!(right.is_ready() && right.log().contains("the wall time was set back"), "{}", right.log());
    a_short_delay_works(&right, dir.path());
    assert_eq!(status(&right, &ended), "cancelled");
    assert_eq!(right.stop(), Some(0));
}
