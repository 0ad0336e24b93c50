//! The machine's raw clocks: one that only goes on, and one that people (and broken time servers) set.

use mainspring_core::time::{Millis, Wall};
use mainspring_runtime::Reading;

/// Where the wall clock stands when a world begins: 2025-06-15 12:00 UTC.
pub const WALL_START_MS: u64 = 1_749_988_800_000;

#[derive(Debug)]
pub struct RawClocks {
    /// What the wall clock is off by.
    offset_ms: i64,
    /// The latest the wall clock ever said.
    wall_max: u64,
}

impl Default for RawClocks {
    fn default() -> Self {
        Self { offset_ms: 0, wall_max: WALL_START_MS }
    }
}

impl RawClocks {
    pub fn read(&mut self, now: u64) -> Reading {
        let wall = (WALL_START_MS + now).saturating_add_signed(self.offset_ms);
        self.wall_max = self.wall_max.max(wall);
        Reading { monotonic: Millis::new(now), wall: Wall::from_millis(wall) }
    }

    pub fn step(&mut self, by_ms: i64) {
        self.offset_ms += by_ms;
    }

    /// The latest instant the wall clock ever showed; the core may not believe in a later one.
    pub fn wall_max(&self) -> Wall {
        Wall::from_millis(self.wall_max)
    }

    /// Puts an end to steps: the wall clock goes on from the latest it ever showed.
    pub fn heal(&mut self, now: u64) {
        self.offset_ms = (self.wall_max.saturating_sub(WALL_START_MS + now)) as i64;
    }
}
