//! Results on disk until somebody acknowledges them.
//! Entry: [`Spool`]. One append-only file of frames: length, CRC-32C, a `Report`.
//! - SP-1 a frame that was synced is found again after any crash
//! - SP-2 the file is emptied only when none of its results is owed any more
//!
//! Writing and syncing happen on a thread of their own: a slow disk delays no heartbeat.
//! Not here: when a result is spooled (`desk`), and what a crash may lose (see there).

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use mainspring_proto::v1::Report;
use prost::Message;
use tracing::{error, warn};

use crate::error::AgentError;

/// Beyond this the file is written anew without what was acknowledged, if that is most of it.
const REWRITE_BYTES: u64 = 16 << 20;
const HEADER_BYTES: usize = 8;

pub struct Spool {
    orders: Option<mpsc::Sender<Order>>,
    writer: Option<JoinHandle<()>>,
    /// Results in the file that are still owed.
    live: usize,
    bytes: u64,
    live_bytes: u64,
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
        let place = path.to_owned();
        let writer = thread::Builder::new()
            .name("spool".into())
            .spawn(move || write_orders(file, &place, &inbox))
            .map_err(AgentError::state(path))?;
        let live = reports.len();
        let spool = Self { orders: Some(orders), writer: Some(writer), live, bytes: good, live_bytes: good };
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

    /// Most of a big file is no longer owed.
    pub fn wants_rewrite(&self) -> bool {
        self.bytes > REWRITE_BYTES && self.live_bytes < self.bytes / 2
    }

    /// `reports` are all that is still owed.
    pub fn rewrite<'a>(&mut self, reports: impl IntoIterator<Item = &'a Report>) {
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
    file.seek(SeekFrom::Start(good))?;
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

fn write_orders(mut file: File, path: &Path, inbox: &mpsc::Receiver<Order>) {
    while let Ok(order) = inbox.recv() {
        // One sync for all that is waiting.
        let mut orders = std::iter::once(order).chain(inbox.try_iter());
        let written = orders.try_for_each(|order| write(&mut file, path, order));
        if let Err(error) = written.and_then(|()| file.sync_data()) {
            // They stay in memory and are sent again; only a crash of the worker would lose them.
            error!(path = %path.display(), %error, "cannot spool results");
        }
    }
}

fn write(file: &mut File, path: &Path, order: Order) -> io::Result<()> {
    match order {
        Order::Append(bytes) => file.write_all(&bytes),
        Order::Replace(bytes) if bytes.is_empty() => {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0)).map(drop)
        }
        Order::Replace(bytes) => {
            let next = path.with_extension("next");
            let mut fresh = File::create(&next)?;
            fresh.write_all(&bytes)?;
            fresh.sync_data()?;
            fs::rename(&next, path)?;
            *file = fresh;
            path.parent().map_or(Err(ErrorKind::NotFound.into()), |dir| File::open(dir)?.sync_all())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(fence: u64) -> Report {
        Report { task: vec![7; 16], fence, what: None }
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
        spool.rewrite([&found[2]]);
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
}
