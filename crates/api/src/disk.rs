//! How much room the data takes and how much is left, measured when somebody asks.
//! - DU-1 it is measured once in [`EVERY`] at most: the folders of logs may have many files

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use crate::gateway::now;
use crate::wire::{DiskView, Moment};

const EVERY: Duration = Duration::from_mins(1);

/// The device of the data directory, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DiskUse {
    pub journal: u64,
    pub tables: u64,
    pub logs: u64,
    /// There were more logs than are measured.
    pub logs_more: bool,
    /// Left for this process.
    pub free: u64,
    pub size: u64,
}

type Measure = Box<dyn Fn() -> io::Result<DiskUse> + Send + Sync>;

#[derive(Default)]
pub(crate) struct Disk {
    measure: OnceLock<Measure>,
    last: Mutex<Option<(Instant, DiskView)>>,
}

impl Disk {
    pub fn set(&self, measure: impl Fn() -> io::Result<DiskUse> + Send + Sync + 'static) {
        // It was empty: a server is told once.
        let _ = self.measure.set(Box::new(measure));
    }

    /// Whoever comes while it is measured waits for that.
    pub async fn read(self: &Arc<Self>) -> Option<DiskView> {
        let mut last = self.last.lock().await;
        if let Some((at, view)) = &*last
            && at.elapsed() < EVERY
        {
            return Some(*view);
        }
        let disk = Arc::clone(self);
        let measured = tokio::task::spawn_blocking(move || disk.measure.get().map(|measure| measure()));
        let used = match measured.await.ok()?? {
            Ok(used) => used,
            Err(error) => {
                tracing::warn!(%error, "the device of the data cannot be measured");
                return None;
            }
        };
        let DiskUse { journal, tables, logs, logs_more, free, size } = used;
        let view = DiskView {
            journal_bytes: journal,
            tables_bytes: tables,
            logs_bytes: logs,
            logs_more,
            free_bytes: free,
            size_bytes: size,
            measured_at: Moment(now()),
        };
        *last = Some((Instant::now(), view));
        Some(view)
    }
}
