//! Seats: the places that each attempt of a task holds in named limits, for as long as it holds its worker.

use std::sync::Arc;

use crate::name::Name;

/// Limits that one task can name.
pub const SEATS_MAX: usize = 16;

/// A place in a limit. Limits belong to a tenant; each key of a limit has its own count.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Seat {
    pub limit: Name,
    /// Empty: one count for all.
    pub key: Name,
    /// Attempts that may hold a seat at once when this one takes its own. `None`: as configured for the limit, or one.
    pub max: Option<u32>,
}

/// All seats of a task; taken together with its worker, or not at all.
pub type Seats = Arc<[Seat]>;
