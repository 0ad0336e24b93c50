//! What a backfill was made with; none of it changes.

use std::sync::Arc;

use super::windows::Windows;
use crate::schedule::ScheduleKey;
use crate::task::Payload;
use crate::values::Wall;

/// Runs of one backfill at once, unless it says otherwise, and at most.
pub const ACTIVE_DEFAULT: u32 = 4;
pub const ACTIVE_MAX: u32 = 1_000;

/// Which windows of the range were wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Only {
    /// For which nothing ever ran.
    #[default]
    Missing = 0,
    /// Whose newest run did not succeed.
    Failed = 1,
    All = 2,
}

impl Only {
    pub const ALL: [Self; 3] = [Self::Missing, Self::Failed, Self::All];

    pub const fn label(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Failed => "failed",
            Self::All => "all",
        }
    }

    pub fn find(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|only| only.label() == label)
    }

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct BackfillSpec {
    pub key: Arc<ScheduleKey>,
    /// The range that was asked for, its end not included.
    pub from: Wall,
    pub to: Wall,
    pub only: Only,
    pub windows: Windows,
    /// Runs of it at once.
    pub max_active: u32,
    /// Of the job; all its runs have this one.
    pub version: u32,
    /// A JSON object; checked by the edge against the declarations of that version.
    pub parameters: Payload,
}
