//! Devices that fail: what is answered, and what is there afterwards.

mod faulty;

use std::sync::Arc;

use faulty::{EIO, ENOSPC, Faulty, open, options, record, store, tail};
use mainspring_store::{AppendError, Journal, Record};
use mainspring_store_local::LocalStore;
use tempfile::TempDir;

const SEGMENT: u64 = 64 << 10;

fn faulty() -> (TempDir, Arc<Faulty>, LocalStore) {
    let dir = tempfile::tempdir().expect("a directory");
    let device = Arc::new(Faulty::default());
    let store = LocalStore::new(dir.path(), options(SEGMENT, device.clone()));
    (dir, device, store)
}

#[test]
fn a_failed_sync_is_final_and_nothing_acknowledged_is_lost() {
    for nth in 1..=30 {
        let (dir, device, broken) = faulty();
        let mut opened = open(&broken);
        device.append_sync.set(nth, EIO);
        let mut acknowledged: Vec<Record> = vec![];
        let doubtful = loop {
            let next = record(opened.epoch, acknowledged.len() as u64 + 1, 5000);
            match opened.journal.append(&next) {
                Ok(()) => acknowledged.push(next),
                Err(AppendError::Broken { .. }) => break next,
                Err(other) => panic!("sync {nth}: {other}"),
            }
        };
        assert_eq!(acknowledged.len() as i64, nth - 1);
        let again = opened.journal.append(&doubtful);
        assert!(matches!(again, Err(AppendError::Broken { .. })), "never tried again: {again:?}");
        drop(opened);
        let found = tail(&mut open(&store(dir.path(), SEGMENT)), 0);
        assert_eq!(found[..acknowledged.len()], acknowledged, "sync {nth}");
        assert!(
            found.len() <= acknowledged.len() + 1
                && found.get(acknowledged.len()).is_none_or(|r| *r == doubtful)
        );
    }
}

#[test]
fn a_full_device_refuses_and_then_goes_on() {
    for nth in 1..=30 {
        let (dir, device, full) = faulty();
        let mut opened = open(&full);
        device.append_write.set(nth, ENOSPC);
        let mut refused = 0;
        for seq in 1..=40 {
            let next = record(opened.epoch, seq, 5000);
            match opened.journal.append(&next) {
                Ok(()) => {}
                Err(AppendError::Full { .. }) => {
                    refused += 1;
                    // A smaller one in its place: what was half written must not shine through.
                    opened.journal.append(&record(opened.epoch, seq, 5000)).expect("there is room again");
                }
                Err(other) => panic!("write {nth}: {other}"),
            }
        }
        assert_eq!(refused, 1, "write {nth}");
        drop(opened);
        let found = tail(&mut open(&store(dir.path(), SEGMENT)), 0);
        let expected: Vec<Record> = (1..=40).map(|seq| record(found[0].epoch, seq, 5000)).collect();
        assert_eq!(found, expected, "write {nth}");
    }
}

#[test]
fn a_refused_record_leaves_nothing_behind() {
    for (errno, nth) in [(ENOSPC, 1), (ENOSPC, 4), (EIO, 1), (EIO, 4)] {
        let (dir, device, full) = faulty();
        let mut opened = open(&full);
        device.append_write.set(nth, errno);
        for seq in 1..nth as u64 {
            opened.journal.append(&record(opened.epoch, seq, 5000)).expect("append");
        }
        let outcome = opened.journal.append(&record(opened.epoch, nth as u64, 5000));
        let passing = matches!(outcome, Err(AppendError::Full { .. } | AppendError::Failed { .. }));
        assert!(passing, "errno {errno}: {outcome:?}");
        drop(opened);
        let mut opened = open(&store(dir.path(), SEGMENT));
        assert_eq!(tail(&mut opened, 0).len() as i64, nth - 1, "errno {errno}");
        opened.journal.append(&record(opened.epoch, nth as u64, 100)).expect("append");
    }
}

#[test]
fn no_room_for_another_segment_is_full_until_there_is() {
    let (dir, device, full) = faulty();
    let mut opened = open(&full);
    let mut refused = 0;
    for seq in 1..=40 {
        // Whenever a segment is prepared, ahead or on demand, there is no room.
        device.prepare_write.set(1, ENOSPC);
        let next = record(opened.epoch, seq, 5000);
        while let Err(error) = opened.journal.append(&next) {
            assert!(matches!(error, AppendError::Full { .. }), "record {seq}: {error}");
            refused += 1;
        }
    }
    assert!(refused > 0, "the fault never struck");
    drop(opened);
    assert_eq!(tail(&mut open(&store(dir.path(), SEGMENT)), 0).len(), 40);
}
