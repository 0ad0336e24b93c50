//! Permits: the places that each attempt of a task holds in named limits, for as long as it holds its worker.

use std::sync::Arc;

use super::name::Name;

/// Limits that one task can name.
pub const PERMITS_MAX: usize = 16;

/// A place in a limit. Limits belong to a tenant; each key of a limit has its own count.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Permit {
    pub limit: Name,
    /// Empty: one count for all.
    pub key: Name,
    /// Attempts that may hold a permit at once when this one takes its own. `None`: as configured for the limit, or one.
    pub max: Option<u32>,
}

/// All permits of a task; taken together with its worker, or not at all.
pub type Permits = Arc<[Permit]>;
