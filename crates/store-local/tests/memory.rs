//! Whoever reads a journal holds a piece of it, never a segment: opening, checking, and recovery's reading of the tail.
//! Alone in its file, because it looks at the memory of the whole process.
#![cfg(target_os = "linux")]

use mainspring_core::values::{Epoch, Now, Seq};
use mainspring_store::{Journal, ReadTables, Record, Recovery, Store};
use mainspring_store_local::{LocalOptions, LocalStore, verify};

const MIB: u64 = 1 << 20;
const SEGMENT: u64 = 32 * MIB;
const RECORD: usize = MIB as usize / 4;
/// A piece, a record or two, and what the allocator and `SQLite` take.
const GROWTH_MAX: u64 = 12 * MIB;

fn record(epoch: Epoch, seq: u64) -> Record {
    Record { epoch, seq: Seq::new(seq), now: Now::new(seq, seq), events: 1, body: vec![seq as u8; RECORD] }
}

fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
}

/// How much more memory `work` had than there was before it.
fn growth<T>(work: impl FnOnce() -> T) -> (u64, T) {
    // Sets the peak to what is resident now.
    std::fs::write("/proc/self/clear_refs", "5").expect("the peak can be set back");
    let before = peak();
    let done = work();
    (peak().saturating_sub(before), done)
}

#[test]
fn a_journal_is_read_in_pieces() {
    let dir = tempfile::tempdir().expect("a directory");
    let options = LocalOptions { segment_bytes: SEGMENT, reserve_bytes: 4096, ..LocalOptions::default() };
    let store = LocalStore::new(dir.path().to_path_buf(), options);
    let records = 2 * SEGMENT / RECORD as u64 + 10;
    let mut opened = store.open().expect("opens");
    for seq in 1..=records {
        opened.journal.append(&record(opened.epoch, seq)).expect("append");
    }
    drop(opened);

    let (checked, report) = growth(|| verify(dir.path()).expect("sound"));
    assert_eq!(report.records, records);
    assert!(checked < GROWTH_MAX, "checking took {checked} bytes");
    let (opening, mut opened) = growth(|| store.open().expect("opens"));
    assert!(opening < GROWTH_MAX, "opening took {opening} bytes");
    let mut seen = 0;
    let mut count = |_: Record, _: &mut dyn ReadTables| {
        seen += 1;
        Ok(())
    };
    let (reading, ()) = growth(|| opened.recovery.tail(Seq::ZERO, &mut count).expect("a tail"));
    assert_eq!(seen, records);
    assert!(reading < GROWTH_MAX, "the tail took {reading} bytes");
}
