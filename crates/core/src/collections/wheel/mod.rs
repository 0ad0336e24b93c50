//! Timers: which keys are due at an instant, and how long the shard may sleep.
//! Entry: [`Wheel`]. Pure: the instant comes in as an argument; a key is a slab index, one timer each.
//! - TW-1 a key never comes out before its instant
//! - TW-2 due keys come out in the order of (instant, key), whatever the order in which they were armed
//! - TW-3 [`Wheel::next_wake`] is never later than the earliest armed timer
//! - TW-4 empty time costs nothing: a jump of a millisecond and one of a century take the same steps
//!
//! Not here: what a key stands for and what follows when it is due (`engine`), sleeping (the runtime).
//! Nothing of the wheel is stored: it is armed again from the state after recovery.

mod cells;
mod timers;

#[cfg(test)]
mod tests;

pub use self::timers::Wheel;
