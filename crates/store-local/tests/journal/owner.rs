//! One owner at a time: who is kept out by the lock, and who is stopped by the journal.

use std::fs;
use std::path::Path;

use crate::faulty::{open, record, refusal, segment, store, tail};
use mainspring_core::values::Epoch;
use mainspring_store::{AppendError, Journal, OpenError, Opened};
use mainspring_store_local::{LocalStore, verify};

const SEGMENT: u64 = 64 << 10;

fn append(opened: &mut Opened<LocalStore>, epoch: Epoch, seq: u64, bytes: usize) -> Result<(), AppendError> {
    opened.journal.append(&record(epoch, seq, bytes))
}

#[test]
fn a_second_owner_is_turned_away_also_without_the_lock_file() {
    let dir = tempfile::tempdir().expect("a directory");
    let store = store(dir.path(), SEGMENT);
    let mut opened = open(&store);
    let epoch = opened.epoch;
    let own = format!("process {}", std::process::id());
    let lock = dir.path().join("lock");
    assert_eq!(fs::read_to_string(&lock).expect("the lock file"), format!("{}\n", std::process::id()));
    for present in [true, false] {
        if !present {
            fs::remove_file(&lock).expect("removed");
        }
        assert!(matches!(refusal(&store), OpenError::InUse { holder, .. } if holder == own), "{present}");
        assert!(matches!(verify(dir.path()), Err(OpenError::InUse { .. })));
    }
    append(&mut opened, epoch, 1, 100).expect("the owner goes on");
    drop(opened);
    drop(open(&store));
}

/// A second directory that shares the journal with the first one.
#[cfg(unix)]
#[test]
fn a_journal_that_is_linked_to_is_locked_too() {
    let (dir, other) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
    let _opened = open(&store(dir.path(), SEGMENT));
    std::os::unix::fs::symlink(dir.path().join("journal"), other.path().join("journal")).expect("a link");
    assert!(matches!(refusal(&store(other.path(), SEGMENT)), OpenError::InUse { .. }));
}

/// What a second owner that got in writes: `bytes` long, behind our three records, in a segment of this number.
fn written_by_another(dir: &Path, bytes: usize, number: u64) -> Epoch {
    let copy = tempfile::tempdir().expect("a directory");
    fs::create_dir(copy.path().join("journal")).expect("a directory");
    fs::copy(segment(dir, 1), segment(copy.path(), 1)).expect("a copy");
    let mut other = open(&store(copy.path(), SEGMENT));
    let epoch = other.epoch;
    append(&mut other, epoch, 4, bytes).expect("the other one writes");
    // The same file, as if both had it open.
    fs::copy(segment(copy.path(), number), segment(dir, number)).expect("a copy");
    epoch
}

#[test]
fn an_owner_that_was_replaced_is_refused_by_the_journal() {
    for (bytes, number) in [(100, 1), (60_000, 2)] {
        let dir = tempfile::tempdir().expect("a directory");
        let mut opened = open(&store(dir.path(), SEGMENT));
        let epoch = opened.epoch;
        for seq in 1..=3 {
            append(&mut opened, epoch, seq, 2_000).expect("append");
        }
        let newest = written_by_another(dir.path(), bytes, number);
        assert!(newest > epoch);
        let outcome = append(&mut opened, epoch, 4, 100);
        let refused = matches!(outcome, Err(AppendError::Refused { newest: by, .. }) if by == newest);
        assert!(refused, "segment {number}: {outcome:?}");
        drop(opened);
        let found = tail(&mut open(&store(dir.path(), SEGMENT)), 0);
        assert_eq!(found.len(), 4, "the journal is whole");
        assert_eq!(
            (found[3].epoch, found[3].body.len()),
            (newest, bytes),
            "and holds what the newer one wrote"
        );
    }
}

#[test]
fn nothing_is_acknowledged_into_a_directory_that_is_gone() {
    for replaced in [false, true] {
        let dir = tempfile::tempdir().expect("a directory");
        let data = dir.path().join("data");
        let mut opened = open(&store(&data, SEGMENT));
        let epoch = opened.epoch;
        append(&mut opened, epoch, 1, 100).expect("append");
        fs::rename(&data, dir.path().join("elsewhere")).expect("renamed");
        let other = replaced.then(|| open(&store(&data, SEGMENT)));
        let outcome = append(&mut opened, epoch, 2, 100);
        let Err(AppendError::Broken { what }) = outcome else { panic!("{replaced}: {outcome:?}") };
        assert!(what.contains("the data directory is gone"), "{what}");
        drop((opened, other));
    }
}
