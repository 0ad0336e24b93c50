//! An event as others tell it: what triggers are matched with, and what a run that it began can read.

use std::sync::Arc;

use super::name::Name;
use super::time::Wall;

/// Longest id, source, type and subject.
pub const ATTRIBUTE_BYTES_MAX: usize = 256;
pub const DATA_BYTES_MAX: usize = 256 * 1024;
/// Runs that begin each other by their ends; a longer chain is a loop.
pub const DEPTH_MAX: u8 = 32;
/// Types of events that tell of our own runs and tasks begin with it; nobody else may use it.
pub const OWN_PREFIX: &str = "mainspring.";

/// With the attributes that `CloudEvents` 1.0 names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CloudEvent {
    pub id: Arc<str>,
    pub source: Arc<str>,
    /// Its `type`.
    pub kind: Arc<str>,
    pub subject: Option<Arc<str>>,
    pub time: Option<Wall>,
    /// JSON.
    pub data: Option<Arc<[u8]>>,
}

/// The event that began a run, and by which trigger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    pub trigger: Name,
    pub notice: Arc<CloudEvent>,
    /// Runs before this one that began each other.
    pub depth: u8,
}

impl CloudEvent {
    pub fn is_own(&self) -> bool {
        self.kind.starts_with(OWN_PREFIX)
    }

    pub fn bytes(&self) -> usize {
        self.data.as_ref().map_or(0, |data| data.len())
    }
}
