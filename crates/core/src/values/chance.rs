//! Reproducible chance: a small generator whose seed is an argument.
//! Jitter and sampling need spread, not secrecy; nothing drawn here is ever a token.

/// `SplitMix64`: one addition and three multiplications a draw, full period.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub const fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 if the bound is 0.
    pub const fn below(&mut self, bound: u64) -> u64 {
        ((self.draw() as u128 * bound as u128) >> 64) as u64
    }

    /// True in `share` of 1,000 draws.
    pub const fn per_mille(&mut self, share: u64) -> bool {
        self.below(1000) < share
    }
}
