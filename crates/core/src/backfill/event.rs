//! What can happen to backfills.

use std::sync::Arc;

use super::spec::BackfillSpec;
use crate::job::Plan;
use crate::values::{BackfillId, ScheduleId};

#[derive(Clone, PartialEq, Debug)]
pub enum BackfillEvent {
    Created(Box<Created>),
    Paused {
        id: BackfillId,
        paused: bool,
    },
    /// No further window is started. `stop_runs`: and what runs is cancelled.
    Cancelled {
        id: BackfillId,
        stop_runs: bool,
    },
    /// Nothing of it is left to do.
    Ended {
        id: BackfillId,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub struct Created {
    pub id: BackfillId,
    pub schedule: ScheduleId,
    pub spec: Arc<BackfillSpec>,
    /// `None`: its version is the job's newest.
    pub plan: Option<Arc<Plan>>,
}

impl BackfillEvent {
    pub fn id(&self) -> BackfillId {
        match self {
            Self::Created(created) => created.id,
            Self::Paused { id, .. } | Self::Cancelled { id, .. } | Self::Ended { id } => *id,
        }
    }
}
