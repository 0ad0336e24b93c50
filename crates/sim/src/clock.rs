//! The machine's raw clocks: one that only goes on, and one that people (and broken time servers) set.

use mainspring_core::values::{Millis, Wall};
use mainspring_runtime::Reading;

/// Where the wall clock stands when a world begins: 2025-06-15 12:00 UTC.
pub const WALL_START_MS: u64 = 1_749_988_800_000;

#[derive(Debug)]
pub struct RawClocks {
    /// What the wall clock is off by.
    offset_ms: i64,
    /// What it is off by for a while, days or years; nobody may believe that.
    wild_ms: i64,
    /// The latest the wall clock ever said while it was not wild, and the time that has passed since.
    wall_max: u64,
    read_at: u64,
}

impl Default for RawClocks {
    fn default() -> Self {
        Self { offset_ms: 0, wild_ms: 0, wall_max: WALL_START_MS, read_at: 0 }
    }
}

impl RawClocks {
    pub fn read(&mut self, now: u64) -> Reading {
        let tame = (WALL_START_MS + now).saturating_add_signed(self.offset_ms);
        // Behind a clock that was set back, time goes on.
        self.wall_max = (self.wall_max + now.saturating_sub(self.read_at)).max(tame);
        self.read_at = now;
        Reading::new(Millis::new(now), Wall::from_millis(tame.saturating_add_signed(self.wild_ms)))
    }

    /// What callers take the time to be: their clocks are not those of a server.
    pub fn callers_wall(&mut self, now: u64) -> Wall {
        let wall = self.read(now).wall.millis();
        Wall::from_millis(wall.saturating_add_signed(-self.wild_ms))
    }

    /// Off by this much more, until [`Self::tame`].
    pub fn go_wild(&mut self, by_ms: i64) {
        self.wild_ms = by_ms;
    }

    pub fn tame(&mut self) {
        self.wild_ms = 0;
    }

    pub fn step(&mut self, by_ms: i64) {
        self.offset_ms += by_ms;
    }

    /// The latest instant that the wall clock showed, or that has passed since; the core may not believe in a later one.
    pub fn wall_max(&self) -> Wall {
        Wall::from_millis(self.wall_max)
    }

    /// Puts an end to steps: the wall clock goes on from the latest it ever showed.
    pub fn heal(&mut self, now: u64) {
        self.tame();
        self.offset_ms = (self.wall_max.saturating_sub(WALL_START_MS + now)) as i64;
    }
}
