//! Room for the next segment, made by a thread beside the appends so that none of them waits for it.
//! - JP-1 a spare is full of written bytes and synced before it bears the name of one

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;

use super::segment;
use crate::device::{Device, Purpose, sync_dir};

/// Zeros written at once.
const CHUNK: usize = 1 << 20;

/// A file with room; its bytes are zeros or those of an earlier use.
#[derive(Debug)]
pub struct Spare {
    pub path: PathBuf,
    pub len: u64,
}

/// Makes one spare after another, on request.
pub struct Preparer {
    maker: Maker,
    requests: Option<Sender<u64>>,
    made: Receiver<io::Result<Spare>>,
    /// Requests that were not answered yet.
    pending: usize,
    thread: Option<JoinHandle<()>>,
}

#[derive(Clone)]
struct Maker {
    dir: PathBuf,
    bytes: u64,
    device: Arc<dyn Device>,
    stop: Arc<AtomicBool>,
}

impl Preparer {
    pub fn start(dir: &Path, bytes: u64, device: Arc<dyn Device>) -> io::Result<Self> {
        let maker = Maker { dir: dir.to_path_buf(), bytes, device, stop: Arc::default() };
        let (requests, numbers) = channel();
        let (answers, made) = channel();
        let worker = maker.clone();
        let work = move || {
            while let Ok(number) = numbers.recv() {
                if answers.send(worker.make(number, worker.bytes)).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("journal-prepare".into()).spawn(work)?;
        Ok(Self { maker, requests: Some(requests), made, pending: 0, thread: Some(thread) })
    }

    /// Asks for a spare unless one is on its way.
    pub fn request(&mut self, number: u64) {
        if self.pending == 0
            && let Some(requests) = &self.requests
            && requests.send(number).is_ok()
        {
            self.pending += 1;
        }
    }

    /// The spare that was asked for; waits until it is made. `None` if none was asked for, or it failed.
    pub fn take(&mut self) -> Option<Spare> {
        if self.pending == 0 {
            return None;
        }
        self.pending -= 1;
        match self.made.recv() {
            Ok(Ok(spare)) => Some(spare),
            Ok(Err(error)) => {
                tracing::warn!(%error, "could not prepare the next journal segment");
                None
            }
            Err(_) => None,
        }
    }

    /// Makes one here and now.
    pub fn make(&self, number: u64, bytes: u64) -> io::Result<Spare> {
        self.maker.make(number, bytes.max(self.maker.bytes))
    }
}

impl Drop for Preparer {
    /// Waits, so that nothing is still being written when the directory's lock is given up.
    fn drop(&mut self) {
        self.maker.stop.store(true, Ordering::Relaxed);
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Maker {
    fn make(&self, number: u64, bytes: u64) -> io::Result<Spare> {
        let unfinished = segment::path(&self.dir, number, segment::UNFINISHED);
        let path = segment::path(&self.dir, number, segment::SPARE);
        let file = File::options().create(true).truncate(true).write(true).open(&unfinished)?;
        if let Err(error) = self.fill(&file, bytes) {
            // Half a segment is room that others can use.
            let _ = std::fs::remove_file(&unfinished);
            return Err(error);
        }
        std::fs::rename(&unfinished, &path)?;
        sync_dir(&self.dir)?;
        Ok(Spare { path, len: bytes })
    }

    fn fill(&self, file: &File, bytes: u64) -> io::Result<()> {
        // Asks for the room first: on a full device, writing until it is used up would starve the tables.
        match fallocate(file, FallocateFlags::empty(), 0, bytes) {
            Ok(()) | Err(Errno::OPNOTSUPP) => {}
            Err(errno) => return Err(errno.into()),
        }
        write_zeros(self.device.as_ref(), Purpose::Prepare, file, 0..bytes, &self.stop)?;
        self.device.sync(Purpose::Prepare, file)
    }
}

/// Zeros as written bytes: a sync of later records then has no extents to convert.
pub fn write_zeros(
    device: &dyn Device,
    purpose: Purpose,
    file: &File,
    range: std::ops::Range<u64>,
    stop: &AtomicBool,
) -> io::Result<()> {
    let zeros = vec![0; CHUNK];
    let mut at = range.start;
    while at < range.end {
        if stop.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let chunk = (range.end - at).min(CHUNK as u64);
        device.write(purpose, file, &zeros[..chunk as usize], at)?;
        at += chunk;
    }
    Ok(())
}
