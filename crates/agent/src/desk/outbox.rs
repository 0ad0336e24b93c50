//! What waits to be said, cut into messages.

use mainspring_core::values::PROGRESS_BYTES_MAX;
use mainspring_proto::v1;
use mainspring_proto::v1::report::What;

use crate::attempt::Key;

/// Far below the 4 MiB that gRPC servers take by default.
const MESSAGE_BYTES: usize = 1 << 20;
/// Enough to make the cost of a message vanish, small enough that the first of them does not wait for the last.
const MESSAGE_REPORTS: usize = 2048;
/// A report without its output, checkpoint or message.
const REPORT_BYTES: usize = 40;
/// What an attempt used, and its last progress.
const DETAILS_BYTES: usize = PROGRESS_BYTES_MAX + 32;

#[derive(Default)]
pub struct Outbox {
    reports: Vec<v1::Report>,
    bytes: usize,
    heartbeat: bool,
    /// Heartbeats of this session.
    heartbeats: u64,
    hello: Option<v1::Hello>,
    draining: bool,
}

impl Outbox {
    pub fn say(&mut self, key: Key, what: What) {
        self.push(v1::Report {
            task: key.task_bytes(),
            fence: key.fence.bits(),
            what: Some(what),
            details: None,
        });
    }

    pub fn push(&mut self, report: v1::Report) {
        self.bytes += size(&report);
        self.reports.push(report);
    }

    pub fn say_heartbeat(&mut self) {
        self.heartbeat = true;
    }

    /// To another owner of a shard, before anything else is said to it.
    pub fn say_hello(&mut self, hello: v1::Hello) {
        self.hello = Some(hello);
    }

    pub fn say_draining(&mut self) {
        self.draining = true;
    }

    pub fn is_empty(&self) -> bool {
        self.reports.is_empty() && !self.heartbeat && !self.draining && self.hello.is_none()
    }

    /// More would not make the next message cheaper.
    pub fn is_full(&self) -> bool {
        self.reports.len() >= MESSAGE_REPORTS || self.bytes >= MESSAGE_BYTES
    }

    /// The session ended: what was not sent is said again in another way, or is lost with it.
    pub fn clear(&mut self) {
        let draining = self.draining;
        *self = Self { draining, ..Self::default() };
    }

    /// The next message; without logs yet.
    pub fn take(&mut self) -> v1::WorkerMessage {
        let mut bytes = 0;
        let fitting = self.reports.iter().take(MESSAGE_REPORTS).take_while(|report| {
            let fits = bytes == 0 || bytes + size(report) <= MESSAGE_BYTES;
            bytes += size(report);
            fits
        });
        let count = fitting.count();
        let rest = if count == self.reports.len() { Vec::new() } else { self.reports.split_off(count) };
        let reports = std::mem::replace(&mut self.reports, rest);
        self.bytes -= reports.iter().map(size).sum::<usize>();
        let beats = std::mem::take(&mut self.heartbeat);
        self.heartbeats += u64::from(beats);
        v1::WorkerMessage {
            hello: self.hello.take(),
            heartbeat: if beats { self.heartbeats } else { 0 },
            reports,
            logs: Vec::new(),
            draining: std::mem::take(&mut self.draining),
        }
    }
}

fn size(report: &v1::Report) -> usize {
    let extra = match &report.what {
        Some(What::Success(success)) => success.output.as_ref().map_or(0, Vec::len),
        Some(What::Failure(failure)) => failure.message.len(),
        Some(What::Checkpoint(bytes)) => bytes.len(),
        Some(What::Refused(why)) => why.len(),
        Some(What::Progress(text)) => text.len(),
        Some(What::Accepted(_) | What::ExtendMs(_) | What::DeferMs(_)) | None => 0,
    };
    REPORT_BYTES + extra + if report.details.is_some() { DETAILS_BYTES } else { 0 }
}
