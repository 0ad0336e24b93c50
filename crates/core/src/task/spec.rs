//! What a task is to do and how urgent it is, in every form that it has before it is a task: asked for, journaled, of a
//! schedule. A node of a plan has `TaskWork` instead: what it says becomes this when the run releases the node.

use std::sync::Arc;

use super::{Labels, Payload, Profile};
use crate::values::{Permits, Priority};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TaskSpec {
    pub profile: Arc<Profile>,
    pub payload: Payload,
    pub priority: Priority,
    pub labels: Option<Labels>,
    /// Places that each attempt holds in named limits.
    pub permits: Option<Permits>,
}

impl TaskSpec {
    /// With the default priority, and nothing that most tasks do not have.
    pub fn new(profile: Arc<Profile>, payload: Payload) -> Self {
        Self { profile, payload, priority: Priority::default(), labels: None, permits: None }
    }
}
