//! Devices that fail: what is answered, and what is there afterwards.

use std::sync::Arc;

use crate::faulty::{EIO, ENOSPC, Faulty, open, options, record, store, tail};
use mainspring_core::values::{Seq, TaskId};
use mainspring_store::{AppendError, Cut, Journal, LiveRow, Record, Tables};
use mainspring_store_local::{LocalOptions, LocalStore};
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

/// A small file system in memory, for as long as this lives.
struct SmallDisk(TempDir);

impl SmallDisk {
    /// `None` if this user may not mount one.
    fn mount() -> Option<Self> {
        let dir = tempfile::tempdir().expect("a directory");
        let mount = ["-t", "tmpfs", "-o", "size=48m", "none"];
        let done = std::process::Command::new("mount").args(mount).arg(dir.path()).status();
        done.is_ok_and(|status| status.success()).then_some(Self(dir))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_really_full_device_goes_on_when_the_journal_is_trimmed() {
    let Some(small) = SmallDisk::mount() else {
        println!("left out: mounting a small file system needs root");
        return;
    };
    let dir = tempfile::tempdir_in(small.0.path()).expect("a directory");
    let options = LocalOptions { segment_bytes: 4 << 20, reserve_bytes: 8 << 20, ..LocalOptions::default() };
    let store = LocalStore::new(dir.path(), options);
    let mut opened = open(&store);
    let (epoch, mut seq, mut cut_through) = (opened.epoch, 0, 0);
    for round in 0..5 {
        let error = loop {
            match opened.journal.append(&record(epoch, seq + 1, 300_000)) {
                Ok(()) => seq += 1,
                Err(error) => break error,
            }
        };
        assert!(matches!(error, AppendError::Full { .. }), "round {round}: {error}");
        // Only now the tables grow, with no room but the reserve.
        let row = |n: u64| LiveRow {
            id: TaskId::from_bits(u128::from(seq * 1000 + n)),
            group: mainspring_core::values::Group::ZERO,
            touched: Seq::new(seq),
            parked_due: None,
            bytes: vec![7; 1000],
        };
        let cut = Cut { epoch, through: Seq::new(seq), live: (0..500).map(row).collect(), ..Cut::default() };
        opened.tables.cut(&cut).expect("the reserve has room for a cut");
        opened.journal.trim(Seq::new(seq)).expect("trim");
        cut_through = seq;
        println!("round {round}: full after record {seq}");
    }
    opened.journal.append(&record(epoch, seq + 1, 300_000)).expect("there is room after a trim");
    drop(opened);
    assert_eq!(tail(&mut open(&store), cut_through), [record(epoch, seq + 1, 300_000)]);
}
