//! Who changed something by hand, and why.

use super::name::Name;
use super::time::Wall;
use std::sync::Arc;

/// An operator's word against the usual course.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Actor {
    pub actor: Name,
    pub reason: Name,
}

/// Somebody's word about a job or a run: what was done to it, and why (C10, A13).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    pub at: Wall,
    pub over: Actor,
    pub what: Arc<str>,
}
