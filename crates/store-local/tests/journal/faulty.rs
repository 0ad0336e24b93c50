//! A device whose calls fail when a test says so, and what the tests of the journal share.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use mainspring_core::values::{Epoch, Now, Seq};
use mainspring_store::{OpenError, Opened, ReadTables, Record, Recovery, Store};
use mainspring_store_local::{Device, Disk, LocalOptions, LocalStore, Purpose};

/// Fails the n-th call (counted from 1) of a kind, once.
#[derive(Default)]
pub struct Faulty {
    pub append_write: Fault,
    pub append_sync: Fault,
    pub prepare_write: Fault,
}

#[derive(Default)]
pub struct Fault {
    left: AtomicI64,
    errno: Mutex<i32>,
}

pub const EIO: i32 = 5;
pub const ENOSPC: i32 = 28;

impl Fault {
    pub fn set(&self, nth: i64, errno: i32) {
        *self.errno.lock().expect("no panic while held") = errno;
        self.left.store(nth, Ordering::SeqCst);
    }

    fn strikes(&self) -> Option<io::Error> {
        let strikes = self.left.fetch_sub(1, Ordering::SeqCst) == 1;
        strikes.then(|| io::Error::from_raw_os_error(*self.errno.lock().expect("no panic while held")))
    }
}

impl Device for Faulty {
    fn write(&self, purpose: Purpose, file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
        let fault = match purpose {
            Purpose::Append => &self.append_write,
            Purpose::Prepare => &self.prepare_write,
        };
        if let Some(error) = fault.strikes() {
            // As a full device does: half of it arrives.
            file.write_all_at(&bytes[..bytes.len() / 2], at)?;
            return Err(error);
        }
        Disk.write(purpose, file, bytes, at)
    }

    fn sync(&self, purpose: Purpose, file: &File) -> io::Result<()> {
        let fault = (purpose == Purpose::Append).then_some(&self.append_sync);
        match fault.and_then(Fault::strikes) {
            Some(error) => Err(error),
            None => Disk.sync(purpose, file),
        }
    }
}

pub fn options(segment_bytes: u64, device: Arc<dyn Device>) -> LocalOptions {
    LocalOptions { segment_bytes, reserve_bytes: 4096, device }
}

pub fn store(dir: &Path, segment_bytes: u64) -> LocalStore {
    LocalStore::new(dir, options(segment_bytes, Arc::new(Disk)))
}

pub fn record(epoch: Epoch, seq: u64, body_bytes: usize) -> Record {
    let body = (0..body_bytes).map(|at| (at as u64 * 31 + seq * 7 + 1) as u8).collect();
    Record { epoch, seq: Seq::new(seq), now: Now::new(seq, seq + 5), events: 2, body }
}

pub fn tail(opened: &mut Opened<LocalStore>, after: u64) -> Vec<Record> {
    let mut records = vec![];
    let mut keep = |record, _: &mut dyn ReadTables| {
        records.push(record);
        Ok(())
    };
    opened.recovery.tail(Seq::new(after), &mut keep).expect("the tail");
    records
}

#[track_caller]
pub fn open(store: &LocalStore) -> Opened<LocalStore> {
    store.open().unwrap_or_else(|error| panic!("does not open: {error}"))
}

#[track_caller]
pub fn refusal(store: &LocalStore) -> OpenError {
    match store.open() {
        Ok(_) => panic!("opened"),
        Err(error) => error,
    }
}

pub fn segment(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("journal/{number:08}.seg"))
}
