//! The suite that every store passes.

use mainspring_store::conformance::{Harness, run};
use mainspring_store_local::{LocalOptions, LocalStore};
use tempfile::TempDir;

/// Each store in a directory of its own, gone with the harness.
struct Directories {
    root: TempDir,
    made: std::cell::Cell<u32>,
    segment_bytes: u64,
}

impl Harness for Directories {
    type S = LocalStore;

    fn fresh(&self) -> LocalStore {
        self.made.set(self.made.get() + 1);
        let options = LocalOptions {
            segment_bytes: self.segment_bytes,
            reserve_bytes: 4096,
            ..LocalOptions::default()
        };
        LocalStore::new(self.root.path().join(self.made.get().to_string()), options)
    }
}

fn check(segment_bytes: u64) {
    run(&Directories { root: tempfile::tempdir().expect("a directory"), made: 0.into(), segment_bytes });
}

#[test]
fn local_store_conforms() {
    check(4 << 20);
}

/// Every few records a new segment, and records that are bigger than one.
#[test]
fn local_store_conforms_with_tiny_segments() {
    check(64 << 10);
}
