//! The two times of the core, in milliseconds.
//! - TM-1 `Elapsed` never goes back; leases, timeouts and backoff use it. It goes on over restarts:
//!   every journal record carries it, and an opening shard resumes from the last one
//! - TM-2 `Wall` is what people mean by time; run-at instants use it. While a shard runs it never goes back; a start
//!   may go back behind the last journaled value, if that was wrong

use std::fmt;
use std::ops::{Add, Sub};

/// A span of time in milliseconds; arithmetic saturates, so attempt 50,000 cannot overflow a delay.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Millis(u64);

impl Millis {
    pub const ZERO: Self = Self(0);
    pub const MAX: Self = Self(u64::MAX);

    pub const fn new(ms: u64) -> Self {
        Self(ms)
    }

    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(1000))
    }

    pub const fn get(self) -> u64 {
        self.0
    }

    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    pub const fn saturating_mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }
}

/// Monotonic milliseconds since the shard was first created.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Elapsed(u64);

impl Elapsed {
    pub const ZERO: Self = Self(0);

    pub const fn from_millis(ms: u64) -> Self {
        Self(ms)
    }

    pub const fn millis(self) -> u64 {
        self.0
    }

    /// How long ago `earlier` was; zero if it lies ahead.
    pub const fn since(self, earlier: Self) -> Millis {
        Millis(self.0.saturating_sub(earlier.0))
    }

    /// The instant so long ago; not before the shard was created.
    pub const fn before(self, span: Millis) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

impl Add<Millis> for Elapsed {
    type Output = Self;

    fn add(self, span: Millis) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

/// Milliseconds since 1970-01-01 UTC, leap seconds ignored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Wall(u64);

impl Wall {
    pub const ZERO: Self = Self(0);

    pub const fn from_millis(ms: u64) -> Self {
        Self(ms)
    }

    pub const fn millis(self) -> u64 {
        self.0
    }

    pub const fn since(self, earlier: Self) -> Millis {
        Millis(self.0.saturating_sub(earlier.0))
    }

    /// Whole days since 1970-01-01, the unit in which history is kept and dropped.
    pub const fn day(self) -> u32 {
        (self.0 / 86_400_000) as u32
    }
}

impl Add<Millis> for Wall {
    type Output = Self;

    fn add(self, span: Millis) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Sub<Millis> for Wall {
    type Output = Self;

    fn sub(self, span: Millis) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0)
    }
}

/// Both times of one instant. All commands of one journal record share it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Now {
    pub elapsed: Elapsed,
    pub wall: Wall,
}

impl Now {
    pub const fn new(elapsed_ms: u64, wall_ms: u64) -> Self {
        Self { elapsed: Elapsed::from_millis(elapsed_ms), wall: Wall::from_millis(wall_ms) }
    }
}
