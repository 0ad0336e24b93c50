//! What can happen to triggers.

use std::sync::Arc;

use super::ledger::LedgerWindow;
use super::spec::{TriggerKey, TriggerSpec};
use super::table::Skip;
use crate::values::{RunId, TriggerId};

#[derive(Clone, PartialEq, Debug)]
pub enum TriggerEvent {
    /// New, or with other content; it is not deleted any more.
    Stored(Box<TriggerStored>),
    Deleted {
        id: TriggerId,
    },
    /// It was deleted long ago: its name is free, and it leaves memory and tables.
    Forgotten {
        id: TriggerId,
    },
    /// An event matched and began nothing, as the trigger wants it.
    Skipped {
        id: TriggerId,
        skip: Skip,
        /// The window that is decided by it.
        window: Option<LedgerWindow>,
    },
    /// An event matched and began nothing, and somebody should look at it.
    Failed(Box<TriggerFailed>),
    /// A job that an `after` trigger names has succeeded for a window.
    Succeeded(Box<Succeeded>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct TriggerStored {
    pub id: TriggerId,
    pub key: Arc<TriggerKey>,
    pub spec: Arc<TriggerSpec>,
}

/// An event began a run: part of the event that creates it.
#[derive(Clone, PartialEq, Debug)]
pub struct TriggerFired {
    pub id: TriggerId,
    /// Of the event.
    pub source: Arc<str>,
    pub event: Arc<str>,
    pub run: RunId,
    pub window: Option<LedgerWindow>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct TriggerFailed {
    pub id: TriggerId,
    pub what: Arc<str>,
    pub window: Option<LedgerWindow>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Succeeded {
    pub id: TriggerId,
    /// Its place in the list.
    pub job: u32,
    pub window: LedgerWindow,
}

impl TriggerEvent {
    pub fn id(&self) -> TriggerId {
        match self {
            Self::Stored(stored) => stored.id,
            Self::Failed(failed) => failed.id,
            Self::Succeeded(succeeded) => succeeded.id,
            Self::Deleted { id } | Self::Forgotten { id } | Self::Skipped { id, .. } => *id,
        }
    }
}
