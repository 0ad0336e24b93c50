//! Priority: strict bands, and a level from 0 to 10 inside each. The lowest band is not for callers: backfills have it.

/// Strict classes of urgency: nothing of a lower band is placed while a higher one could use the room.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Band {
    P0 = 0,
    P1 = 1,
    P2 = 2,
    /// Runs of backfills. Nobody can ask for it.
    Backfill = 3,
}

impl Band {
    pub const ALL: [Self; 4] = [Self::P0, Self::P1, Self::P2, Self::Backfill];
    /// What a caller can ask for.
    pub const ASKED: [Self; 3] = [Self::P0, Self::P1, Self::P2];

    pub const fn index(self) -> usize {
        self as usize
    }

    pub const fn from_index(index: u8) -> Option<Self> {
        match index {
            0 => Some(Self::P0),
            1 => Some(Self::P1),
            2 => Some(Self::P2),
            3 => Some(Self::Backfill),
            _ => None,
        }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::P0 => "P0",
            Self::P1 => "P1",
            Self::P2 => "P2",
            Self::Backfill => "backfill",
        }
    }
}

/// Highest level inside a band; the greater the sooner.
pub const LEVEL_MAX: u8 = 10;
pub const LEVEL_DEFAULT: u8 = 5;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Priority {
    pub band: Band,
    level: u8,
}

impl Priority {
    /// `None` if the level is above [`LEVEL_MAX`].
    pub const fn new(band: Band, level: u8) -> Option<Self> {
        if level > LEVEL_MAX { None } else { Some(Self { band, level }) }
    }

    pub const fn of(band: Band) -> Self {
        Self { band, level: LEVEL_DEFAULT }
    }

    pub const fn level(self) -> u8 {
        self.level
    }
}

impl Default for Priority {
    fn default() -> Self {
        Self::of(Band::P1)
    }
}
