//! A segment file as a damaged disk or another program left it: opened, cut or refused by name, never a panic; and
//! what was opened can be opened again.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use mainspring_core::values::{Now, Seq};
use mainspring_store::{Journal, OpenError, Record, Recovery, Store};
use mainspring_store_local::{LocalOptions, LocalStore, verify};

use super::golden;

thread_local! {
    static DIR: RefCell<tempfile::TempDir> = RefCell::new(tempfile::tempdir().expect("a directory"));
}

const SEGMENT_BYTES: u64 = 64 * 1024;

fn store(dir: &Path) -> LocalStore {
    let options =
        LocalOptions { segment_bytes: SEGMENT_BYTES, reserve_bytes: 4096, ..LocalOptions::default() };
    LocalStore::new(dir, options)
}

fn file(dir: &Path) -> PathBuf {
    dir.join("journal").join("00000001.seg")
}

pub fn run(bytes: &[u8]) {
    DIR.with_borrow(|place| {
        let dir = place.path().join("data");
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(dir.join("journal")).expect("a directory");
        fs::write(file(&dir), bytes).expect("a segment");
        let verified = verify(&dir);
        match tail(&dir) {
            Ok(records) => {
                let report = verified.expect("what can be opened is whole, save for its tail");
                assert_eq!(records, report.records);
                assert_eq!(tail(&dir).ok(), Some(records), "opened once, opened again");
            }
            Err(refused) => assert!(!refused.to_string().is_empty()),
        }
    });
}

/// Opens the store and counts its records.
fn tail(dir: &Path) -> Result<u64, OpenError> {
    let mut opened = store(dir).open()?;
    let mut count = 0;
    opened.recovery.tail(Seq::ZERO, &mut |_, _| {
        count += 1;
        Ok(())
    })?;
    Ok(count)
}

/// A journal as the store itself writes it.
pub fn corpus() -> Vec<Vec<u8>> {
    let dir = tempfile::tempdir().expect("a directory");
    let mut opened = store(dir.path()).open().expect("a new store");
    for (seq, body) in (1..).zip(golden::files("event_").into_iter().take(6)) {
        let record =
            Record { epoch: opened.epoch, seq: Seq::new(seq), now: Now::new(seq, seq), events: 1, body };
        opened.journal.append(&record).expect("an append");
    }
    drop(opened);
    let whole = fs::read(file(dir.path())).expect("a segment");
    let used = whole.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    vec![whole[..used].to_vec(), whole[..(used + 500).min(whole.len())].to_vec()]
}
