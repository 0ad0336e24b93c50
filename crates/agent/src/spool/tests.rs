use std::process::Command;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::*;

fn report(fence: u64) -> Report {
    Report { task: vec![7; 16], fence, what: None, details: None }
}

fn reopened(path: &Path) -> Vec<u64> {
    let (_spool, reports) = Spool::open(path).expect("a spool");
    reports.iter().map(|report| report.fence).collect()
}

#[test]
fn keeps_what_is_owed_and_nothing_else() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("spool");
    let (mut spool, found) = Spool::open(&path).expect("a new spool");
    assert!(found.is_empty());
    spool.append([&report(1), &report(2)]);
    spool.append([&report(3)]);
    drop(spool);
    assert_eq!(reopened(&path), [1, 2, 3]);

    let (mut spool, found) = Spool::open(&path).expect("a spool");
    spool.rewrite([&found[2]], Instant::now());
    drop(spool);
    assert_eq!(reopened(&path), [3]);

    let (mut spool, found) = Spool::open(&path).expect("a spool");
    spool.forget(found[0].encoded_len());
    drop(spool);
    assert_eq!(reopened(&path), [0; 0]);
    assert_eq!(fs::metadata(&path).expect("the file").len(), 0);
}

#[test]
fn a_torn_tail_costs_only_itself() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("spool");
    let mut whole = Vec::new();
    push_frame(&mut whole, &report(1));
    let first = whole.len();
    push_frame(&mut whole, &report(2));
    for len in first..whole.len() {
        fs::write(&path, &whole[..len]).expect("written");
        assert_eq!(reopened(&path), [1], "cut at {len}");
        assert_eq!(fs::metadata(&path).expect("the file").len() as usize, first);
    }
    whole[first + HEADER_BYTES + 3] ^= 1;
    fs::write(&path, &whole).expect("written");
    assert_eq!(reopened(&path), [1], "damaged");
}

/// Where the process of [`a_short_write_costs_no_other_result`] has its spool.
const DIR: &str = "MAINSPRING_TEST_SPOOL_DIR";

/// A write is cut short by the kernel: files of this process may not grow beyond a limit. The limit holds for a whole
/// process, so the test has one of its own.
#[test]
fn a_short_write_costs_no_other_result() {
    let dir = tempfile::tempdir().expect("a directory");
    let program = std::env::current_exe().expect("this test");
    // The signal that comes with the limit would end the process.
    let child = Command::new("/bin/sh")
        .args(["-c", r#"trap "" XFSZ; exec "$0" "$@""#])
        .arg(program)
        .args(["--ignored", "--exact", "spool::tests::in_a_process_of_its_own"])
        .env(DIR, dir.path())
        .output()
        .expect("a process");
    let text = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
#[ignore = "run by a_short_write_costs_no_other_result"]
fn in_a_process_of_its_own() {
    let path = Path::new(&std::env::var(DIR).expect("a directory")).join("spool");
    let (mut spool, _) = Spool::open(&path).expect("a new spool");
    spool.append([&report(1)]);
    drop(spool);
    let first = fs::metadata(&path).expect("the file").len();

    let (mut spool, _) = Spool::open(&path).expect("a spool");
    let unlimited = getrlimit(Resource::Fsize);
    setrlimit(Resource::Fsize, Rlimit { current: Some(first + 20), ..unlimited }).expect("a limit");
    spool.append([&report(2)]);
    while spool.retry_at().is_none() {
        thread::yield_now();
    }
    setrlimit(Resource::Fsize, unlimited).expect("no limit");
    spool.append([&report(3)]);
    drop(spool);
    assert_eq!(reopened(&path), [1, 3], "what was written later is there");

    // The worker still has the second one in memory, and writes it again.
    let (mut spool, found) = Spool::open(&path).expect("a spool");
    setrlimit(Resource::Fsize, Rlimit { current: Some(first), ..unlimited }).expect("a limit");
    spool.append([&report(2)]);
    while !spool.wants_rewrite(Instant::now()) {
        thread::yield_now();
    }
    setrlimit(Resource::Fsize, unlimited).expect("no limit");
    spool.rewrite([&found[0], &report(2), &found[1]], Instant::now());
    drop(spool);
    assert_eq!(reopened(&path), [1, 2, 3]);
}
