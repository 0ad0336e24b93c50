//! What a worker says of an attempt beside how it ended.

/// Longest progress text of an attempt in bytes; longer ones are cut at the edge.
pub const PROGRESS_BYTES_MAX: usize = 256;

/// What an attempt used and how far it came. What nobody knows is absent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AttemptDetails {
    pub memory_peak_bytes: Option<u64>,
    /// User and system time of all its processes, in milliseconds.
    pub cpu_ms: Option<u64>,
    /// The last progress that it reported.
    pub progress: Option<Box<str>>,
}

impl AttemptDetails {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
