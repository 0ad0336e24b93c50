//! The trace: every step is mixed into one number, so that two runs of a seed can be compared; on request
//! each is also printed.

use std::fmt::Arguments;

#[derive(Debug)]
pub struct Trace {
    hash: u64,
    print: bool,
}

impl Trace {
    pub fn new(print: bool) -> Self {
        Self { hash: 0xcbf2_9ce4_8422_2325, print }
    }

    /// Mixes a number in.
    pub fn mix(&mut self, value: u64) {
        let mixed = (self.hash ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.hash = mixed ^ (mixed >> 29);
    }

    pub fn mix_wide(&mut self, value: u128) {
        self.mix(value as u64);
        self.mix((value >> 64) as u64);
    }

    /// Mixes bytes in, with their number: two texts cut at different places differ.
    pub fn mix_bytes(&mut self, bytes: &[u8]) {
        self.mix(bytes.len() as u64);
        for piece in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..piece.len()].copy_from_slice(piece);
            self.mix(u64::from_le_bytes(word));
        }
    }

    /// A line for people; costs nothing unless it is wanted.
    pub fn say(&self, now: u64, line: Arguments<'_>) {
        if self.print {
            println!("{:>9}.{:03} {line}", now / 1000, now % 1000);
        }
    }

    pub fn hash(&self) -> u64 {
        self.hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_and_every_cut_counts() {
        let hash = |pieces: &[&[u8]]| {
            let mut trace = Trace::new(false);
            for piece in pieces {
                trace.mix_bytes(piece);
            }
            trace.hash()
        };
        let base = hash(&[b"records of a journal"]);
        assert_eq!(base, hash(&[b"records of a journal"]));
        assert_ne!(base, hash(&[b"records of a journaL"]));
        assert_ne!(base, hash(&[b"records of a journal\0"]));
        assert_ne!(base, hash(&[b"records of", b" a journal"]));
    }
}
