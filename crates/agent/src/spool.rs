//! Results on disk until somebody acknowledges them.
//! Entry: [`Spool`]. One append-only file of frames: length, CRC-32C, a `Report`.
//! - SP-1 a frame that was synced is found again after any crash
//! - SP-2 the file is emptied only when none of its results is owed any more
//! - SP-3 a frame is written only after a whole one: what a failed write left is cut off before the next write
//! - SP-4 results that could not be written are written again later, for as long as they are owed
//!
//! Writing and syncing happen on a thread of their own: a slow disk delays no heartbeat.
//! Not here: when a result is spooled (`desk`), and what a crash may lose (see there).

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mainspring_proto::v1::Report;
use prost::Message;
use tracing::{error, warn};

use crate::error::AgentError;

/// Beyond this the file is written anew without what was acknowledged, if that is most of it.
const REWRITE_BYTES: u64 = 16 << 20;
/// After a failed write the whole file is written again, but not more often than this: the disk may stay full.
const RETRY_EVERY: Duration = Duration::from_secs(2);
const HEADER_BYTES: usize = 8;

pub struct Spool {
    orders: Option<mpsc::Sender<Order>>,
    writer: Option<JoinHandle<()>>,
    /// Results in the file that are still owed.
    live: usize,
    bytes: u64,
    live_bytes: u64,
    /// Set by the writer: the file lacks results that were ordered.
    is_behind: Arc<AtomicBool>,
    retry_at: Instant,
}

enum Order {
    Append(Vec<u8>),
    Replace(Vec<u8>),
}

impl Spool {
    /// Opens the file and gives the results in it; a torn tail is cut off.
    pub fn open(path: &Path) -> Result<(Self, Vec<Report>), AgentError> {
        let mut file = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path)
            .map_err(AgentError::state(path))?;
        let (reports, good) = recover(&mut file, path).map_err(AgentError::state(path))?;
        let (orders, inbox) = mpsc::channel();
        let is_behind = Arc::new(AtomicBool::new(false));
        let writer =
            Writer { file, path: path.to_owned(), good, is_torn: false, is_behind: is_behind.clone() };
        let writer = thread::Builder::new()
            .name("spool".into())
            .spawn(move || writer.run(&inbox))
            .map_err(AgentError::state(path))?;
        let spool = Self {
            orders: Some(orders),
            writer: Some(writer),
            live: reports.len(),
            bytes: good,
            live_bytes: good,
            is_behind,
            retry_at: Instant::now(),
        };
        Ok((spool, reports))
    }

    pub fn append<'a>(&mut self, reports: impl IntoIterator<Item = &'a Report>) {
        let mut bytes = Vec::new();
        let mut count = 0;
        for report in reports {
            push_frame(&mut bytes, report);
            count += 1;
        }
        if count == 0 {
            return;
        }
        self.live += count;
        self.bytes += bytes.len() as u64;
        self.live_bytes += bytes.len() as u64;
        self.order(Order::Append(bytes));
    }

    /// A spooled result was acknowledged.
    pub fn forget(&mut self, report_bytes: usize) {
        self.live = self.live.saturating_sub(1);
        self.live_bytes = self.live_bytes.saturating_sub((report_bytes + HEADER_BYTES) as u64);
        if self.live == 0 && self.bytes > 0 {
            self.bytes = 0;
            self.live_bytes = 0;
            self.order(Order::Replace(Vec::new()));
        }
    }

    /// Most of a big file is no longer owed, or a write has failed.
    pub fn wants_rewrite(&self, now: Instant) -> bool {
        let is_mostly_old = self.bytes > REWRITE_BYTES && self.live_bytes < self.bytes / 2;
        is_mostly_old || self.retry_at().is_some_and(|at| at <= now)
    }

    /// When a file that lacks results should be written again.
    pub fn retry_at(&self) -> Option<Instant> {
        self.is_behind.load(Ordering::Relaxed).then_some(self.retry_at)
    }

    /// `reports` are all that is still owed.
    pub fn rewrite<'a>(&mut self, reports: impl IntoIterator<Item = &'a Report>, now: Instant) {
        self.is_behind.store(false, Ordering::Relaxed);
        self.retry_at = now + RETRY_EVERY;
        let mut bytes = Vec::new();
        self.live = 0;
        for report in reports {
            push_frame(&mut bytes, report);
            self.live += 1;
        }
        self.bytes = bytes.len() as u64;
        self.live_bytes = self.bytes;
        self.order(Order::Replace(bytes));
    }

    fn order(&self, order: Order) {
        if let Some(orders) = &self.orders
            && orders.send(order).is_err()
        {
            error!("the spool's thread is gone; results are in memory only");
        }
    }

    /// Returns when all that was ordered is on disk.
    fn close(&mut self) {
        self.orders = None;
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            error!("the spool's thread panicked; some results may be in memory only");
        }
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        self.close();
    }
}

fn push_frame(bytes: &mut Vec<u8>, report: &Report) {
    let start = bytes.len();
    bytes.extend([0; HEADER_BYTES]);
    // A Vec grows: encoding into it cannot fail.
    let _ = report.encode(bytes);
    let body = start + HEADER_BYTES;
    let len = (bytes.len() - body) as u32;
    let sum = crc32c::crc32c(&bytes[body..]);
    bytes[start..start + 4].copy_from_slice(&len.to_le_bytes());
    bytes[start + 4..body].copy_from_slice(&sum.to_le_bytes());
}

fn recover(file: &mut File, path: &Path) -> io::Result<(Vec<Report>, u64)> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let mut reports = Vec::new();
    let mut rest = &bytes[..];
    while let Some((report, after)) = take_frame(rest) {
        reports.push(report);
        rest = after;
    }
    let good = (bytes.len() - rest.len()) as u64;
    if !rest.is_empty() {
        warn!(path = %path.display(), at = good, cut = rest.len(), "the spool ends in a torn frame; cut off");
        file.set_len(good)?;
    }
    Ok((reports, good))
}

fn take_frame(bytes: &[u8]) -> Option<(Report, &[u8])> {
    let (len, rest) = bytes.split_first_chunk::<4>()?;
    let (sum, rest) = rest.split_first_chunk::<4>()?;
    let (body, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
    let intact = crc32c::crc32c(body) == u32::from_le_bytes(*sum);
    let report = intact.then(|| Report::decode(body).ok()).flatten()?;
    Some((report, rest))
}

/// The only one that writes to the file.
struct Writer {
    file: File,
    path: PathBuf,
    /// Length of the whole frames at the beginning of the file.
    good: u64,
    /// A failed write may have left bytes behind them.
    is_torn: bool,
    is_behind: Arc<AtomicBool>,
}

impl Writer {
    fn run(mut self, inbox: &mpsc::Receiver<Order>) {
        while let Ok(order) = inbox.recv() {
            // One sync for all that is waiting. A later order may succeed where an earlier one failed.
            let mut failure = None;
            for order in std::iter::once(order).chain(inbox.try_iter()) {
                failure = self.write(order).err().or(failure);
            }
            if let Some(error) = self.file.sync_data().err().or(failure) {
                // They stay in memory and are sent again; only a crash of the worker would lose them.
                let path = self.path.display();
                error!(%path, %error, "cannot spool results; they are in memory only until this is tried again");
                self.is_behind.store(true, Ordering::Relaxed);
            }
        }
    }

    fn write(&mut self, order: Order) -> io::Result<()> {
        match order {
            Order::Append(bytes) => self.append(&bytes),
            Order::Replace(bytes) if bytes.is_empty() => {
                self.good = 0;
                self.is_torn = true;
                self.cut()
            }
            Order::Replace(bytes) => {
                let next = self.path.with_extension("next");
                let replaced = self.replace(&next, &bytes);
                if replaced.is_err() {
                    // It takes room on a disk that may have none; it is not there if it has been renamed.
                    let _ = fs::remove_file(&next);
                }
                replaced
            }
        }
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.cut()?;
        self.is_torn = true;
        if let Err(error) = self.file.write_all_at(bytes, self.good) {
            // If that fails too it is tried again before the next write.
            let _ = self.cut();
            return Err(error);
        }
        self.is_torn = false;
        self.good += bytes.len() as u64;
        Ok(())
    }

    /// Cuts off what is not a whole frame.
    fn cut(&mut self) -> io::Result<()> {
        if self.is_torn {
            self.file.set_len(self.good)?;
            self.is_torn = false;
        }
        Ok(())
    }

    fn replace(&mut self, next: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut fresh = File::create(next)?;
        fresh.write_all(bytes)?;
        fresh.sync_data()?;
        fs::rename(next, &self.path)?;
        self.file = fresh;
        self.good = bytes.len() as u64;
        self.is_torn = false;
        self.path.parent().map_or(Err(ErrorKind::NotFound.into()), |dir| File::open(dir)?.sync_all())
    }
}

#[cfg(test)]
mod tests;
