//! The cells of the wheel: eight levels of 256, as one row of 2,048 whose order is the order of time.
//!
//! A timer sits at the level of the highest byte in which its instant differs from the wheel's position,
//! in the cell named by that byte. So everything in a lower level comes before everything in a higher
//! one, and the first occupied cell of the row holds the earliest timer. Eight levels cover every `u64`:
//! no timer is too far ahead.

/// No key: an empty cell, or the end of its list.
pub const NONE: u32 = u32::MAX;

const LEVEL_BITS: u32 = 8;
const LEVEL_SLOTS: usize = 1 << LEVEL_BITS;
const LEVELS: usize = (u64::BITS / LEVEL_BITS) as usize;
const WORDS: usize = LEVELS * LEVEL_SLOTS / 64;
const _: () = assert!(WORDS <= 32, "one bit of `filled` for each word of `occupied`");

#[derive(Clone, Copy, Debug)]
struct WheelCell {
    /// Not later than any instant in the cell; exact unless the earliest was disarmed.
    earliest: u64,
    first: u32,
}

const EMPTY: WheelCell = WheelCell { earliest: u64::MAX, first: NONE };

#[derive(Debug)]
pub struct WheelCells {
    row: Box<[WheelCell]>,
    occupied: [u64; WORDS],
    /// Which words of `occupied` are not zero.
    filled: u32,
}

impl WheelCells {
    pub fn new() -> Self {
        Self { row: vec![EMPTY; LEVELS * LEVEL_SLOTS].into(), occupied: [0; WORDS], filled: 0 }
    }

    /// The cell of `at` as seen from `position`.
    pub const fn place(position: u64, at: u64) -> u32 {
        let level = ((position ^ at) | 1).ilog2() / LEVEL_BITS;
        let within = (at >> (level * LEVEL_BITS)) as u32 % LEVEL_SLOTS as u32;
        level * LEVEL_SLOTS as u32 + within
    }

    /// Whether all timers of this cell have the same instant.
    pub const fn is_one_instant(cell: u32) -> bool {
        cell < LEVEL_SLOTS as u32
    }

    /// The occupied cell with the earliest timers.
    pub fn earliest_slot(&self) -> Option<u32> {
        if self.filled == 0 {
            return None;
        }
        let word = self.filled.trailing_zeros();
        Some(word * 64 + self.occupied[word as usize].trailing_zeros())
    }

    /// Not later than any instant in the cell; `u64::MAX` if it is empty.
    pub fn earliest(&self, cell: u32) -> u64 {
        self.row[cell as usize].earliest
    }

    pub fn first(&self, cell: u32) -> u32 {
        self.row[cell as usize].first
    }

    /// Puts `key` in front of the list and returns the key that was first until now.
    pub fn push(&mut self, cell: u32, key: u32, at: u64) -> u32 {
        let entry = &mut self.row[cell as usize];
        entry.earliest = entry.earliest.min(at);
        let second = std::mem::replace(&mut entry.first, key);
        if second == NONE {
            self.occupied[cell as usize / 64] |= 1 << (cell % 64);
            self.filled |= 1 << (cell / 64);
        }
        second
    }

    /// Makes `key` the first of a list that has lost its front; `NONE` empties the cell.
    pub fn set_first(&mut self, cell: u32, key: u32) {
        if key != NONE {
            self.row[cell as usize].first = key;
            return;
        }
        self.row[cell as usize] = EMPTY;
        let word = cell as usize / 64;
        self.occupied[word] &= !(1 << (cell % 64));
        if self.occupied[word] == 0 {
            self.filled &= !(1 << word);
        }
    }
}
