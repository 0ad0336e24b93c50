//! What to do about local times that a clock change takes away or brings twice. Only schedules with a fixed hour ask.

/// A local time that does not exist, because the clock was put forward over it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum Missing {
    /// Does not fire; [`super::timetable::NextInstant::skipped`] counts it.
    #[default]
    Skip = 0,
    /// Fires at the first instant after the gap. All times that one gap took away fire there together, once.
    After = 1,
    /// Fires at the last whole second before the gap, once for all times that it took away.
    Before = 2,
}

/// A local time that exists twice, because the clock was put back over it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum Twice {
    #[default]
    First = 0,
    Second = 1,
    Both = 2,
}

/// The policy of one schedule for clock changes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Dst {
    pub missing: Missing,
    pub twice: Twice,
}

impl Missing {
    pub const ALL: [Self; 3] = [Self::Skip, Self::After, Self::Before];

    pub const fn label(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::After => "after",
            Self::Before => "before",
        }
    }

    pub fn find(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|missing| missing.label() == label)
    }

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }
}

impl Twice {
    pub const ALL: [Self; 3] = [Self::First, Self::Second, Self::Both];

    pub const fn label(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Second => "second",
            Self::Both => "both",
        }
    }

    pub fn find(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|twice| twice.label() == label)
    }

    pub fn from_index(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }
}
