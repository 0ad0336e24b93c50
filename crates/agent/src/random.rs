//! Chance: ids that nobody else has, and delays that spread.

use std::time::Duration;

pub fn bits() -> u128 {
    let mut bytes = [0; 16];
    // It fails only where the kernel has no randomness at all; then two workers would share an id.
    aws_lc_rs::rand::fill(&mut bytes).expect("the kernel gives random bytes");
    u128::from_be_bytes(bytes)
}

/// Even enough for jitter; `bound` is not 0.
pub fn below(bound: u64) -> u64 {
    (bits() as u64) % bound
}

/// Between half of `duration` and all of it.
pub fn jittered(duration: Duration) -> Duration {
    let half = duration / 2;
    half + Duration::from_micros(below(half.as_micros() as u64 + 1))
}
