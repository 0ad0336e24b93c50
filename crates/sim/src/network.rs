//! The network between the server, its workers and its callers: loses, repeats, delays, reorders, and is cut.
//! - NW-1 a message reaches the very process it was sent to, or nobody: connections do not survive a restart

use std::collections::BTreeMap;

use mainspring_core::values::Chance;

use crate::faults::{Fault, Rates, Seen};

/// One end of a link; the server is the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Peer {
    Worker(usize),
    Callers,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Direction {
    ToServer,
    FromServer,
}

/// Longest delay of a late message.
const LATE_MAX_MS: u64 = 30_000;

#[derive(Debug, Default)]
pub struct Network {
    /// Until when a link is cut in one direction.
    cut: BTreeMap<(Peer, Direction), u64>,
}

impl Network {
    pub fn cut(&mut self, peer: Peer, direction: Direction, until: u64) {
        self.cut.insert((peer, direction), until);
    }

    pub fn heal(&mut self) {
        self.cut.clear();
    }

    /// After how long each copy of a message arrives; none if it is lost.
    pub fn delays(
        &self,
        (peer, direction): (Peer, Direction),
        (now, hop): (u64, u64),
        rates: &Rates,
        chance: &mut Chance,
        seen: &mut Seen,
    ) -> Vec<u64> {
        let is_cut = self.cut.get(&(peer, direction)).is_some_and(|until| *until > now);
        if is_cut || chance.per_mille(rates.message_lost) {
            seen.note(Fault::MessageLost);
            return Vec::new();
        }
        let mut delays = vec![chance.below(hop * 2 + 1)];
        if chance.per_mille(rates.message_twice) {
            seen.note(Fault::MessageTwice);
            delays.push(chance.below(hop * 20 + 2_000));
        }
        if chance.per_mille(rates.message_late) {
            seen.note(Fault::MessageLate);
            delays[0] += chance.below(LATE_MAX_MS);
        }
        delays
    }
}
