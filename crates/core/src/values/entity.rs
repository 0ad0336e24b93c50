//! Kinds of durable entities, and what their ids have in common.

use super::id::{BackfillId, JobId, OperationId, WorkerId};
use super::numbered_id::{ScheduleId, TriggerId};

/// What a row of the table of entities is. Frozen: stores keep the number, and a number is never given away again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum EntityKind {
    Cordon = 1,
    Trigger = 2,
    Backfill = 3,
    Schedule = 4,
    Operation = 5,
    Job = 6,
}

impl EntityKind {
    pub const ALL: [Self; 6] =
        [Self::Cordon, Self::Trigger, Self::Backfill, Self::Schedule, Self::Operation, Self::Job];

    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u8 == number)
    }

    /// For messages.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Cordon => "cordon",
            Self::Trigger => "trigger",
            Self::Backfill => "backfill",
            Self::Schedule => "schedule",
            Self::Operation => "operation",
            Self::Job => "job",
        }
    }

    /// Pages of it are read from the tables, by tenant and parent, so the tables index it by them. The others are listed
    /// from memory.
    pub const fn is_listed(self) -> bool {
        match self {
            Self::Backfill => true,
            Self::Cordon | Self::Trigger | Self::Schedule | Self::Operation | Self::Job => false,
        }
    }
}

/// An id that a row can be stored under.
pub trait EntityId: Copy + Ord {
    fn to_bits(self) -> u128;
    fn of_bits(bits: u128) -> Self;
}

macro_rules! wide_ids {
    ($($id:ident),*) => {$(
        impl EntityId for $id {
            fn to_bits(self) -> u128 {
                self.bits()
            }

            fn of_bits(bits: u128) -> Self {
                Self::from_bits(bits)
            }
        }
    )*};
}

wide_ids!(BackfillId, JobId, WorkerId);

macro_rules! numbered_ids {
    ($($id:ident),*) => {$(
        impl EntityId for $id {
            fn to_bits(self) -> u128 {
                self.bits().into()
            }

            fn of_bits(bits: u128) -> Self {
                Self::from_bits(bits as u64)
            }
        }
    )*};
}

numbered_ids!(ScheduleId, TriggerId);

impl EntityId for OperationId {
    fn to_bits(self) -> u128 {
        self.get().into()
    }

    fn of_bits(bits: u128) -> Self {
        Self::new(bits as u64)
    }
}
