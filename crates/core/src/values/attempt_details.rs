//! What is known of an attempt beside how it ended: for what its task waited before it, and what its worker says of it.

use super::Name;

/// Longest progress text of an attempt in bytes; longer ones are cut at the edge.
pub const PROGRESS_BYTES_MAX: usize = 256;

/// What an attempt used and how far it came. What nobody knows is absent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AttemptDetails {
    pub memory_peak_bytes: Option<u64>,
    /// User and system time of all its processes, in milliseconds.
    pub cpu_ms: Option<u64>,
    /// From its start on the worker to its end.
    pub ran_ms: Option<u64>,
    /// The last progress that it reported.
    pub progress: Option<Box<str>>,
    /// The named limit that was full when its task could have begun otherwise.
    pub waited_for: Option<Name>,
}

impl AttemptDetails {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The worker said something of it.
    pub fn is_reported(&self) -> bool {
        self.memory_peak_bytes.is_some()
            || self.cpu_ms.is_some()
            || self.ran_ms.is_some()
            || self.progress.is_some()
    }

    /// What is new goes before.
    pub fn add(&mut self, new: &Self) {
        let Self { memory_peak_bytes, cpu_ms, ran_ms, progress, waited_for } = new;
        self.memory_peak_bytes = memory_peak_bytes.or(self.memory_peak_bytes);
        self.cpu_ms = cpu_ms.or(self.cpu_ms);
        self.ran_ms = ran_ms.or(self.ran_ms);
        self.progress = progress.clone().or_else(|| self.progress.take());
        self.waited_for = waited_for.clone().or_else(|| self.waited_for.take());
    }
}
